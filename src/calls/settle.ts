import { CALLER_LEFT, INTERRUPTED } from '../domain/errors.ts'
import { cacheSaving } from '../domain/pricing/cache-saving.ts'
import { asPicodollars } from '../domain/pricing/price.ts'
import { resaleOf } from '../domain/pricing/resale.ts'
import { countedOf } from '../domain/pricing/unconfirmed.ts'
import { promptTokens } from '../domain/pricing/usage.ts'
import type { CallReply } from '../http/call.ts'
import type { CallUse } from '../limits/ledger.ts'
import type { CloseRecord } from '../request-log/record.ts'
import { countStream } from './count-stream.ts'
import type { Deps } from './deps.ts'
import { openRecord } from './open-record.ts'
import { type Ended, millisecondsInto } from './stages.ts'
import { tracedContent } from './tracing/traced-content.ts'
import { addedTo, unconfirmedOf } from './unconfirmed.ts'
import { whyOf } from './why.ts'

/** As logged: a call that fails costs nothing. */
export const NOTHING_USED: CallUse = { picodollars: null, tokens: 0 }

/**
 * Writes the row, settles the hold and updates the metrics: once, for every outcome, and before the caller sees it. The
 * ledger follows the log: what could not be written was not spent.
 */
export async function settle(ended: Ended, reply: CallReply | null, deps: Deps): Promise<void> {
  const { held } = ended.call
  const record = closeRecord(ended, reply, deps)
  for (const aspect of ended.call.aspects) aspect.addToRow?.(record)
  let position: number
  try {
    position = await deps.requestLog.close(record, ended.call.opening?.text)
  } catch (error) {
    deps.metrics.logFailures.add()
    throw error
  }
  if (held !== undefined) deps.ledger.settle(held, usedBy(record), position)
  count(ended.call, record, deps)
  ended.call.trace.end(record, () => tracedContent(ended.call, reply))
}

function usedBy({ costPicodollars, unconfirmedCounted, usage }: CloseRecord): CallUse {
  const cost = costPicodollars === null ? null : BigInt(costPicodollars)
  const counted = unconfirmedCounted === null ? cost : (cost ?? 0n) + BigInt(unconfirmedCounted)
  return {
    picodollars: counted === null ? null : asPicodollars(counted),
    tokens: usage === null ? 0 : promptTokens(usage) + usage.output,
  }
}

const NONE_IGNORED: string[] = []

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a line for each field of the record.
function closeRecord({ call, error }: Ended, reply: CallReply | null, deps: Deps): CloseRecord {
  const last = call.attempts.findLast((attempt) => attempt.kind === 'called')
  const { served, cost, body } = call
  const stream = served !== undefined && 'stream' in served.answer ? served.answer : null
  const unseen = deps.cutOff() ? INTERRUPTED : CALLER_LEFT
  const refused = error === 'caller-left' ? undefined : error?.refused
  const now = performance.now()
  const opened = call.opening?.record ?? openRecord(call, undefined, refused)
  const why = whyOf(error)
  const unconfirmed = unconfirmedOf(call)
  // Written out: 45 fields behind a spread take five times the memory and forty times the time.
  return {
    id: opened.id,
    workspace: opened.workspace,
    keyId: opened.keyId,
    startedAt: opened.startedAt,
    endpoint: opened.endpoint,
    requestedModel: opened.requestedModel,
    route: opened.route,
    holdPicodollars: opened.holdPicodollars,
    holdTokens: opened.holdTokens,
    idempotencyKey: opened.idempotencyKey,
    bodyHash: opened.bodyHash,
    streamed: opened.streamed,
    user: opened.user,
    session: opened.session,
    agent: opened.agent,
    parent: opened.parent,
    kind: opened.kind,
    project: opened.project,
    tags: opened.tags,
    unconfirmedPolicy: opened.unconfirmedPolicy,
    reason: why.reason,
    param: why.param,
    providerCode: why.providerCode,
    figures: why.figures,
    // By the clock of all durations: the start may come from another machine's clock.
    finishedAt: call.startedAt + millisecondsInto(call, now),
    status: reply === null ? unseen.status : 'rest' in reply ? 200 : (refusedStatus(error) ?? reply.status),
    code: error === 'caller-left' ? unseen.code : (error?.code ?? null),
    provider: served?.entry.provider ?? last?.provider ?? null,
    model: served?.entry.model ?? last?.model ?? null,
    fallback: (served?.position ?? 0) > 0,
    attempts: call.attempts,
    usage: served?.usage ?? null,
    finishReason: served?.answer.finishReason ?? null,
    costPicodollars: cost?.picodollars?.toString() ?? null,
    priceVersion: cost?.priceVersion ?? null,
    upstreamMs: served?.upstreamMs ?? null,
    gatewayMicroseconds: Math.max(0, Math.round((now - call.startedTick - call.externalMs) * 1000)),
    requestBytes: body?.length ?? refused?.bytes ?? 0,
    responseBytes: sentBytes(call, reply),
    ignoredParams: served?.ignored ?? NONE_IGNORED,
    adjustments: call.foreseen.length === 0 ? call.adjustments : [...call.foreseen, ...call.adjustments],
    firstContentMs: stream?.firstContentMs ?? null,
    ended: stream?.ended ?? null,
    eventsSent: stream?.events ?? 0,
    usageSource: served?.usageSource ?? null,
    costLeastPicodollars: cost?.least?.toString() ?? null,
    costMostPicodollars: cost?.most?.toString() ?? null,
    cache: null,
    savedPicodollars: null,
    answerOf: null,
    resalePicodollars: resold(call, opened.route),
    uses: served?.usage?.uses ?? null,
    loop: null,
    promptCacheSaved: savedByCache(call),
    cacheMiss: null,
    statedPicodollars: served?.usage?.stated?.picodollars ?? null,
    statedBy: served?.usage?.stated?.by ?? null,
    holdAdded: addedTo(call.held),
    unconfirmedEstimate: unconfirmed?.estimate ?? null,
    unconfirmedMost: unconfirmed?.most ?? null,
    unconfirmedCounted: unconfirmed === null ? null : countedOf(unconfirmed, opened.unconfirmedPolicy).toString(),
  }
}

