import type { ErrorCode, LoggedCode } from '../domain/errors.ts'
import { LOG_FIELDS, type LogFields } from '../domain/log/fields.ts'
import type { FieldKind } from '../domain/log/log-field.ts'
import type { AttemptPhase, UsageSource } from '../domain/log/stream-words.ts'
import type { Unconfirmed } from '../domain/pricing/unconfirmed.ts'
import type { TokenUsage } from '../domain/pricing/usage.ts'
import type { Adjustment } from '../domain/request/adjustment.ts'

/** One upstream call, or an entry that was skipped, in the order in which it happened. */
export interface AttemptRecord {
  kind: 'called' | 'skipped'
  provider: string
  model: string
  /** Milliseconds since the whole request had arrived. */
  startedAfterMs: number
  durationMs: number
  /** HTTP status of the provider; null when it gave none or was not called. */
  status: number | null
  /** `hedge_lost`: another entry that was asked beside it answered first. */
  code: ErrorCode | 'caller_left' | 'hedge_lost' | null
  /** The provider's id of the call, for its support. */
  upstreamRequestId: string | null
  /** Why the next step was taken, as a sentence. */
  reason: string
  /** The provider's own code of a failure. Left out where it named none. */
  providerCode?: string
  /** Where an attempt at a stream failed. Left out otherwise: most attempts serve. */
  phase?: AttemptPhase
  /** Of one that lost a hedge: what it cost, as a part of the row's cost, and who counted. Null: no price is known. */
  costPicodollars?: string | null
  usageSource?: UsageSource
  /** Of one that may be billed although it gave no count of tokens. */
  unconfirmed?: Unconfirmed
}

/** The type of each kind of field in a record. */
interface RecordTypes extends Record<FieldKind, unknown> {
  id: string
  text: string | null
  code: LoggedCode | null
  /** Unix milliseconds. */
  time: number
  end: number
  whole: number | null
  count: number
  microseconds: number
  flag: boolean
  /** Decimal digits of whole picodollars: JSON has no 64-bit integers. */
  money: string | null
  hold: string | null
  texts: string[]
  adjustments: Adjustment[]
  /** Null in a line of the version before. */
  tags: Record<string, string> | null
  figures: Record<string, string | number> | null
}

type RecordOf<From extends LogFields['from']> = {
  [Field in Extract<LogFields, { from: From }> as Field['name']]: RecordTypes[Field['kind']]
}

/** Written before the first dispatch: from here on the log has the call, even after a crash. */
export type OpenRecord = RecordOf<'open'>

/** Written before the caller sees the answer: the whole truth about the call. Never changed afterwards. */
export type CloseRecord = RecordOf<'open' | 'close'> & { usage: TokenUsage | null; attempts: AttemptRecord[] }

/**
 * Written before the first content of a stream is sent: from here on the call has an answer, so it is not free should
 * the process die. `usage` is what the provider has counted of the input; null: nothing yet. `costLeastPicodollars` is
 * what that costs.
 */
export type CommitRecord = Pick<
  CloseRecord,
  | 'id'
  | 'startedAt'
  | 'provider'
  | 'model'
  | 'fallback'
  | 'firstContentMs'
  | 'priceVersion'
  | 'costLeastPicodollars'
  | 'holdAdded'
> & { usage: TokenUsage | null }

const NOTHING: Partial<Record<FieldKind, unknown>> = {
  ...{ time: 0, end: 0, count: 0, microseconds: 0, flag: false },
  ...{ texts: [], adjustments: [] },
}

/** An empty record, to write the log without a call: demo, bench, tests. */
export const BLANK_RECORD = {
  ...Object.fromEntries(
    LOG_FIELDS.flatMap(({ name, kind, from }) =>
      from === 'open' || from === 'close' ? [[name, NOTHING[kind] ?? null]] : [],
    ),
  ),
  ...{ usage: null, attempts: [] },
} as unknown as Omit<CloseRecord, 'id' | 'workspace' | 'keyId'>
