import type { Candidate } from '../chain/assess.ts'
import type { ChainCursor } from '../chain/chain-cursor.ts'
import type { Deps } from '../deps.ts'
import { noteLeft } from '../note-attempt.ts'
import type { Admitted } from '../stages.ts'
import { type EntryOutcome, type LeftOutcome, tryEntry } from '../try-entry.ts'
import { isCovered } from '../unconfirmed.ts'
import { Leg } from './leg.ts'
import { type Asking, lose, takeAttempts } from './lost.ts'

export interface HedgedOutcome {
  candidate: Candidate
  outcome: EntryOutcome
  /** The other one, where the caller left while two were asked. */
  other: { candidate: Candidate; outcome: LeftOutcome } | null
}

interface Running extends Asking {
  /** When it counts as late, by `performance.now()`. */
  lateAt: number
}

/**
 * Calls one entry and, when it is late, the next one beside it: never more than two at once. The first that has content
 * serves; the other is ended (lost.ts). One that fails makes room for a further one.
 */
export async function tryHedged(
  first: Candidate,
  cursor: ChainCursor,
  call: Admitted,
  deps: Deps,
): Promise<HedgedOutcome> {
  const began = performance.now()
  const running = [start(first, call, deps)]
  let gone: HedgedOutcome['other'] = null
  let gaveUp = false
  try {
    for (;;) {
      const ended = await firstOf(running, !gaveUp && gone === null)
      if (ended === 'late') {
        const next = call.presence.left || !(await isCovered(call, deps)) ? null : cursor.hedge()
        if (next !== null) running.push(start(next, call, deps))
        else for (const each of running) each.lateAt = Number.POSITIVE_INFINITY
        continue
      }
      const { asked, outcome } = ended
      const { candidate, part } = asked
      running.splice(running.indexOf(asked), 1)
      takeAttempts(part, call)
      const isLast = running.length === 0
      if (isLast || outcome.kind === 'served') {
        adopt(asked, call, began)
        const [late] = running.splice(0)
        if (late !== undefined) lose(late, asked, call, deps)
        if (outcome.kind === 'failed' && gone !== null) return { ...gone, other: null }
        const isOver = outcome.kind === 'failed' && gaveUp
        return { candidate, outcome: isOver ? { ...outcome, giveUp: true } : outcome, other: gone }
      }
      part.releaseEntry()
      if (outcome.kind === 'caller-left') gone = { candidate, outcome }
      else {
        cursor.failed(outcome.failure, candidate)
        gaveUp ||= outcome.giveUp
        noteLeft(call, candidate.entry)
      }
    }
  } finally {
    // Only where something threw.
    for (const { leg } of running) leg.cut()
    await Promise.allSettled(running.map(({ ended }) => ended))
    for (const { part } of running) takeAttempts(part, call)
  }
}

function start(candidate: Candidate, call: Admitted, deps: Deps): Running {
  const leg = new Leg()
  const part: Admitted = { ...call, leg, attempts: [], externalMs: 0 }
  // The place that was kept for the call is this entry's from now on.
  call.releaseEntry = () => {}
  call.trying ??= candidate
  const began = performance.now()
  const { hedgeAfterMs } = candidate.entry
  const lateAt = hedgeAfterMs === null ? Number.POSITIVE_INFINITY : began + hedgeAfterMs
  return { candidate, leg, part, began, lateAt, ended: tryEntry(candidate, part, deps) }
}

/** The next that ends, or that the only one is late. */
async function firstOf(running: readonly Running[], mayHedge: boolean) {
  const ends = running.map((asked) => asked.ended.then((outcome) => ({ asked, outcome })))
  const [only] = running
  if (!mayHedge || running.length !== 1 || only === undefined || only.lateAt === Number.POSITIVE_INFINITY) {
    return Promise.race(ends)
  }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), Math.max(0, only.lateAt - performance.now()))
  })
  try {
    return await Promise.race([...ends, late])
  } finally {
    clearTimeout(timer)
  }
}

/** What the call knows of the entry that decides it. */
function adopt({ part, began }: Running, call: Admitted, start: number): void {
  call.adjustments = part.adjustments
  call.trying = part.trying
  call.releaseEntry = part.releaseEntry
  call.externalMs += began - start + part.externalMs
}
