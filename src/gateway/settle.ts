import { CALLER_LEFT, INTERRUPTED } from '../domain/errors.ts'
import type { CallUse } from '../domain/ledger.ts'
import { asPicodollars } from '../domain/price.ts'
import type { CloseRecord } from '../domain/request-record.ts'
import { promptTokens } from '../domain/usage.ts'
import type { Reply } from '../http/call.ts'
import { holdRecord } from './admit.ts'
import type { Deps } from './deps.ts'
import type { Life } from './life.ts'

/** As the log knows it: a call without an answer costs nothing. */
export const NOTHING_USED: CallUse = { picodollars: null, tokens: 0 }

/**
 * Writes the row, settles what was held and counts: once, however the call ended, and before the caller can see how.
 * The ledger follows the log: what could not be written was not spent.
 */
export async function settle(life: Life, reply: Reply | null, deps: Deps): Promise<void> {
  const record = closeRecord(life, reply, deps)
  try {
    await deps.requestLog.close(record)
  } catch (error) {
    deps.metrics.logFailures.inc()
    throw error
  }
  if (life.admission !== null) deps.ledger.settle(life.admission.held, usedBy(record))
  count(life, record, deps)
}

function usedBy({ costPicodollars, usage }: CloseRecord): CallUse {
  return {
    picodollars: costPicodollars === null ? null : asPicodollars(BigInt(costPicodollars)),
    tokens: usage === null ? 0 : promptTokens(usage) + usage.output,
  }
}

function closeRecord(life: Life, reply: Reply | null, deps: Deps): CloseRecord {
  const last = life.attempts.findLast((attempt) => attempt.kind === 'called')
  const { served, cost, error } = life
  const unseen = deps.cutOff() ? INTERRUPTED : CALLER_LEFT
  return {
    id: life.id,
    workspace: life.key.workspace,
    keyId: life.key.id,
    startedAt: life.startedAt,
    finishedAt: deps.now(),
    requestedModel: life.request?.model ?? null,
    route: life.resolved?.alias ?? null,
    idempotencyKey: life.idempotency?.idempotencyKey ?? null,
    bodyHash: life.idempotency?.bodyHash ?? null,
    ...holdRecord(life.admission),
    status: reply?.status ?? unseen.status,
    code: error === 'caller-left' ? unseen.code : (error?.code ?? null),
    provider: served?.entry.provider ?? last?.provider ?? null,
    model: served?.entry.model ?? last?.model ?? null,
    fallback: (served?.position ?? 0) > 0,
    attempts: life.attempts,
    usage: served?.answer.usage ?? null,
    finishReason: served?.answer.finishReason ?? null,
    costPicodollars: cost?.picodollars?.toString() ?? null,
    priceVersion: cost?.priceVersion ?? null,
    upstreamMs: served?.upstreamMs ?? null,
    gatewayMicroseconds: Math.max(0, Math.round((performance.now() - life.startedTick - life.elsewhereMs) * 1000)),
    requestBytes: life.requestBytes,
    responseBytes: reply === null ? 0 : Buffer.byteLength(reply.body),
    ignoredParams: served?.ignored ?? [],
  }
}

function count(life: Life, record: CloseRecord, deps: Deps): void {
  const { metrics } = deps
  const label = (provider: string, model: string) => ({
    provider,
    model: deps.isKnown(provider, model) ? model : 'other',
  })
  const route = record.route ?? '(direct)'
  const place = record.provider === null ? { provider: '', model: '' } : label(record.provider, record.model ?? '')
  metrics.requests.inc({ route, ...place, code: record.code ?? 'ok' })
  metrics.overhead.observe(record.gatewayMicroseconds / 1e6)
  for (const attempt of life.attempts) {
    if (attempt.kind !== 'called') continue
    const outcome = attempt.code ?? 'ok'
    metrics.attempts.observe({ ...label(attempt.provider, attempt.model), outcome }, attempt.durationMs / 1000)
  }
  if (record.fallback) metrics.fallbacks.inc({ route })
  if (life.served === null || record.usage === null) return
  metrics.tokens.inc({ ...place, direction: 'prompt' }, promptTokens(record.usage))
  metrics.tokens.inc({ ...place, direction: 'completion' }, record.usage.output)
  const cost = life.cost?.picodollars ?? null
  if (cost === null) noteUnknownPrice(life, place, deps)
  else metrics.costUsd.inc(place, Number(cost) / 1e12)
  if (life.served.answer.warning !== null) {
    metrics.unknownStopReasons.inc({ provider: place.provider })
    deps.log.warn({ request: life.id, ...place }, life.served.answer.warning)
  }
}

function noteUnknownPrice(life: Life, place: { provider: string; model: string }, deps: Deps): void {
  deps.metrics.unknownPrices.inc(place)
  deps.log.warn({ request: life.id, ...place }, 'no price for this model in the registry: cost logged as null')
}
