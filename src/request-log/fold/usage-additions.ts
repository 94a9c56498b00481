import type { Transaction } from 'kysely'
import { USAGE_DIMENSIONS } from '../../domain/log/usage-dimensions.ts'
import type { ExactInteger } from '../../store/engine/exact-integer.ts'
import { RowsStatement } from '../../store/engine/rows-statement.ts'
import type { Database } from '../../store/engine/schema.ts'
import type { FullRow } from '../row.ts'
import {
  AMOUNTS,
  addSumsStatement,
  CAP,
  COUNTS,
  DAY_MS,
  eachAmount,
  eachCount,
  HOUR_MS,
  readDaysUntil,
} from '../usage/rollup.ts'
import { createUnitAdditions } from '../usage/unit-additions.ts'
import { createValueAdditions } from '../values/value-days.ts'

/** What some requests add to one row of the sums. Counts and amounts are in the order of rollup.ts. */
interface Addition {
  dimensions: readonly (string | number)[]
  counts: number[]
  amounts: ExactInteger[]
}

export interface UsageAdditions {
  /**
   * Adds closed requests to the sums, by the figures in hand: reading them back would cost as much as writing them.
   * `replaced` are taken out again. Called after the requests are written, once in a transaction: all who write the log
   * lock first its rows, then the hours, then the days, and never wait for each other in a circle.
   */
  add(db: Transaction<Database>, rows: readonly FullRow[], replaced?: readonly FullRow[]): Promise<void>
}

export function createUsageAdditions(): UsageAdditions {
  const toHours = new RowsStatement((size) => addSumsStatement('usage_hours', size))
  const toDays = new RowsStatement((size) => addSumsStatement('usage_days', size))
  const toValues = createValueAdditions()
  const toUnits = createUnitAdditions()
  return {
    async add(db, rows, replaced = []) {
      if (rows.length === 0) return
      await toHours.run(db, sumUp(rows, replaced, HOUR_MS).map(valuesOf))
      // After the hours, never before: see usage/days.ts.
      const until = await readDaysUntil(db)
      const isLate = (row: FullRow) => row.started_at < until
      await toDays.run(db, sumUp(rows.filter(isLate), replaced.filter(isLate), DAY_MS).map(valuesOf))
      await toValues(db, rows, replaced)
      await toUnits(db, rows, replaced)
    },
  }
}

function valuesOf({ dimensions, counts, amounts }: Addition): unknown[] {
  return [...dimensions, ...counts, ...amounts.map(capped)]
}

/**
 * One for each hour or day and its dimensions, always in the same order: two nodes that add to the same hours must not
 * wait for each other in a circle.
 */
function sumUp(rows: readonly FullRow[], replaced: readonly FullRow[], width: number): Addition[] {
  const starts = new Map<number, Map<string, Addition>>()
  const count = (row: FullRow, sign: 1 | -1) => {
    const start = row.started_at - (row.started_at % width)
    const additions = starts.get(start) ?? new Map<string, Addition>()
    if (additions.size === 0) starts.set(start, additions)
    const values = USAGE_DIMENSIONS.map(({ column }) => row[column] ?? '')
    // Texts of the log have no NUL in them.
    const name = `${row.workspace}\0${values.join('\0')}`
    const known = additions.get(name)
    const addition = known ?? nothing([row.workspace, start, ...values])
    if (known === undefined) additions.set(name, addition)
    eachCount(row, (place) => {
      addition.counts[place] = (addition.counts[place] ?? 0) + sign
    })
    eachAmount(row, (place, amount) => raise(addition.amounts, place, amount, sign))
  }
  for (const row of rows) count(row, 1)
  for (const row of replaced) count(row, -1)
  return [...starts]
    .sort(([a], [b]) => a - b)
    .flatMap(([, additions]) => [...additions].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, addition]) => addition))
}

const NO_COUNTS = Object.keys(COUNTS).map(() => 0)
const NO_AMOUNTS: ExactInteger[] = Object.keys(AMOUNTS).map(() => 0)

function nothing(dimensions: readonly (string | number)[]): Addition {
  return { dimensions, counts: [...NO_COUNTS], amounts: [...NO_AMOUNTS] }
}

/** Exact at any size: as numbers while they can be, which is a tenth of the cost. */
function raise(amounts: ExactInteger[], place: number, by: ExactInteger, sign: 1 | -1): void {
  if (by === 0) return
  const present = amounts[place] ?? 0
  if (typeof present === 'number' && typeof by === 'number' && Number.isSafeInteger(present + sign * by)) {
    amounts[place] = present + sign * by
    return
  }
  amounts[place] = BigInt(present) + BigInt(sign) * BigInt(by)
}

function capped(amount: ExactInteger): ExactInteger {
  return amount > CAP ? CAP : amount
}
