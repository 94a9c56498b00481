import type { LogHour } from '../usage/hours.ts'

/** What the log holds and what it should hold, of a row or of the sum of a key's hour. */
export interface LogDifference {
  /** Null: a sum. */
  id: string | null
  workspace: string
  keyId: string
  /** Unix milliseconds: the start of the call, or of the hour. */
  at: number
  figure: 'cost' | 'unconfirmed' | 'prompt_tokens' | 'completion_tokens' | 'requests'
  /** Null: unknown, or not reported. */
  stored: bigint | null
  computed: bigint | null
}

/** How far it has come: the hour of a workspace, and within it the last row that was looked at. */
export interface LogPlace extends LogHour {
  startedAt: number
  id: string
}
