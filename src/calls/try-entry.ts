import type { WireBytes } from '../bodies/request-body.ts'
import type { Failure } from '../domain/failure.ts'
import type { AttemptPhase } from '../domain/log/stream-words.ts'
import { NO_USAGE, type TokenUsage } from '../domain/pricing/usage.ts'
import type { StreamUsage } from '../domain/request/stream.ts'
import type { Unauthorized } from '../providers/authorize.ts'
import type { Endpoint as UpstreamEndpoint } from '../upstream/exchange.ts'
import { stampOf } from './answer.ts'
import { failureOfBreakdown } from './breakdown.ts'
import type { Candidate } from './chain/assess.ts'
import { type Correction, correctionOf } from './chain/correction.ts'
import { nextStep } from './chain/fallback.ts'
import type { Deps } from './deps.ts'
import { noteReason } from './note-attempt.ts'
import { pause } from './pause.ts'
import { type Asked, type Outcome, readOutcome, wordsOf } from './read-outcome.ts'
import { type Admitted, millisecondsInto, type ServedBy, type StreamedAnswer } from './stages.ts'
import { askStream } from './stream/ask-stream.ts'
import type { LiveStream } from './stream/live-stream.ts'
import { upstreamEndpoint } from './upstream-endpoint.ts'

export type EntryOutcome =
  | { kind: 'served'; served: ServedBy }
  | { kind: 'failed'; failure: Failure; giveUp: boolean }
  | LeftOutcome

/** `usage`: what a stream had counted by then. */
export interface LeftOutcome {
  kind: 'caller-left'
  usage?: StreamUsage | null
  durationMs?: number
}

