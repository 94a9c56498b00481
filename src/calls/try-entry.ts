import type { WireBytes } from '../bodies/request-body.ts'
import type { Failure } from '../domain/failure.ts'
import type { AttemptPhase, UsageSource } from '../domain/log/stream-words.ts'
import { NO_USAGE } from '../domain/pricing/usage.ts'
import type { Provider } from '../domain/provider.ts'
import type { StreamUsage } from '../domain/request/stream.ts'
import type { ChainEntry } from '../domain/route.ts'
import type { Token } from '../providers/authorization.ts'
import type { Authorized, Unauthorized } from '../providers/authorize.ts'
import type { AttemptRecord } from '../request-log/record.ts'
import type { AttemptTrace } from '../telemetry/tracing.ts'
import type { Endpoint as UpstreamEndpoint } from '../upstream/exchange.ts'
import { stampOf } from './answer.ts'
import { failureOfBreakdown } from './breakdown.ts'
import type { Candidate } from './chain/assess.ts'
import { type Correction, correctionOf } from './chain/correction.ts'
import { nextStep } from './chain/fallback.ts'
import { inOtherFormat } from './chain/other-format.ts'
import type { Deps } from './deps.ts'
import { both } from './hedge/leg.ts'
import { inTime } from './in-time.ts'
import { noteReason } from './note-attempt.ts'
import { pause } from './pause.ts'
import { type Asked, type Outcome, readOutcome } from './read-outcome.ts'
import { type Admitted, millisecondsInto, type ServedBy, type StreamedAnswer } from './stages.ts'
import { askStream } from './stream/ask-stream.ts'
import type { LiveStream } from './stream/live-stream.ts'
import { countedUse, type Use } from './stream/stream-usage.ts'
import { isCovered, NOT_COVERED, noteUnconfirmed } from './unconfirmed.ts'
import { isUncounted, uncountedWhole } from './uncounted.ts'
import { upstreamEndpoint } from './upstream-endpoint.ts'
import { upstreamRequestId } from './upstream-request-id.ts'

export type EntryOutcome =
  | { kind: 'served'; served: ServedBy }
  | { kind: 'failed'; failure: Failure; giveUp: boolean }
  | LeftOutcome

/** Also for an entry that lost a hedge. `usage`: what a stream had counted so far. */
export interface LeftOutcome {
  kind: 'caller-left'
  usage?: StreamUsage | null
  /** The call that was in progress; none: between two of them. */
  attempt?: AttemptRecord
}

const NO_CORRECTIONS: readonly Correction[] = []

/** Calls one entry, with retries where they may help, until it serves or the chain must move on. */
export function tryEntry(candidate: Candidate, call: Admitted, deps: Deps): Promise<EntryOutcome> {
  return tryWith(candidate, null, call, deps)
}

/** `ready`: its body in another format than that of its first try. */
async function tryWith(
  candidate: Candidate,
  ready: WireBytes | null,
  call: Admitted,
  deps: Deps,
): Promise<EntryOutcome> {
  const { entry, position, ignored } = candidate
  const { body } = call
  call.adjustments = candidate.adjustments
  call.trying = candidate
  call.releaseEntry()
  call.releaseEntry = deps.traffic.enter(entry)
  // Written once: every retry at this entry sends the same request.
  const written = ready ?? body.write(position)
  let bytes = written instanceof Promise ? await written : written
  let corrections = NO_CORRECTIONS
  let isFirstUse = true
  let isRenewed = false
  for (let retriesUsed = 0; ; ) {
    const { outcome, record, isFullyWritten, wasAsked, hasNewToken } = await attempt(candidate, bytes, call, deps)
    if (outcome.kind === 'caller-left') return wasAsked ? { ...outcome, attempt: record } : outcome
    const isFree = isFullyWritten && isFirstUse
    if (outcome.kind !== 'failed') {
      if (isFree) body.discard(bytes)
      for (const correction of corrections) correction.learn()
      const answer = outcome.kind === 'streaming' ? streamed(outcome.stream, entry, call, deps) : outcome.answer
      const { usage, usageSource, bounds } = countsOf(answer, candidate, record, call, deps)
      const upstreamMs = record.durationMs
      const served = { entry, position, answer, usage, usageSource, bounds, upstreamMs, ignored, attempt: record }
      return { kind: 'served', served }
    }
    if (isLost(call)) {
      noteReason(record, `${outcome.failure.code}: another entry had answered`)
      return { kind: 'failed', failure: outcome.failure, giveUp: true }
    }
    const refused = { bytes, isFree }
    const other = ready === null ? await inOtherFormat(candidate, record.status, refused, call, deps) : null
    if (other !== null) {
      noteReason(record, other.reason)
      return tryWith(other.candidate, other.bytes, call, deps)
    }
    const correction = await correctionOf(outcome.failure.refusedField, candidate, refused, call, deps, corrections)
    if (correction !== null) {
      // Not a retry: it is a different request, sent only once.
      corrections = [...corrections, correction]
      bytes = correction.bytes
      isFirstUse = true
      call.adjustments = correction.adjustments
      noteReason(record, correction.reason)
      continue
    }
    const renews = hasNewToken && !isRenewed
    const context = { retriesUsed, retriesAllowed: entry.retries, hasNewToken: renews, random: deps.random() }
    const step = nextStep(outcome.failure, context)
    if (renews) isRenewed = true
    else retriesUsed += 1
    isFirstUse = false
    noteReason(record, step.reason)
    if (step.kind !== 'retry') {
      return { kind: 'failed', failure: outcome.failure, giveUp: step.kind === 'give-up' }
    }
    const began = performance.now()
    await pause(step.waitMs, both(call.presence, call.leg))
    call.externalMs += performance.now() - began
    if (call.presence.left || isLost(call)) return { kind: 'caller-left' }
    if (!(await isCovered(call, deps))) {
      noteReason(record, NOT_COVERED)
      return { kind: 'failed', failure: outcome.failure, giveUp: true }
    }
  }
}

