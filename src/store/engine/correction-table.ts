import type { ExactInteger } from './exact-integer.ts'

/** What became of unconfirmed spend: an entry of its own, because rows never change. None is edited or deleted. */
export interface CorrectionsTable {
  id: string
  created_at: number
  actor: string
  reason: string
  kind: 'confirmed' | 'released'
  /** The call that it is about. */
  request_id: string | null
  workspace: string
  key_id: string
  provider: string | null
  model: string | null
  /** When that call began: its budgets' periods are those of this moment. */
  charged_at: number
  /** What the call has cost beyond its row: 0 where it was released. */
  picodollars: ExactInteger
  /** By how much more, or less, budgets count than the row says. */
  counted_picodollars: ExactInteger
  /** Where the figure comes from, such as a report; null: not stated. */
  source: string | null
}
