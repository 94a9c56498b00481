import type { ExactInteger } from './exact-integer.ts'

/** What became of unconfirmed spend: an entry of its own, because rows never change. None is edited or deleted. */
export interface CorrectionsTable {
  id: string
  created_at: number
  actor: string
  reason: string
  /** Withdrawn: it takes another one back, because its call turned out to have ended otherwise. */
  kind: 'confirmed' | 'released' | 'withdrawn'
  /** The call that it is about; null: it takes another one back. */
  request_id: string | null
  workspace: string
  key_id: string
  provider: string | null
  model: string | null
  /** When that call began: its budgets' periods are those of this moment. */
  charged_at: number
  /** What the call has cost beyond its row: 0 where it was released; negative where that is taken back. */
  picodollars: ExactInteger
  /** By how much more, or less, budgets count than the row says. */
  counted_picodollars: ExactInteger
  /** Where the figure comes from, such as a report; null: not stated. */
  source: string | null
}
