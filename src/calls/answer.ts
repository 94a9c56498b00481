import { GatewayError } from '../domain/errors.ts'
import { headerSafe } from '../domain/header-safe.ts'
import { usdWithSixDecimals } from '../domain/pricing/price.ts'
import { adjustmentsText } from '../domain/request/adjustment.ts'
import type { Stamp } from '../domain/request/answer.ts'
import type { ChainEntry } from '../domain/route.ts'
import { acceptsStream } from '../endpoints/agent-refusals.ts'
import type { Reply, StreamHead, StreamRest } from '../http/call.ts'
import { errorReply, JSON_TYPE } from '../http/respond.ts'
import { addRateHeaders, warningText } from '../limits/headers.ts'
import { payerOf, scopeName } from '../limits/payer.ts'
import { type StoredAnswer, textFor } from './cache/stored-answer.ts'
import { sealingFor } from './chain/assess.ts'
import type { Deps } from './deps.ts'
import { costText, gatewayFields } from './gateway-fields.ts'
import { costOfUsage } from './price.ts'
import type { Begun, Cost, Ended, Received, ServedBy } from './stages.ts'

/** The reply, ready but not sent: the row must be durable first. Null: the caller left. */
export function answer({ call, error }: Ended, deps: Pick<Deps, 'ledger' | 'sealingKeys'>): Reply | StreamRest | null {
  call.delivery?.decided()
  if (error === 'caller-left') return null
  if (call.delivery?.isOpen === true) return streamRest({ call, error })
  const { endpoint, served, body } = call
  if (error !== null) return refusal(error, call, deps)
  const written = served?.answer
  if (served === undefined || body === undefined || written === undefined || 'stream' in written) {
    return errorReply(new GatewayError('internal_error'), addCommon({}, call, deps), endpoint.error, call.id)
  }
  const { id, startedAt } = call
  const text =
    'body' in written
      ? endpoint.write(
          written,
          stampOf({ id, startedAt, endpoint, body, key: call.key }, served.entry, deps),
          body.request,
        )
      : written.text
  if (text === null) throw new RangeError('nested too deep to be written')
  const headers = wholeHeaders(served, call.cost)
  if (written.contentType !== undefined) headers['content-type'] = written.contentType
  return { status: 200, headers: addCommon(headers, call, deps), body: text }
}

/** Agents that ask again after any status are stopped by a stream that has failed; the row keeps the status. */
function refusal(error: GatewayError, call: Ended['call'], deps: Pick<Deps, 'ledger'>): Reply {
  const { endpoint, id, receiver, delivery } = call
  const headers = addCommon({}, call, deps)
  const isKnown = error.isFinal && error.status !== 401 && endpoint.stopsAtFailedStream?.(receiver) === true
  if (!isKnown || endpoint.stream === undefined || (delivery == null && !acceptsStream(receiver))) {
    return errorReply(error, headers, endpoint.error, id)
  }
  Object.assign(headers, STREAM_HEADERS, { 'x-should-retry': 'false', 'x-gateway-status': String(error.status) })
  return { status: 200, headers, body: endpoint.stream.error(error, id) }
}

/** A stored answer; a stream of it is all there at once. */
export function storedReply(hit: StoredAnswer, call: Ended['call'], deps: Pick<Deps, 'ledger'>): Reply {
  const { provider, model, ignored, stream } = hit
  const headers = wholeHeaders({ entry: { provider, model }, position: 0, ignored, upstreamMs: 0 }, call.cost)
  if (stream !== null) Object.assign(headers, STREAM_HEADERS)
  return { status: 200, headers: addCommon(headers, call, deps), body: textFor(hit, call.id) }
}