/** Another entry was faster: nothing more is sent here. */
function isLost({ leg }: Admitted): boolean {
  return leg?.isLost === true
}

/** Of a stream it is known at its end. */
function countsOf(
  answer: ServedBy['answer'],
  candidate: Candidate,
  record: AttemptRecord,
  call: Admitted,
  deps: Deps,
): Use {
  if ('stream' in answer) return { usage: NO_USAGE, usageSource: 'estimated', bounds: null }
  const { usage, usageSource, orTokens } = answer
  const isKnown = usage?.uses == null || orTokens !== undefined || !isUncounted(usage, candidate, call)
  if (usage === null || !isKnown) {
    noteReason(record, 'served, without a count of tokens: they are estimated from the length of input and answer')
    return uncountedWhole(answer, candidate, call)
  }
  notePrice(usage.pricePercent, 'provider', candidate, record, call.id, deps)
  return countedUse(usage, usageSource, orTokens, candidate, call)
}

function streamed(stream: LiveStream, entry: ChainEntry, call: Admitted, deps: Deps): StreamedAnswer {
  const { endpoint, body } = call
  if (endpoint.stream === undefined) throw new Error(`${endpoint.path} has no streams`)
  return {
    stream,
    writer: endpoint.stream.open(body.request, stampOf(call, entry, deps)),
    contentType: endpoint.stream.typeOf?.(body.request, stream.contentType) ?? null,
    firstContentMs: millisecondsInto(call),
    ended: null,
    events: 0,
    finishReason: null,
    warning: null,
  }
}

/** One upstream call, its outcome, and its record. */
async function attempt(candidate: Candidate, bytes: WireBytes, call: Admitted, deps: Deps) {
  const { entry, family, provider } = candidate
  const began = performance.now()
  deps.circuits.started(entry)
  const trace = call.trace.attempt()
  const place = upstreamEndpoint(candidate, bytes, call, deps)
  const endpoint = place instanceof Promise ? await inTime(place, entry.timeoutMs, call.leg) : place
  const ask = call.delivery === null ? askWhole : askStream
  const wasAsked = !('kind' in endpoint)
  const { token = null } = endpoint as Partial<Authorized>
  const { raw, outcome, ended } = wasAsked
    ? await ask(traced(endpoint, trace, deps), candidate, bytes, call, deps)
    : unasked(endpoint)
  call.externalMs += ended - began
  const startedAfterMs = millisecondsInto(call, began)
  const durationMs = millisecondsInto(call, ended) - startedAfterMs
  const head = 'headers' in raw ? raw : null
  const record: AttemptRecord = {
    kind: 'called',
    provider: entry.provider,
    model: entry.model,
    startedAfterMs,
    durationMs,
    status: head?.status ?? null,
    code: outcome.kind === 'failed' ? outcome.failure.code : outcome.kind === 'caller-left' ? 'caller_left' : null,
    upstreamRequestId: head === null ? null : upstreamRequestId(head, family, provider),
    reason: outcome.kind === 'failed' ? '' : outcome.kind === 'caller-left' ? 'the caller left' : 'served',
  }
  if (outcome.kind === 'failed') {
    if (call.delivery !== null) record.phase = phaseOf(raw)
    if (outcome.failure.providerCode !== null) record.providerCode = outcome.failure.providerCode
  }
  if (wasAsked && (outcome.kind === 'failed' || outcome.kind === 'caller-left')) {
    noteUnconfirmed(record, { raw, outcome }, candidate, call, deps)
  }
  call.attempts.push(record)
  trace.made(record)
  if (raw.kind === 'refused-address') {
    deps.log.error({ request: call.id, provider: provider.name }, `call refused: ${raw.detail}`)
  }
  const hasNewToken = token !== null && outcome.kind === 'failed' && isReplaced(token, outcome.failure, provider, deps)
  remember(outcome, hasNewToken, candidate, call, deps)
  if (outcome.kind === 'answered' || outcome.kind === 'streaming') {
    deps.traffic.took(entry, outcome.kind === 'streaming', durationMs)
  }
  return { outcome, record, isFullyWritten: head?.isFullyWritten === true, wasAsked, hasNewToken }
}

