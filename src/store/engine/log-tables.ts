import type { LogFields } from '../../domain/log/fields.ts'
import type { FieldKind } from '../../domain/log/log-field.ts'
import type { DimensionColumn } from '../../domain/log/usage-dimensions.ts'
import type { ExactInteger } from './exact-integer.ts'

/** The type of each kind of log field in the request table: domain/log/fields.ts has the columns. */
interface RequestTypes extends Record<FieldKind, unknown> {
  id: string
  state: 'open' | 'closed'
  text: string | null
  code: string | null
  time: number
  end: number | null
  whole: number | null
  count: number
  microseconds: number
  flag: number
  /** Picodollars outgrow a double's 53 bits at 9,007 USD, so this one may be a bigint: read it with `BigInt()`. */
  money: ExactInteger | null
  hold: ExactInteger | null
  /** JSON. */
  texts: string
  attempts: string
  /** JSON; null when the request went out as it came. */
  adjustments: string | null
  /** JSON; null when there are none. */
  tags: string | null
  figures: string | null
}

export type RequestsTable = { [Field in LogFields as Field['column']]: RequestTypes[Field['kind']] }

/** Calls that one transaction closed; positions are in the order of commits, without gaps (request-log/feed). */
export interface FeedTable {
  position: number
  /** Unix milliseconds: the earliest and the latest start among them. */
  first_start: number
  last_start: number
  /** One a line. */
  ids: string
}

/** How far the spool of each node has been folded into this database. */
export interface SpoolPositionsTable {
  node: string
  /** Everything up to here is in the log. */
  seq: number
  /** Up to here everything but beginnings of calls that may still run. */
  ends_seq: number
  /** Of the folder that may deliver as this node, in the row of its own spool; null: any (request-log/incarnation.ts). */
  incarnation: string | null
}

/** Spool rows that could not be read: kept for a person to look at, so that one of them never stops the others. */
export interface SpoolRejectsTable {
  node: string
  seq: number
  kind: string
  payload: string
  error: string
}

/**
 * Sums of closed requests by the hour (UTC) in which they started, updated by the fold in the transaction that closes
 * them, so they equal the sum of the rows. They outlive the rows. Null is stored as an empty text.
 */
export interface UsageHoursTable extends UsageSumsColumns {
  /** Unix milliseconds of the hour's beginning. */
  hour: number
}

/** The same by the day (UTC), of the hours up to `usage_days_until` in the settings. */
export interface UsageDaysTable extends UsageSumsColumns {
  day: number
}

/** What a value that calls name has counted on a day (UTC), by the key; added to by the fold like the hours. */
export interface ValueDaysTable {
  workspace: string
  /** session, agent, user, project or tag. */
  kind: string
  /** The session of an agent, the name of a tag; otherwise empty. */
  of_name: string
  value: string
  key_id: string
  /** Of an agent what its calls name as the one that started it; otherwise empty. */
  parent: string
  day: number
  /** Cost, and what of it is unconfirmed and counts. */
  counted_picodollars: ExactInteger
}

/** What calls used beside tokens, by the hour and the day (UTC) and the dimensions of the sums; added to by the fold. */
export interface UsageUnitsTable extends Record<DimensionColumn, string> {
  workspace: string
  step: 'hour' | 'day'
  start: number
  /** A name in the uses of calls. */
  unit: string
  quantity: ExactInteger
}

/** Figures of a past hour's calls and attempts (request-log/performance/keep-hours.ts). */
export interface PerformanceHoursTable {
  workspace: string
  hour: number
  kind: 'calls' | 'attempts'
  /** Of the hourly sums when it was read from the rows. */
  state: string
  /** JSON. */
  parts: string
}

/** The dimensions of domain/log/usage-dimensions.ts, and the figures of request-log/usage/rollup.ts. */
interface UsageSumsColumns extends BucketColumns, Record<DimensionColumn, string> {
  workspace: string
  requests: number
  errors: number
  fallbacks: number
  /** Answered calls whose price is unknown. */
  unpriced: number
  cache_hits: number
  prompt_tokens: ExactInteger
  completion_tokens: ExactInteger
  cached_tokens: ExactInteger
  cache_write_tokens: ExactInteger
  reasoning_tokens: ExactInteger
  cost_picodollars: ExactInteger
  saved_picodollars: ExactInteger
  unconfirmed_estimate_picodollars: ExactInteger
  unconfirmed_most_picodollars: ExactInteger
  unconfirmed_counted_picodollars: ExactInteger
  resale_picodollars: ExactInteger
  prompt_cache_saved_picodollars: ExactInteger
  upstream_ms: ExactInteger
  gateway_microseconds: ExactInteger
}

/** Calls by duration of the attempt that served, and by time in the gateway; usage/latency.ts has the bounds. */
export type BucketColumns = { [Column in `${'latency' | 'gateway'}_${number}`]: number }
