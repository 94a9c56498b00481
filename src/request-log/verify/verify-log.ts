import type { Kysely } from 'kysely'
import type { Database } from '../../store/engine/schema.ts'
import { nextLogPlace } from '../usage/hours.ts'
import type { LogDifference, LogPlace } from './log-difference.ts'
import { checkRows } from './verify-rows.ts'
import { compareSums } from './verify-sums.ts'

export interface LogCheck {
  rows: number
  /** Of them, those whose price version was deleted: their cost cannot be checked. */
  unpriced: number
  hours: number
  differences: LogDifference[]
  /** Null: the end. */
  next: LogPlace | null
}

/** The most reported at once: after a price was changed in the database, every row differs. */
const MOST_DIFFERENCES = 100

export interface CheckOptions {
  from: number | null
  /** Hours that begin before; missing: to the end. */
  to?: number
  after: LogPlace | null
  /** Enough for one answer. */
  isEnough(): boolean
}

/**
 * Recomputes what every closed call cost from its tokens and the price version it began with, and every hourly sum from
 * the rows, from the oldest hour on, a stretch at a time.
 */
export async function checkLog(db: Kysely<Database>, { from, to, after, isEnough }: CheckOptions): Promise<LogCheck> {
  const found: LogCheck = { rows: 0, unpriced: 0, hours: 0, differences: [], next: null }
  let place: LogPlace | null = after
  do {
    if (place === null || place.id === '') {
      const hour = await nextLogPlace(db, place, from, to)
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