/** Calls one entry, with retries where they may help, until it serves or the chain must move on. */
export async function tryEntry(candidate: Candidate, call: Admitted, deps: Deps): Promise<EntryOutcome> {
  const { entry, position, ignored } = candidate
  const { body } = call
  call.adjustments = candidate.adjustments
  call.trying = candidate
  call.leaveEntry()
  call.leaveEntry = deps.traffic.enter(entry)
  // Written once: every retry at this entry sends the same request.
  const written = body.write(position)
  let bytes = written instanceof Promise ? await written : written
  let correction: Correction | null = null
  let isFirstUse = true
  for (let retriesUsed = 0; ; ) {
    const { outcome, durationMs, isFullyWritten } = await attempt(candidate, bytes, call, deps)
    if (outcome.kind === 'caller-left') return { ...outcome, durationMs }
    const isFree = isFullyWritten && isFirstUse
    if (outcome.kind !== 'failed') {
      if (isFree) body.discard(bytes)
      correction?.learn()
      const by = { entry, position, upstreamMs: durationMs, ignored }
      if (outcome.kind === 'streaming') return { kind: 'served', served: streamed(outcome.stream, by, call, deps) }
      const { answer } = outcome
      const usage = answer.usage ?? estimatedUsage(call)
      notePrice(usage.pricePercent, candidate, call, deps)
      const usageSource = answer.usage === null ? 'estimated' : 'provider'
      const bounds = answer.usage === null ? promptBounds(call) : null
      return { kind: 'served', served: { ...by, answer, usage, usageSource, bounds } }
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

/** Its usage is known at its end. */
function streamed(
  stream: LiveStream,
  by: Omit<ServedBy, 'answer' | 'usage' | 'usageSource' | 'bounds'>,
  call: Admitted,
  deps: Deps,
): ServedBy {
  const { endpoint, body } = call
  if (endpoint.stream === undefined) throw new Error(`${endpoint.path} has no streams`)
  const answer: StreamedAnswer = {
    stream,
    writer: endpoint.stream.open(body.request, stampOf(call, by.entry, deps)),
    firstContentMs: millisecondsInto(call),
    ended: null,
    events: 0,
    finishReason: null,
    warning: null,
  }
  return { ...by, answer, usage: NO_USAGE, usageSource: 'estimated', bounds: null }
}

/** One upstream call, its outcome, and its record. */
async function attempt(candidate: Candidate, bytes: WireBytes, call: Admitted, deps: Deps) {
  const { entry, family, provider } = candidate
  const began = performance.now()
  deps.circuits.started(entry)
  const place = upstreamEndpoint(candidate, bytes, call, deps)
  const endpoint = place instanceof Promise ? await place : place
  const ask = call.delivery === null ? askWhole : askStream
  const { raw, outcome, ended } =
    'kind' in endpoint ? unasked(endpoint) : await ask(endpoint, candidate, bytes, call, deps)
  call.elsewhereMs += ended - began
  const startedAfterMs = millisecondsInto(call, began)
  const durationMs = millisecondsInto(call, ended) - startedAfterMs
  const head = 'headers' in raw ? raw : null
  call.attempts.push({
    kind: 'called',
    provider: entry.provider,
    model: entry.model,
    startedAfterMs,
    durationMs,
    status: head?.status ?? null,
    code: outcome.kind === 'failed' ? outcome.failure.code : outcome.kind === 'caller-left' ? 'caller_left' : null,
    upstreamRequestId: head === null ? null : wordsOf(head, family.requestIdHeader, provider),
    reason: outcome.kind === 'failed' ? '' : outcome.kind === 'caller-left' ? 'the caller left' : 'served',
    ...(call.delivery !== null && outcome.kind === 'failed' ? { phase: phaseOf(raw) } : {}),
  })
  if (raw.kind === 'refused-address') {
    deps.log.error({ request: call.id, provider: provider.name }, `call refused: ${raw.detail}`)
  }
  remember(outcome, candidate, call, deps)
  if (outcome.kind === 'answered' || outcome.kind === 'streaming') {
    deps.traffic.took(entry, outcome.kind === 'streaming', durationMs)
  }
  return { outcome, durationMs, isFullyWritten: head?.isFullyWritten === true }
}

/** Nothing could be sent. */
function unasked(raw: Unauthorized): Asked {
  return { raw, outcome: { kind: 'failed', failure: failureOfBreakdown(raw) }, ended: performance.now() }
}

/** Where an attempt at a stream failed, if it failed before the first content. */
function phaseOf(raw: Asked['raw']): AttemptPhase {
  if ('headers' in raw) return raw.status >= 200 && raw.status <= 299 ? 'before_content' : 'headers'
  if (raw.kind === 'timeout') return raw.phase === 'connect' ? 'connect' : 'headers'
  return raw.kind === 'broken' && raw.sent ? 'headers' : 'connect'
}

async function askWhole(
  endpoint: UpstreamEndpoint,
  candidate: Candidate,
  bytes: WireBytes,
  call: Admitted,
  deps: Deps,
): Promise<Asked> {
  const { timeoutMs } = candidate.entry
  const raw = await deps.upstream.exchange(endpoint, {
    method: 'POST',
    body: bytes,
    timeoutMs,
    presence: call.presence,
  })
  const ended = performance.now()
  const read = readOutcome(raw, candidate, call, deps)
  return { raw, outcome: read instanceof Promise ? await read : read, ended }
}

/** What the process learns about the provider from an attempt. */
function remember(outcome: Outcome, { entry, provider }: Candidate, call: Admitted, deps: Deps): void {
  switch (outcome.kind) {
    case 'answered':
      deps.circuits.succeeded(entry)
      deps.providerHealth.succeeded(entry)
      break
    case 'streaming':
      // Whether it succeeds is known at its end (deliver.ts); others need not wait for that to try.
      deps.circuits.abandoned(entry)
      break
    case 'failed':
      deps.circuits.failed(entry, outcome.failure)
      if (outcome.failure.code === 'provider_auth_error') deps.tokens.forget(provider)
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

/** Of a call whose provider counted nothing. */
function promptBounds({ body: { promptTokens } }: Admitted): ServedBy['bounds'] {
  return { least: NO_USAGE, most: { ...NO_USAGE, input: promptTokens.most ?? promptTokens.likely ?? 0 } }
}

/** The cost is recorded as billed; later calls hold for an unexpected price. */
export function notePrice(
  percent: number,
  { provider, expectedPercent, heldPercent }: Candidate,
  call: Admitted,
  deps: Deps,
) {
  if (percent > heldPercent)
    noteReason(call, `served, at ${percent} % of the list price: ${heldPercent} % were held for`)
  if (percent > expectedPercent) deps.pricePercents.learn(provider, percent, call.id)
}
