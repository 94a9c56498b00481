import { GatewayError } from '../domain/errors.ts'
import { headerSafe } from '../domain/header-safe.ts'
import { adjustmentsText } from '../domain/request/adjustment.ts'
import type { Stamp } from '../domain/request/answer.ts'
import type { ChainEntry } from '../domain/route.ts'
import type { Reply, StreamHead, StreamRest } from '../http/call.ts'
import { errorReply, jsonTextReply } from '../http/respond.ts'
import { rateHeaders, warningHeaders } from '../limits/headers.ts'
import { payerOf, scopeName } from '../limits/payer.ts'
import { type StoredAnswer, textFor } from './cache/stored-answer.ts'
import { sealingFor } from './chain/assess.ts'
import type { Deps } from './deps.ts'
import { costText, gatewayFields } from './gateway-fields.ts'
import type { Begun, Cost, Ended, Received, ServedBy } from './stages.ts'

/** The reply, ready but not sent: the row must be durable first. Null: the caller left. */
export function answer({ call, error }: Ended, deps: Pick<Deps, 'ledger' | 'sealingKeys'>): Reply | StreamRest | null {
  if (error === 'caller-left') return null
  if (call.delivery?.isOpen === true) return streamRest({ call, error })
  const common = commonHeaders(call, deps)
  const { endpoint, served, body, cost } = call
  if (error !== null) return errorReply(error, common, endpoint.error, call.id)
  if (call.caching?.hit) return storedReply(call.caching.hit, call, common)
  if (served === undefined || body === undefined) {
    return errorReply(new GatewayError('internal_error'), common, endpoint.error, call.id)
  }
  const headers = { ...gatewayHeaders(served, cost), ...common }
  const { answer } = served
  if ('stream' in answer) return errorReply(new GatewayError('internal_error'), common, endpoint.error, call.id)
  if ('body' in answer)
    return jsonTextReply(
      200,
      endpoint.write(
        answer,
        stampOf({ id: call.id, startedAt: call.startedAt, endpoint, body }, served.entry, deps),
        body.request,
      ),
      headers,
    )
  if (answer.text === null) throw new RangeError('nested too deep to be written')
  return jsonTextReply(200, answer.text, headers)
}

/** A stored answer; a stream of it is all there at once. */
function storedReply(hit: StoredAnswer, { id, cost }: Ended['call'], common: Record<string, string>): Reply {
  const { provider, model, ignored, stream } = hit
  const headers = {
    ...gatewayHeaders({ entry: { provider, model }, position: 0, ignored, upstreamMs: 0 }, cost),
    ...common,
  }
  const text = textFor(hit, id)
  if (stream === null) return jsonTextReply(200, text, headers)
  return { status: 200, headers: { ...STREAM_HEADERS, ...headers }, body: text }
}

/** The end of a stream: the frames that were held back, or why it was cut. */
function streamRest({ call, error }: Ended): StreamRest {
  const { endpoint, served, cost } = call
  const answer = served?.answer
  if (error !== null || served === undefined || answer === undefined || !('stream' in answer)) {
    // It knows how the stream began.
    const writer = answer !== undefined && 'stream' in answer ? answer.writer : null
    const told = error === null || error === 'caller-left' ? new GatewayError('internal_error') : error
    const frame = writer?.fail?.(told) ?? endpoint.stream?.error(told, call.id)
    return { rest: frame ?? '', trailers: {} }
  }
  const gateway = gatewayFields(served, cost)
  return {
    rest: answer.writer.end({ usage: answer.stream.reader.usage, tokens: served.usage, gateway }),
    trailers: { 'x-gateway-cost-usd': gateway.cost_usd, 'x-gateway-latency-ms': String(served.upstreamMs) },
  }
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** The head of a streamed answer. No cost is sent before it is known; the latency is that of the first content. */
export function streamHead(call: Ended['call'], deps: Pick<Deps, 'ledger'>): StreamHead {
  const { served, trying } = call
  const by = served ?? trying
  const headers: Record<string, string> = {
    ...STREAM_HEADERS,
    ...(by === null || by === undefined ? {} : servedBy(by)),
    ...commonHeaders(call, deps),
  }
  if (served !== undefined) headers['x-gateway-latency-ms'] = String(served.upstreamMs)
  return { status: 200, headers, trailers: ['x-gateway-cost-usd', 'x-gateway-latency-ms'] }
}

/** `entry`: the one that answers. */
export function stampOf(
  { id, startedAt, body, endpoint }: Pick<Received, 'id' | 'startedAt' | 'body' | 'endpoint'>,
  entry: ChainEntry,
  deps: Pick<Deps, 'sealingKeys'>,
): Stamp {
  const stamp: Stamp = {
    id,
    model: body.request.model,
    created: Math.floor(startedAt / 1000),
    promptTokens: body.promptTokens.likely,
  }
  if (endpoint.seals === true) stamp.sealing = sealingFor(entry, deps)
  return stamp
}

/** The shared counters were down, and the policy allowed the call. */
const UNCHECKED = { 'x-gateway-limits': 'unchecked' }

function limitHeaders(call: Ended['call'], { ledger }: Pick<Deps, 'ledger'>): Record<string, string> {
  const warnings = warningHeaders(call.warnings ?? [], (scope) => scopeName(scope, call.key))
  const unchecked = call.held?.unchecked === true ? UNCHECKED : {}
  return { ...rateHeaders(payerOf(call.key, call.snapshot), ledger), ...warnings, ...unchecked }
}

/** On errors too: an adjustment may be the cause. */
function adjustedHeader({ unusedKey, adjustments }: Begun): Record<string, string> {
  if (unusedKey.length === 0 && adjustments.length === 0) return {}
  return { 'x-gateway-adjusted': headerSafe(adjustmentsText([...unusedKey, ...adjustments])) }
}

/** The headers of every success (docs/contract.md), and the names of dropped hints. */
function gatewayHeaders(served: Told & { upstreamMs: number }, cost: Cost | undefined): Record<string, string> {
  const headers = servedBy(served)
  headers['x-gateway-latency-ms'] = String(served.upstreamMs)
  headers['x-gateway-cost-usd'] = costText(cost)
  return headers
}

type Told = Pick<ServedBy, 'position' | 'ignored'> & { entry: Pick<ChainEntry, 'provider' | 'model'> }

function servedBy({ entry, position, ignored }: Told) {
  const headers: Record<string, string> = {
    'x-gateway-provider': entry.provider,
    'x-gateway-model': headerSafe(entry.model),
    'x-gateway-fallback-used': String(position > 0),
  }
  if (ignored.length > 0) headers['x-gateway-ignored-params'] = headerSafe(ignored.join(','))
  return headers
}

function commonHeaders(call: Ended['call'], deps: Pick<Deps, 'ledger'>): Record<string, string> {
  const cache = call.caching === null ? {} : { 'x-gateway-cache': call.caching.verdict }
  return { 'server-timing': serverTiming(call), ...cache, ...limitHeaders(call, deps), ...adjustedHeader(call) }
}

function serverTiming({ startedTick, elsewhereMs: upstream }: Begun): string {
  const total = performance.now() - startedTick
  return `upstream;dur=${upstream.toFixed(1)}, gateway;dur=${Math.max(0, total - upstream).toFixed(1)}`
}
