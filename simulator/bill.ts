import { markerIn } from './call-log.ts'
import type { Usage } from './reply.ts'

/** What the provider would bill for one call, whatever became of its answer. */
export interface BilledCall extends Usage {
  at: number
  model: string
  /** As the call log has it: whose call it was. */
  marker: string | null
}

/**
 * The simulator's own bill: every answer that a model has produced, in full, noted before a byte of it is sent. A caller
 * who leaves, a cut or a timeout changes nothing of it: the strictest vendors bill so. Errors are not billed.
 */
export interface Bill {
  calls: BilledCall[]
  note(model: string, asked: string, usage: Usage): void
  clear(): void
}

/** A benchmark makes millions. */
const MOST_KEPT = 200_000

export function createBill(): Bill {
  const calls: BilledCall[] = []
  return {
    calls,
    note(model, asked, usage) {
      calls.push({ at: Date.now(), model, marker: markerIn(asked), ...usage })
      if (calls.length > MOST_KEPT) calls.splice(0, MOST_KEPT / 100)
    },
    clear() {
      calls.length = 0
    },
  }
}
