import { asPicodollars } from '../domain/pricing/price.ts'
import { countedOf, type Unconfirmed } from '../domain/pricing/unconfirmed.ts'
import { NO_USAGE } from '../domain/pricing/usage.ts'
import type { HeldCall } from '../limits/admission.ts'
import { moneyOf } from '../limits/hold.ts'
import { hasHardBudget, payerOf } from '../limits/payer.ts'
import type { AttemptRecord } from '../request-log/record.ts'
import type { Candidate } from './chain/assess.ts'
import { termsAt } from './chain/chain-hold.ts'
import type { Deps } from './deps.ts'
import { costOfUsage } from './price.ts'
import type { Asked } from './read-outcome.ts'
import type { Admitted, Cost, Ended } from './stages.ts'
import { mostOutputOf } from './stream/stream-usage.ts'

/**
 * An attempt that reached the provider and has no count of tokens may still be billed: at most what was held for it.
 * Where nothing can have been billed, nothing is noted.
 */
export function noteUnconfirmed(
  record: AttemptRecord,
  { raw, outcome }: Pick<Asked, 'raw' | 'outcome'>,
  candidate: Candidate,
  call: Admitted,
  deps: Pick<Deps, 'traffic'>,
): void {
  if (call.endpoint.isFree === true || !mayBeBilled(raw, outcome, candidate)) return
  const most = moneyOf(termsAt(candidate, call.body.promptTokens, call.snapshot))
  if (most === null || most === 0n) return
  const isWorking = 'headers' in raw && raw.status <= 299
  const estimate =
    isWorking || candidate.provider.onCallerLeft === 'drain' ? estimateOf(record, candidate, call, deps) : 0n
  record.unconfirmed = { most: most.toString(), estimate: (estimate < most ? estimate : most).toString() }
  call.held.unconfirmed += countedOf(record.unconfirmed, call.opening.record.unconfirmedPolicy)
}

/** The provider's edge gave up waiting for work that it had begun. */
const GAVE_UP: ReadonlySet<number> = new Set([408, 504, 524])

/**
 * Whether the provider may charge for it, by what came back. An error that the provider answered itself is not billed by
 * any vendor known to us, so it only counts where the operator wants every doubt booked (`on_estimate: hold`).
 */
function mayBeBilled(raw: Asked['raw'], outcome: Asked['outcome'], { family, provider }: Candidate): boolean {
  if ('headers' in raw) {
    const { status } = raw
    const code = outcome.kind === 'failed' ? outcome.failure.providerCode : null
    const isDoubtful = status <= 299 || GAVE_UP.has(status) || (status >= 500 && provider.onEstimate === 'hold')
    return family.billsFailure?.(status, code) ?? isDoubtful
  }
  switch (raw.kind) {
    case 'timeout':
      return raw.phase !== 'connect' && raw.phase !== 'token'
    case 'broken':
      return raw.sent
    case 'caller-left':
    case 'too-large':
      return true
    default:
      return false
  }
}

/** The prompt, and what the model usually writes in that time. */
function estimateOf(
  { durationMs }: AttemptRecord,
  candidate: Candidate,
  { body, snapshot }: Admitted,
  { traffic }: Pick<Deps, 'traffic'>,
): bigint {
  const input = body.promptTokens.likely ?? Math.ceil((body.length ?? 0) / 4)
  const written = Math.round((traffic.tokensPerMs(candidate.entry) ?? 0) * durationMs)
  const output = Math.min(written, mostOutputOf(candidate) ?? written)
  return costOfUsage({ ...NO_USAGE, input, output }, candidate.entry, snapshot).picodollars ?? 0n
}

/** A part of it became a cost after all: what the provider had counted. */
export function confirmPart(record: AttemptRecord, { picodollars, most }: Cost, isCounted: boolean): void {
  const { unconfirmed } = record
  if (unconfirmed === undefined) return
  delete record.unconfirmed
  if (isCounted || most !== null || picodollars === null) return
  const rest = (of: string) => (BigInt(of) > picodollars ? BigInt(of) - picodollars : 0n).toString()
  record.unconfirmed = { most: rest(unconfirmed.most), estimate: rest(unconfirmed.estimate) }
}

/**
 * What providers may bill beyond the cost: for attempts without a count, for the end of a stream that was cut, and for an
 * answer whose cost is unknown. Null: nothing, as for nearly all calls. An answer that is complete and merely not counted
 * keeps its estimate.
 */
export function unconfirmedOf({ attempts, cost, served, lost, held }: Ended['call']): Unconfirmed | null {
  let most = 0n
  let estimate = 0n
  for (let place = 0; place < attempts.length; place++) {
    const unconfirmed = attempts[place]?.unconfirmed
    if (unconfirmed === undefined) continue
    most += BigInt(unconfirmed.most)
    estimate += BigInt(unconfirmed.estimate)
  }
  if (isCut(served, lost) && cost != null && cost.most !== null && cost.picodollars !== null) {
    most += cost.most > cost.picodollars ? asPicodollars(cost.most - cost.picodollars) : 0n
  }
  // An answer of which no price says what it costs, such as an image of another size: what was held for it covers it.
  if (served !== undefined && cost?.picodollars === null && held?.hold.picodollars != null) {
    most += held.hold.picodollars
    estimate += held.hold.picodollars
  }
  return most === 0n ? null : { most: most.toString(), estimate: estimate.toString() }
}

function isCut(served: Ended['call']['served'], lost: Ended['call']['lost']): boolean {
  if (lost?.cost != null && lost.cost.most !== null) return true
  return served !== undefined && 'stream' in served.answer && served.answer.ended !== 'finished'
}

export const NOT_COVERED =
  'no further attempt: the provider may bill this one, and the hard budget does not cover another beside it'

/**
 * Before a further attempt: what earlier ones may be billed is held besides, durably, because the hold covers only one
 * outcome of the call. False: a hard budget has no room for it.
 */
export async function isCovered(call: Admitted, deps: Deps): Promise<boolean> {
  const { id, startedAt, held, key, snapshot } = call
  const more = asPicodollars(held.unconfirmed - held.added)
  if (more <= 0n || !hasHardBudget(payerOf(key, snapshot))) return true
  if (!(await deps.ledger.extend(held, more))) return false
  await deps.requestLog.commit({ id, startedAt, ...NO_CONTENT, holdAdded: addedTo(held) })
  return true
}

/** Of a mark that says only how much is held. */
const NO_CONTENT = {
  ...{ provider: null, model: null, fallback: false, firstContentMs: null, priceVersion: null },
  ...{ costLeastPicodollars: null, usage: null },
} as const

/** What was held besides, as the log has it. */
export function addedTo(held: HeldCall | undefined): string | null {
  return held === undefined || held.added === 0n ? null : held.added.toString()
}
