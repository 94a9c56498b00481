import { type TokenUsage, withOutput } from '../../domain/pricing/usage.ts'
import type { AttemptRecord } from '../../request-log/record.ts'
import type { Candidate } from '../chain/assess.ts'
import type { Deps } from '../deps.ts'
import { costOf } from '../price.ts'
import type { Admitted, ServedBy } from '../stages.ts'
import { type LiveStream, readToEnd } from '../stream/live-stream.ts'
import { mostOutputOf, type Use, usageOf } from '../stream/stream-usage.ts'
import type { EntryOutcome } from '../try-entry.ts'
import { confirmPart } from '../unconfirmed.ts'
import type { Leg } from './leg.ts'

/** An entry that is being asked. */
export interface Asking {
  /** By `performance.now()`. */
  began: number
  candidate: Candidate
  leg: Leg
  /** The call as this entry sees it: its attempts are its own. */
  part: Admitted
  ended: Promise<EntryOutcome>
}

/**
 * Another entry has answered first: this one is ended. Where its provider bills to the end anyway, a stream is read on
 * for its usage, as long and as often as for callers who leave, but never longer than the call lasts.
 */
export function lose(losing: Asking, winner: Asking, call: Admitted, deps: Deps): void {
  const { candidate, leg, part, ended } = losing
  const { provider, entry } = candidate
  const { settings } = deps.streams
  leg.isLost = true
  const isRead = call.delivery !== null && provider.onCallerLeft === 'drain' && deps.streams.beginDrain()
  const timer = isRead ? setTimeout(() => leg.cut(), settings.drainMs) : undefined
  if (isRead) deps.metrics.streamDrains.add(1, [provider.name])
  else leg.cut()
  const spent = ended
    .then((outcome) => spentBy(outcome, { candidate, isRead, call, deps }))
    .catch((error: unknown) => {
      deps.log.error({ request: call.id, err: error })
      return null
    })
    .finally(() => {
      clearTimeout(timer)
      if (isRead) deps.streams.endDrain()
      part.releaseEntry()
      for (const attempt of part.attempts) {
        if (attempt.code === 'caller_left') Object.assign(attempt, LOST)
      }
      takeAttempts(part, call, losing.began < winner.began)
    })
  call.lost = {
    entry,
    ...{ cost: null, usage: null },
    async end() {
      leg.cut()
      const use = await spent
      if (use !== null && call.lost?.usage === null) charge(call, candidate, use, deps)
    },
  }
}

/** Attempts of both, in the order in which they began, even within one millisecond. */
export function takeAttempts(part: Admitted, call: Admitted, beganFirst = false): void {
  if (beganFirst) call.attempts.unshift(...part.attempts)
  else call.attempts.push(...part.attempts)
  call.attempts.sort((a, b) => a.startedAfterMs - b.startedAfterMs)
}

const LOST = { code: 'hedge_lost', reason: 'another entry answered first' } as const

interface Spent extends Use {
  attempt: AttemptRecord
}

interface Losing {
  candidate: Candidate
  isRead: boolean
  call: Admitted
  deps: Deps
}

/** Null: nothing, because it failed or was not in progress. */
async function spentBy(outcome: EntryOutcome, losing: Losing): Promise<Spent | null> {
  const { candidate, call, deps } = losing
  switch (outcome.kind) {
    case 'failed':
      return null
    case 'caller-left': {
      const { attempt, usage = null } = outcome
      if (attempt === undefined) return null
      deps.traffic.took(candidate.entry, call.delivery !== null, attempt.durationMs)
      return { ...usageOf({ counted: usage, ...NOTHING }, candidate, call), attempt }
    }
    case 'served': {
      const { answer, usage, usageSource, bounds, attempt } = outcome.served
      if (!('stream' in answer)) return { usage, usageSource, bounds, attempt }
      return spentByStream(answer.stream, outcome.served, losing)
    }
  }
}

const NOTHING = { deltas: 0, bytes: 0, otherBytes: 0 }

async function spentByStream(stream: LiveStream, { attempt }: ServedBy, losing: Losing): Promise<Spent> {
  const { candidate, isRead, call, deps } = losing
  const { entry } = candidate
  const began = performance.now()
  const last = isRead ? await readToEnd(stream, deps.streams.settings) : null
  stream.close()
  attempt.durationMs += Math.round(performance.now() - began)
  if (last?.type === 'message-end') {
    deps.circuits.succeeded(entry)
    deps.providerHealth.succeeded(entry)
  } else if (last?.type === 'failed') {
    deps.circuits.failed(entry, last.failure)
    deps.providerHealth.failed(entry, last.failure, call.id)
  }
  const { deltas, bytes } = stream.received
  const arrived = { deltas, bytes: bytes + stream.reader.hiddenBytes, otherBytes: 0 }
  return { ...usageOf({ counted: stream.reader.usage, ...arrived }, candidate, call), attempt }
}

/** Its cost becomes a part of the call's. */
function charge(call: Admitted, candidate: Candidate, { attempt, ...use }: Spent, deps: Deps): void {
  const { entry, provider, expectedPercent } = candidate
  const likely = billedInFull(use, candidate, (call as Partial<{ served: ServedBy }>).served?.usage)
  const cost = costOf(likely, entry, call)
  Object.assign(call.lost ?? {}, { cost, usage: likely.usage })
  Object.assign(attempt, LOST)
  if (use.bounds !== null) attempt.reason = `${LOST.reason}: its cost is estimated`
  attempt.costPicodollars = cost.picodollars?.toString() ?? null
  attempt.usageSource = use.usageSource
  confirmPart(attempt, cost, use.usageSource === 'provider')
  if (use.usageSource !== 'prompt_held' && likely.usage.pricePercent > expectedPercent)
    deps.pricePercents.learn(provider, likely.usage.pricePercent, call.id)
}

/**
 * The provider bills abandoned calls in full, but its answer was not read to the end: assume it was as long as the
 * other.
 */
function billedInFull(use: Use, candidate: Candidate, answered: TokenUsage | undefined): Use {
  if (candidate.provider.onCallerLeft !== 'drain' || use.bounds === null || answered === undefined) return use
  const most = mostOutputOf(candidate) ?? Number.POSITIVE_INFINITY
  const output = Math.min(Math.max(use.usage.output, answered.output), most, use.bounds.most.output)
  return { ...use, usage: withOutput(use.usage, output) }
}

/** Both attempts were abandoned before an answer: charges what the second had counted so far. */
export function loseCounted(candidate: Candidate, attempt: AttemptRecord, use: Use, call: Admitted, deps: Deps): void {
  call.lost = { entry: candidate.entry, cost: null, usage: null, end: async () => {} }
  charge(call, candidate, { ...use, attempt }, deps)
  attempt.code = 'caller_left'
  attempt.reason = 'the caller left'
}
