import { GatewayError } from '../domain/errors.ts'
import { headerSafe } from '../domain/header-safe.ts'
import { asPicodollars, usdWithSixDecimals } from '../domain/pricing/price.ts'
import { adjustmentsText } from '../domain/request/adjustment.ts'
import type { Stamp } from '../domain/request/answer.ts'
import type { Reply } from '../http/call.ts'
import { errorReply, jsonTextReply } from '../http/respond.ts'
import { rateHeaders, warningHeaders } from '../limits/headers.ts'
import { payerOf, scopeName } from '../limits/payer.ts'
import type { Deps } from './deps.ts'
import type { Begun, Cost, Ended, Received, ServedBy } from './stages.ts'

/** The reply, ready but not sent: the row must be durable first. Null: the caller left. */
export function answer({ call, error }: Ended, deps: Pick<Deps, 'ledger'>): Reply | null {
  if (error === 'caller-left') return null
  const common = { 'server-timing': serverTiming(call), ...limitHeaders(call, deps), ...adjustedHeader(call) }
  const { endpoint, served, body, cost } = call
  if (error !== null) return errorReply(error, common, endpoint.error)
  if (served === undefined || body === undefined) {
    return errorReply(new GatewayError('internal_error'), common, endpoint.error)
  }
  const headers = { ...gatewayHeaders(served, cost), ...common }
  const { answer } = served
  if ('body' in answer)
    return jsonTextReply(
      200,
      endpoint.write(answer, stampOf({ id: call.id, startedAt: call.startedAt, body })),
      headers,
    )
  if (answer.text === null) throw new RangeError('nested too deep to be written')
  return jsonTextReply(200, answer.text, headers)
}

export function stampOf({ id, startedAt, body }: Pick<Received, 'id' | 'startedAt' | 'body'>): Stamp {
  return { id, model: body.request.model, created: Math.floor(startedAt / 1000) }
}

/** The shared counters were down, and the policy allowed the call. */
const UNCHECKED = { 'x-gateway-limits': 'unchecked' }

function limitHeaders(call: Ended['call'], { ledger }: Pick<Deps, 'ledger'>): Record<string, string> {
  const warnings = warningHeaders(call.warnings ?? [], (scope) => scopeName(scope, call.key))
  const unchecked = call.held?.unchecked === true ? UNCHECKED : {}
  return { ...rateHeaders(payerOf(call.key, call.snapshot), ledger), ...warnings, ...unchecked }
}

/** On errors too: an adjustment may be the cause. */
function adjustedHeader({ adjustments }: Begun): Record<string, string> {
  return adjustments.length === 0 ? {} : { 'x-gateway-adjusted': headerSafe(adjustmentsText(adjustments)) }
}

/** The headers of every success (docs/contract.md), and the names of dropped hints. */
function gatewayHeaders(served: ServedBy, cost: Cost | undefined): Record<string, string> {
  const headers: Record<string, string> = {
    'x-gateway-provider': served.entry.provider,
    'x-gateway-model': headerSafe(served.entry.model),
    'x-gateway-fallback-used': String(served.position > 0),
    'x-gateway-latency-ms': String(served.upstreamMs),
    'x-gateway-cost-usd': usdWithSixDecimals(cost?.picodollars ?? asPicodollars(0n)),
  }
  if (served.ignored.length > 0) headers['x-gateway-ignored-params'] = headerSafe(served.ignored.join(','))
  return headers
}

function serverTiming({ startedTick, elsewhereMs: upstream }: Begun): string {
  const total = performance.now() - startedTick
  return `upstream;dur=${upstream.toFixed(1)}, gateway;dur=${Math.max(0, total - upstream).toFixed(1)}`
}