/** The end of a stream: the frames that were held back, or why it was cut. */
function streamRest({ call, error }: Ended): StreamRest {
  const { endpoint, served, cost } = call
  const answer = served?.answer
  if (error !== null || served === undefined || answer === undefined || !('stream' in answer)) {
    // It knows how the stream began.
    const writer = answer !== undefined && 'stream' in answer ? answer.writer : null
    // Bytes cannot say it.
    if (answer !== undefined && 'stream' in answer && answer.contentType !== null)
      return { rest: '', trailers: {}, isCut: true }
    const shown = error === null || error === 'caller-left' ? new GatewayError('internal_error') : error
    const frame = writer?.fail?.(shown) ?? endpoint.stream?.error(shown, call.id)
    return { rest: frame ?? '', trailers: {} }
  }
  const gateway = gatewayFields(served, cost)
  const rest = answer.writer.end({ usage: answer.stream.reader.usage, tokens: served.usage, gateway })
  return {
    rest: answer.contentType === null ? rest : Buffer.from(rest, 'latin1'),
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
  const headers: Headers = { ...STREAM_HEADERS }
  if (by !== null && by !== undefined) addServedBy(headers, by)
  addCommon(headers, call, deps)
  if (served !== undefined) headers['x-gateway-latency-ms'] = String(served.upstreamMs)
  const answer = served?.answer
  if (served !== undefined && answer !== undefined && 'stream' in answer && answer.contentType !== null) {
    headers['content-type'] = headerSafe(answer.contentType)
    headers['x-content-type-options'] = 'nosniff'
    const { usage } = answer.stream.reader
    // What was asked for is all that is charged.
    const cost = usage?.source === 'measured' ? costOfUsage(usage.tokens, served.entry, call.snapshot) : null
    if (cost?.picodollars != null) headers['x-gateway-cost-usd'] = usdWithSixDecimals(cost.picodollars)
  }
  return { status: 200, headers, trailers: ['x-gateway-cost-usd', 'x-gateway-latency-ms'] }
}

/** `entry`: the one that answers. */
export function stampOf(
  { id, startedAt, body, endpoint, key }: Pick<Received, 'id' | 'startedAt' | 'body' | 'endpoint' | 'key'>,
  entry: ChainEntry,
  deps: Pick<Deps, 'sealingKeys'>,
): Stamp {
  const stamp: Stamp = {
    id,
    model: body.request.model,
    created: Math.floor(startedAt / 1000),
    promptTokens: body.promptTokens.likely,
  }
  if (endpoint.seals === true) stamp.sealing = sealingFor(entry, key, deps)
  return stamp
}

/** Written once, into the object that goes out. */
type Headers = Record<string, string>

type ServedHead = Pick<ServedBy, 'position' | 'ignored'> & { entry: Pick<ChainEntry, 'provider' | 'model'> }

/** The headers of every whole success (docs/contract.md), and the names of dropped hints. */
function wholeHeaders(served: ServedHead & { upstreamMs: number }, cost: Cost | undefined): Headers {
  const { entry, position, ignored, upstreamMs } = served
  const headers: Headers = {
    'content-type': JSON_TYPE,
    'x-content-type-options': 'nosniff',
    'x-gateway-provider': entry.provider,
    'x-gateway-model': headerSafe(entry.model),
    'x-gateway-fallback-used': position > 0 ? 'true' : 'false',
    'x-gateway-latency-ms': String(upstreamMs),
    'x-gateway-cost-usd': costText(cost),
  }
  if (ignored.length > 0) headers['x-gateway-ignored-params'] = headerSafe(ignored.join(','))
  return headers
}

function addServedBy(headers: Headers, { entry, position, ignored }: ServedHead): void {
  headers['x-gateway-provider'] = entry.provider
  headers['x-gateway-model'] = headerSafe(entry.model)
  headers['x-gateway-fallback-used'] = position > 0 ? 'true' : 'false'
  if (ignored.length > 0) headers['x-gateway-ignored-params'] = headerSafe(ignored.join(','))
}

/** On errors too: an adjustment may be the cause. */
function addCommon(headers: Headers, call: Ended['call'], { ledger }: Pick<Deps, 'ledger'>): Headers {
  const { key, snapshot, aspects, warnings = [], held, foreseen, adjustments } = call
  headers['server-timing'] = serverTiming(call)
  for (const aspect of aspects) aspect.addHeaders?.(headers)
  addRateHeaders(headers, payerOf(key, snapshot), ledger)
  if (warnings.length > 0) headers['x-gateway-budget-warning'] = warningText(warnings, (scope) => scopeName(scope, key))
  // The shared counters were down, and the policy allowed the call.
  if (held?.unchecked === true) headers['x-gateway-limits'] = 'unchecked'
  if (foreseen.length > 0 || adjustments.length > 0) {
    headers['x-gateway-adjusted'] = headerSafe(adjustmentsText([...foreseen, ...adjustments]))
  }
  return headers
}

function serverTiming({ startedTick, externalMs: upstream }: Begun): string {
  const total = performance.now() - startedTick
  return `upstream;dur=${upstream.toFixed(1)}, gateway;dur=${Math.max(0, total - upstream).toFixed(1)}`
}
