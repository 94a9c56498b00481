import { adjustmentsText } from '../domain/adjustment.ts'
import type { ChatRequest } from '../domain/chat.ts'
import { GatewayError } from '../domain/errors.ts'
import { headerSafe } from '../domain/header-safe.ts'
import { asPicodollars, usdWithSixDecimals } from '../domain/pricing/price.ts'
import { type Stamp, stamped } from '../endpoints/chat-completions/write.ts'
import type { Reply } from '../http/call.ts'
import { errorReply, jsonReply, jsonTextReply } from '../http/respond.ts'
import { rateHeaders, warningHeaders } from '../limits/headers.ts'
import { payerOf, scopeName } from '../limits/payer.ts'
import type { Deps } from './deps.ts'
import type { Life, Served } from './stages.ts'

/** What the caller will see, ready to send but not sent: the row must be durable first. Null: the caller left. */
export function answer(life: Life, deps: Pick<Deps, 'ledger'>): Reply | null {
  if (life.error === 'caller-left') return null
  const common = { 'server-timing': serverTiming(life), ...limitHeaders(life, deps), ...adjustedHeader(life) }
  if (life.error !== null) return errorReply(life.error, common)
  if (life.served === null || life.request === null) return errorReply(new GatewayError('internal_error'), common)
  const headers = { ...gatewayHeaders(life, life.served), ...common }
  const { answer } = life.served
  if ('completion' in answer) return jsonReply(200, stamped(answer.completion, stampOf(life, life.request)), headers)
  if (answer.text === null) throw new RangeError('nested too deep to be written')
  return jsonTextReply(200, answer.text, headers)
}

export function stampOf({ id, startedAt }: Life, { model }: ChatRequest): Stamp {
  return { id, model, created: Math.floor(startedAt / 1000) }
}

/** The shared counters were away, and the policy let the call through. */
const UNCHECKED = { 'x-gateway-limits': 'unchecked' }

function limitHeaders(life: Life, { ledger }: Pick<Deps, 'ledger'>): Record<string, string> {
  const warnings = warningHeaders(life.admission?.warnings ?? [], (scope) => scopeName(scope, life.key))
  const unchecked = life.admission?.held.unchecked === true ? UNCHECKED : {}
  return { ...rateHeaders(payerOf(life.key, life.snapshot), ledger), ...warnings, ...unchecked }
}

/** Of errors too: what was changed may be why. */
function adjustedHeader({ adjustments }: Life): Record<string, string> {
  return adjustments.length === 0 ? {} : { 'x-gateway-adjusted': headerSafe(adjustmentsText(adjustments)) }
}

/** The five headers of every success (contract 4.1), and the names of hints that were dropped. */
function gatewayHeaders(life: Life, served: Served): Record<string, string> {
  const headers: Record<string, string> = {
    'x-gateway-provider': served.entry.provider,
    'x-gateway-model': headerSafe(served.entry.model),
    'x-gateway-fallback-used': String(served.position > 0),
    'x-gateway-latency-ms': String(served.upstreamMs),
    'x-gateway-cost-usd': usdWithSixDecimals(life.cost?.picodollars ?? asPicodollars(0n)),
  }
  if (served.ignored.length > 0) headers['x-gateway-ignored-params'] = headerSafe(served.ignored.join(','))
  return headers
}

function serverTiming(life: Life): string {
  const total = performance.now() - life.startedTick
  const upstream = life.elsewhereMs
  return `upstream;dur=${upstream.toFixed(1)}, gateway;dur=${Math.max(0, total - upstream).toFixed(1)}`
}
