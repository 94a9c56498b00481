import { freeBytes, LARGE_BYTES, LargeRequest } from '../bodies/large-bodies.ts'
import type { ChatRequest } from '../domain/chat.ts'
import type { Failure } from '../domain/failure.ts'
import type { Provider } from '../domain/provider.ts'
import type { ChainEntry } from '../domain/route.ts'
import type { Family } from '../providers/family.ts'
import { wireBody } from '../providers/wire-body.ts'
import type { CallOptions, Endpoint } from '../upstream/exchange.ts'
import type { Candidate } from './chain/candidate.ts'
import { type Correction, correctionOf } from './chain/correction.ts'
import { nextStep } from './chain/fallback.ts'
import type { Deps } from './deps.ts'
import { pause } from './pause.ts'
import { readLargeOutcome } from './read-large-outcome.ts'
import { type Outcome, readOutcome, wordsOf } from './read-outcome.ts'
import { type Life, millisecondsInto, type Served } from './stages.ts'

export type EntryOutcome =
  | { kind: 'served'; served: Served }
  | { kind: 'failed'; failure: Failure; giveUp: boolean }
  | { kind: 'caller-left' }

/** Calls one entry, again where that may help, until it serves or the chain must go on. */
export async function tryEntry(
  candidate: Candidate,
  request: ChatRequest,
  life: Life,
  deps: Deps,
): Promise<EntryOutcome> {
  const { entry, position, ignored } = candidate
  life.adjustments = candidate.adjustments
  // Written once: every retry at this entry sends the same, untouched request.
  const { source } = life
  let body: CallOptions['body'] =
    source instanceof LargeRequest ? await source.write(position) : wireBody(candidate.wire, request, source)
  let correction: Correction | null = null
  let isFirstUse = true
  for (let retriesUsed = 0; ; ) {
    const { outcome, durationMs, isFullyWritten } = await attempt(candidate, body, request, life, deps)
    if (outcome.kind === 'caller-left') return outcome
    if (outcome.kind === 'answered') {
      if (isFullyWritten && isFirstUse && source instanceof LargeRequest) freeBytes(body)
      correction?.learn()
      notePrice(outcome.answer.usage.pricePercent, candidate, life, deps)
      const served = { entry, position, answer: outcome.answer, upstreamMs: durationMs, ignored }
      return { kind: 'served', served }
    }
    if (correction === null) {
      const sent = { body, isFullyWritten: isFullyWritten && isFirstUse }
      correction = await correctionOf(outcome.failure.refusedField, candidate, sent, { request, life, deps })
      if (correction !== null) {
        // No retry: it is another request, and only once.
        body = correction.body
        isFirstUse = true
        life.adjustments = correction.adjustments
        noteReason(life, correction.reason)
        continue
      }
    }
    const context = { retriesUsed, retriesAllowed: entry.retries, random: deps.random() }
    const step = nextStep(outcome.failure, context)
    retriesUsed += 1
    isFirstUse = false
    noteReason(life, step.reason)
    if (step.kind !== 'retry') {
      return { kind: 'failed', failure: outcome.failure, giveUp: step.kind === 'give-up' }
    }
    const began = performance.now()
    await pause(step.waitMs, life.presence)
    life.elsewhereMs += performance.now() - began
    if (life.presence.left) return { kind: 'caller-left' }
  }
}

/** One upstream call, its meaning, and the record of it. */
async function attempt(candidate: Candidate, body: CallOptions['body'], request: ChatRequest, life: Life, deps: Deps) {
  const { entry, family, provider } = candidate
  const began = performance.now()
  deps.circuits.started(entry)
  const raw = await deps.upstream.exchange(chatEndpoint(provider, family, deps), {
    method: 'POST',
    body,
    timeoutMs: entry.timeoutMs,
    presence: life.presence,
  })
  const ended = performance.now()
  life.elsewhereMs += ended - began
  const startedAfterMs = millisecondsInto(life, began)
  const durationMs = millisecondsInto(life, ended) - startedAfterMs
  const reader = { provider, family, request, now: deps.now() }
  const isLarge = raw.kind === 'reply' && raw.bytes >= LARGE_BYTES
  const outcome = isLarge ? await readLargeOutcome(raw, reader, life, deps) : readOutcome(raw, reader)
  life.attempts.push({
    kind: 'called',
    provider: entry.provider,
    model: entry.model,
    startedAfterMs,
    durationMs,
    status: raw.kind === 'reply' ? raw.status : null,
    code: outcome.kind === 'failed' ? outcome.failure.code : outcome.kind === 'caller-left' ? 'caller_left' : null,
    upstreamRequestId: raw.kind === 'reply' ? wordsOf(raw, family.requestIdHeader, provider) : null,
    reason: outcome.kind === 'answered' ? 'served' : outcome.kind === 'caller-left' ? 'the caller left' : '',
  })
  if (raw.kind === 'refused-address') {
    deps.log.error({ request: life.id, provider: provider.name }, `call refused: ${raw.detail}`)
  }
  remember(outcome, entry, life, deps)
  return { outcome, durationMs, isFullyWritten: raw.kind === 'reply' && raw.isFullyWritten }
}

/** What the process learns from an attempt about the provider. */
function remember(outcome: Outcome, entry: ChainEntry, life: Life, deps: Deps): void {
  switch (outcome.kind) {
    case 'answered':
      deps.circuits.succeeded(entry)
      deps.providerHealth.succeeded(entry)
      break
    case 'failed':
      deps.circuits.failed(entry, outcome.failure)
      deps.providerHealth.failed(entry, outcome.failure, life.id)
      break
    case 'caller-left':
      deps.circuits.abandoned(entry)
      break
  }
}

/** The cost is recorded as it is; what nobody expected is held for from now on. */
function notePrice(
  percent: number,
  { provider, expectedPercent, heldPercent }: Candidate,
  life: Life,
  deps: Deps,
): void {
  if (percent > heldPercent)
    noteReason(life, `served, at ${percent} % of the list price: ${heldPercent} % were held for`)
  if (percent > expectedPercent) deps.pricePercents.learn(provider, percent, life.id)
}

function noteReason(life: Life, reason: string): void {
  const last = life.attempts.at(-1)
  if (last !== undefined) last.reason = reason
}

const endpoints = new WeakMap<Provider, Endpoint>()

/** Providers are immutable values of the snapshot, so where one is reached is worked out once. */
function chatEndpoint(provider: Provider, family: Family, deps: Deps): Endpoint {
  let endpoint = endpoints.get(provider)
  if (endpoint === undefined) {
    endpoint = deps.upstream.endpoint(family.chatTarget(provider))
    endpoints.set(provider, endpoint)
  }
  return endpoint
}
