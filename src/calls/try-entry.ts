import type { WireBytes } from '../bodies/request-body.ts'
import type { Failure } from '../domain/failure.ts'
import { NO_USAGE, type TokenUsage } from '../domain/pricing/usage.ts'
import type { Provider } from '../domain/provider.ts'
import type { ChainEntry } from '../domain/route.ts'
import type { Translator } from '../providers/family.ts'
import type { Endpoint as UpstreamEndpoint } from '../upstream/exchange.ts'
import type { Candidate } from './chain/assess.ts'
import { type Correction, correctionOf } from './chain/correction.ts'
import { nextStep } from './chain/fallback.ts'
import type { Deps } from './deps.ts'
import { pause } from './pause.ts'
import { type Outcome, readOutcome, wordsOf } from './read-outcome.ts'
import { type Admitted, millisecondsInto, type ServedBy } from './stages.ts'

export type EntryOutcome =
  | { kind: 'served'; served: ServedBy }
  | { kind: 'failed'; failure: Failure; giveUp: boolean }
  | { kind: 'caller-left' }

/** Calls one entry, with retries where they may help, until it serves or the chain must move on. */
export async function tryEntry(candidate: Candidate, call: Admitted, deps: Deps): Promise<EntryOutcome> {
  const { entry, position, ignored } = candidate
  const { body } = call
  call.adjustments = candidate.adjustments
  // Written once: every retry at this entry sends the same request.
  const written = body.write(position)
  let bytes = written instanceof Promise ? await written : written
  let correction: Correction | null = null
  let isFirstUse = true
  for (let retriesUsed = 0; ; ) {
    const { outcome, durationMs, isFullyWritten } = await attempt(candidate, bytes, call, deps)
    if (outcome.kind === 'caller-left') return outcome
    const isFree = isFullyWritten && isFirstUse
    if (outcome.kind === 'answered') {
      if (isFree) body.discard(bytes)
      correction?.learn()
      const { answer } = outcome
      const usage = answer.usage ?? estimatedUsage(call)
      notePrice(usage.pricePercent, candidate, call, deps)
      const usageSource = answer.usage === null ? 'estimated' : 'provider'
      return {
        kind: 'served',
        served: { entry, position, answer, usage, usageSource, upstreamMs: durationMs, ignored },
      }
    }
    if (correction === null) {
      correction = await correctionOf(outcome.failure.refusedField, candidate, { bytes, isFree }, call, deps)
      if (correction !== null) {
        // Not a retry: it is a different request, sent only once.
        bytes = correction.bytes
        isFirstUse = true
        call.adjustments = correction.adjustments
        noteReason(call, correction.reason)
        continue
      }
    }
    const context = { retriesUsed, retriesAllowed: entry.retries, random: deps.random() }
    const step = nextStep(outcome.failure, context)
    retriesUsed += 1
    isFirstUse = false
    noteReason(call, step.reason)
    if (step.kind !== 'retry') {
      return { kind: 'failed', failure: outcome.failure, giveUp: step.kind === 'give-up' }
    }
    const began = performance.now()
    await pause(step.waitMs, call.presence)
    call.elsewhereMs += performance.now() - began
    if (call.presence.left) return { kind: 'caller-left' }
  }
}

/** One upstream call, its outcome, and its record. */
async function attempt(candidate: Candidate, bytes: WireBytes, call: Admitted, deps: Deps) {
  const { entry, family, provider } = candidate
  const began = performance.now()
  deps.circuits.started(entry)
  const raw = await deps.upstream.exchange(upstreamEndpoint(candidate, deps), {
    method: 'POST',
    body: bytes,
    timeoutMs: entry.timeoutMs,
    presence: call.presence,
  })
  const ended = performance.now()
  call.elsewhereMs += ended - began
  const startedAfterMs = millisecondsInto(call, began)
  const durationMs = millisecondsInto(call, ended) - startedAfterMs
  const read = readOutcome(raw, candidate, call, deps)
  const outcome = read instanceof Promise ? await read : read
  call.attempts.push({
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
    deps.log.error({ request: call.id, provider: provider.name }, `call refused: ${raw.detail}`)
  }
  remember(outcome, entry, call, deps)
  return { outcome, durationMs, isFullyWritten: raw.kind === 'reply' && raw.isFullyWritten }
}

/** What the process learns about the provider from an attempt. */
function remember(outcome: Outcome, entry: ChainEntry, call: Admitted, deps: Deps): void {
  switch (outcome.kind) {
    case 'answered':
      deps.circuits.succeeded(entry)
      deps.providerHealth.succeeded(entry)
      break
    case 'failed':
      deps.circuits.failed(entry, outcome.failure)
      deps.providerHealth.failed(entry, outcome.failure, call.id)
      break
    case 'caller-left':
      deps.circuits.abandoned(entry)
      break
  }
}

/** The provider reported no usage: the row says so. */
function estimatedUsage(call: Admitted): TokenUsage {
  noteReason(call, 'served, without a count of tokens: they are estimated from the length of the input')
  return { ...NO_USAGE, input: call.body.promptTokens.likely ?? 0 }
}

/** The cost is recorded as billed; later calls hold for an unexpected price. */
function notePrice(percent: number, { provider, expectedPercent, heldPercent }: Candidate, call: Admitted, deps: Deps) {
  if (percent > heldPercent)
    noteReason(call, `served, at ${percent} % of the list price: ${heldPercent} % were held for`)
  if (percent > expectedPercent) deps.pricePercents.learn(provider, percent, call.id)
}

function noteReason(call: Admitted, reason: string): void {
  const last = call.attempts.at(-1)
  if (last !== undefined) last.reason = reason
}

const endpoints = new WeakMap<Translator, WeakMap<Provider, UpstreamEndpoint>>()

/** Providers are immutable values of the snapshot: an address that does not name the model is worked out once. */
function upstreamEndpoint({ provider, translator, entry: { model } }: Candidate, deps: Deps): UpstreamEndpoint {
  if (translator.namesModel === true) return deps.upstream.endpoint(translator.target(provider, model))
  let known = endpoints.get(translator)
  if (known === undefined) {
    known = new WeakMap()
    endpoints.set(translator, known)
  }
  let endpoint = known.get(provider)
  if (endpoint === undefined) {
    endpoint = deps.upstream.endpoint(translator.target(provider, model))
    known.set(provider, endpoint)
  }
  return endpoint
}