/** After it was signed: a proxy on the way may change these fields. */
function traced(endpoint: UpstreamEndpoint, { context }: AttemptTrace, { upstream }: Deps): UpstreamEndpoint {
  return context === null ? endpoint : upstream.withTrace(endpoint, context)
}

/** Whether the provider has refused it and another will be sent. */
function isReplaced(token: Token, { code, retry }: Failure, provider: Provider, { tokens }: Deps): boolean {
  return code === 'provider_auth_error' && tokens.forget(provider, token) && retry === 'new-token'
}

/** Nothing could be sent. */
function unasked(raw: Unauthorized | { kind: 'caller-left' }): Asked {
  if (raw.kind === 'caller-left') return { raw, outcome: raw, ended: performance.now() }
  return { raw, outcome: { kind: 'failed', failure: failureOfBreakdown(raw) }, ended: performance.now() }
}

/** Where an attempt at a stream failed, if it failed before the first content. */
function phaseOf(raw: Asked['raw']): AttemptPhase {
  if ('headers' in raw) return raw.status >= 200 && raw.status <= 299 ? 'before_content' : 'headers'
  if (raw.kind === 'timeout') return raw.phase === 'connect' || raw.phase === 'token' ? 'connect' : 'headers'
  return raw.kind === 'broken' && raw.sent ? 'headers' : 'connect'
}

function askWhole(
  endpoint: UpstreamEndpoint,
  candidate: Candidate,
  bytes: WireBytes,
  call: Admitted,
  deps: Deps,
): Promise<Asked> {
  const presence = both(call.presence, call.leg)
  const options = { method: 'POST', body: bytes, timeoutMs: candidate.entry.timeoutMs, presence } as const
  return deps.upstream.exchange(endpoint, options).then((raw) => {
    const ended = performance.now()
    const outcome = readOutcome(raw, candidate, call, deps)
    return outcome instanceof Promise
      ? outcome.then((read) => ({ raw, outcome: read, ended }))
      : { raw, outcome, ended }
  })
}

/** What the process learns about the provider from an attempt. */
function remember(outcome: Outcome, hasNewToken: boolean, { entry }: Candidate, call: Admitted, deps: Deps): void {
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
      // Calls that are refused together for an old token say nothing of the provider.
      if (hasNewToken) deps.circuits.abandoned(entry)
      else deps.circuits.failed(entry, outcome.failure)
      deps.providerHealth.failed(entry, outcome.failure, call.id)
      break
    case 'caller-left':
      deps.circuits.abandoned(entry)
      break
  }
}

/** The cost is recorded as billed; later calls hold for an unexpected price. */
export function notePrice(
  percent: number,
  source: UsageSource,
  { provider, entry, expectedPercent, heldPercent }: Candidate,
  attempt: AttemptRecord,
  id: string,
  deps: Deps,
) {
  if (percent > heldPercent)
    noteReason(attempt, `served, at ${percent} % of the list price: ${heldPercent} % were held for`)
  // Of a prompt that is charged as held it is ours.
  if (source === 'prompt_held') return
  if (percent > expectedPercent) deps.pricePercents.learn(provider, percent, id)
  else if (heldPercent > expectedPercent && source === 'provider') deps.pricePercents.tell(provider, entry.model)
}
