import type { Kysely } from 'kysely'
import type { Database } from '../../store/engine/schema.ts'
import { type LogHour, nextLogPlace } from '../usage/hours.ts'
import { checkRows } from './verify-rows.ts'
import { compareSums } from './verify-sums.ts'

/** What the log holds and what it should hold, of a row or of the sum of a key's hour. */
export interface LogDifference {
  /** Null: a sum. */
  id: string | null
  workspace: string
  keyId: string
  /** Unix milliseconds: the start of the call, or of the hour. */
  at: number
  figure: 'cost' | 'prompt_tokens' | 'completion_tokens' | 'requests'
  /** Null: unknown, or not told. */
  stored: bigint | null
  computed: bigint | null
}

/** How far it has come: the hour of a workspace, and within it the last row that was looked at. */
export interface LogPlace extends LogHour {
  startedAt: number
  id: string
}

export interface LogCheck {
  rows: number
  /** Of them, those whose price version is not there any more: nobody can say what they cost. */
  unpriced: number
  hours: number
  differences: LogDifference[]
  /** Null: the end. */
  next: LogPlace | null
}

/** More are not told at once: where a price was changed behind our back, every row differs. */
const MOST_DIFFERENCES = 100

export interface CheckOptions {
  from: number | null
  after: LogPlace | null
  /** Enough for one answer. */
  isEnough(): boolean
}

/**
 * Recomputes what every closed call cost from its tokens and the price version it began with, and every hourly sum from
 * the rows, from the oldest hour on, a stretch at a time.
 */
export async function checkLog(db: Kysely<Database>, { from, after, isEnough }: CheckOptions): Promise<LogCheck> {
  const found: LogCheck = { rows: 0, unpriced: 0, hours: 0, differences: [], next: null }
  let place: LogPlace | null = after
  do {
    if (place === null || place.id === '') {
      const hour = await nextLogPlace(db, place, from)
      if (hour === null) return { ...found, next: null }
      const differences = await compareSums(db, hour)
      found.differences.push(...(differences ?? []))
      if (differences !== null) found.hours++
      place = { ...hour, startedAt: hour.hour, id: '' }
    }
    const stretch = await checkRows(db, place)
    found.rows += stretch.rows
    found.unpriced += stretch.unpriced
    found.differences.push(...stretch.differences)
    // An empty id: the hour is done.
    place = { ...place, ...(stretch.last ?? { startedAt: place.startedAt, id: '' }) }
  } while (!isEnough() && found.differences.length < MOST_DIFFERENCES)
  return { ...found, next: place }
}