/** A refusal is one in the log, also where its answer is a stream that has failed (answer.ts). */
function refusedStatus(error: Ended['error']): number | null {
  return error === null || error === 'caller-left' ? null : error.status
}

/** Null for an estimate, and where no cache was used. */
function savedByCache({ snapshot, served }: Ended['call']): string | null {
  if (served === undefined || served.usageSource !== 'provider') return null
  const price = snapshot.registry.get(served.entry.provider)?.get(served.entry.model)?.price
  return price === undefined ? null : (cacheSaving(served.usage, price)?.toString() ?? null)
}

/** Of the price list that was in force when the call began. */
function resold({ snapshot, key, served, cost }: Ended['call'], alias: string | null): string | null {
  const resale = snapshot.workspaces.get(key.workspace)?.resale
  if (resale == null) return null
  const provider = served?.entry.provider ?? null
  const model = served?.entry.model ?? null
  const sold = { alias, provider, model, usage: served?.usage ?? null, cost: cost?.picodollars ?? null }
  return resaleOf(resale, sold)?.toString() ?? null
}

function sentBytes({ delivery }: Ended['call'], reply: CallReply | null): number {
  const streamed = delivery?.bytes ?? 0
  return reply === null ? streamed : streamed + Buffer.byteLength('rest' in reply ? reply.rest : reply.body)
}

function count(call: Ended['call'], record: CloseRecord, { metrics, isKnown, log, traffic }: Deps): void {
  const route = record.route ?? '(direct)'
  const provider = record.provider ?? ''
  const model = record.provider === null ? '' : modelLabel(record.provider, record.model ?? '', isKnown)
  metrics.requests.add(1, [call.endpoint.name, route, provider, model, record.code ?? 'ok'])
  metrics.overhead.observe(record.gatewayMicroseconds / 1e6)
  for (const attempt of call.attempts) {
    if (attempt.kind !== 'called') continue
    const label = modelLabel(attempt.provider, attempt.model, isKnown)
    metrics.attempts.observe(attempt.durationMs / 1000, [attempt.provider, label, attempt.code ?? 'ok'])
  }
  if (record.fallback) metrics.fallbacks.add(1, [route])
  countStream(record, [provider, model], metrics)
  if (call.served === undefined || record.usage === null) return
  metrics.tokens.add(promptTokens(record.usage), [provider, model, 'prompt'])
  metrics.tokens.add(record.usage.output, [provider, model, 'completion'])
  if (record.usageSource === 'provider') traffic.wrote(call.served.entry, record.usage.output, record.upstreamMs ?? 0)
  const cost = call.cost?.picodollars ?? null
  const lost = countLost(call, metrics, isKnown)
  if (cost !== null) metrics.costUsd.add(Number(cost - lost) / 1e12, [provider, model])
  else {
    metrics.unknownPrices.add(1, [provider, model])
    log.warn({ request: call.id, provider, model }, 'no price for this model in the registry: cost logged as null')
  }
  if (call.served.answer.warning !== null) {
    metrics.unknownStopReasons.add(1, [provider])
    log.warn({ request: call.id, provider, model }, call.served.answer.warning)
  }
}

/** The entry that another one was faster than; what it cost. */
function countLost({ lost }: Ended['call'], metrics: Deps['metrics'], isKnown: Deps['isKnown']): bigint {
  if (lost?.usage == null) return 0n
  const labels = [lost.entry.provider, modelLabel(lost.entry.provider, lost.entry.model, isKnown)] as const
  metrics.tokens.add(promptTokens(lost.usage), [...labels, 'prompt'])
  metrics.tokens.add(lost.usage.output, [...labels, 'completion'])
  const cost = lost.cost?.picodollars ?? 0n
  metrics.costUsd.add(Number(cost) / 1e12, labels)
  return cost
}

/** Labels are bounded: callers may send anything as a direct model id. */
function modelLabel(provider: string, model: string, isKnown: Deps['isKnown']): string {
  return isKnown(provider, model) ? model : 'other'
}
