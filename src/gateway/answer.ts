import type { JsonObject } from '../domain/chat.ts'
import { GatewayError } from '../domain/errors.ts'
import { asPicodollars, usdWithSixDecimals } from '../domain/price.ts'
import type { Reply } from '../http/call.ts'
import { errorReply, jsonReply } from '../http/respond.ts'
import type { Deps } from './deps.ts'
import { headerSafe } from './header-safe.ts'
import type { Life, Served } from './life.ts'
import { rateHeaders, warningHeaders } from './limit-headers.ts'
import { payerOf, scopeName } from './payer.ts'

/** What the caller will see, ready to send but not sent: the row must be durable first. Null: the caller left. */
export function answer(life: Life, deps: Pick<Deps, 'ledger'>): Reply | null {
  if (life.error === 'caller-left') return null
  const common = { 'server-timing': serverTiming(life), ...limitHeaders(life, deps) }
  if (life.error !== null) return errorReply(life.error, common)
  if (life.served === null || life.request === null) return errorReply(new GatewayError('internal_error'), common)
  const now = Math.floor(life.startedAt / 1000)
  // The first four only set the order in which people read them; what the provider sent comes after.
  const completion: JsonObject = {
    id: life.id,
    object: 'chat.completion',
    created: now,
    model: life.request.model,
    ...life.served.answer.completion,
  }
  completion['id'] = life.id
  completion['model'] = life.request.model
  if (!Number.isInteger(completion['created'])) completion['created'] = now
  return jsonReply(200, completion, { ...gatewayHeaders(life, life.served), ...common })
}

function limitHeaders(life: Life, { ledger }: Pick<Deps, 'ledger'>): Record<string, string> {
  const warnings = warningHeaders(life.admission?.warnings ?? [], (scope) => scopeName(scope, life.key))
  return { ...rateHeaders(payerOf(life.key, life.snapshot), ledger), ...warnings }
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
