import type { Transaction } from 'kysely'
import type { ExactInteger } from '../../store/engine/exact-integer.ts'
import { RowsStatement } from '../../store/engine/rows-statement.ts'
import type { Database } from '../../store/engine/schema.ts'
import type { FullRow } from '../row.ts'
import { addAmountStatement, CAP, DAY_MS } from '../usage/rollup.ts'

/** What makes a row unique. */
export const VALUE_KEY = ['workspace', 'kind', 'of_name', 'value', 'key_id', 'parent', 'day'] as const
const COLUMNS = [...VALUE_KEY, 'counted_picodollars']

/** By anything that is unique; `key`: the values of `VALUE_KEY`. */
export type ValueSums = Map<string, { key: (string | number)[]; sum: bigint }>

/**
 * Adds what requests have counted to the sums of the values that they name, by the day; `replaced` are taken out again.
 * A call that names nothing adds nothing.
 */
export function createValueAdditions() {
  const addSums = createValueSums()
  return async (db: Transaction<Database>, rows: readonly FullRow[], replaced: readonly FullRow[]): Promise<void> => {
    const sums: ValueSums = new Map()
    for (const row of rows) add(sums, row, 1n)
    for (const row of replaced) add(sums, row, -1n)
    await addSums(db, sums)
  }
}

/** Adds to the rows that there are, and makes the others. */
export function createValueSums() {
  const statement = new RowsStatement((size) => addAmountStatement('value_days', COLUMNS, size))
  return async (db: Transaction<Database>, sums: ValueSums): Promise<void> => {
    // Always in the same order: two nodes that add to the same values must not wait for each other in a circle.
    const ordered = [...sums].sort(([a], [b]) => (a < b ? -1 : 1))
    await statement.run(
      db,
      ordered.map(([, { key, sum }]) => [...key, sum > CAP ? CAP : sum]),
    )
  }
}

function add(sums: ValueSums, row: FullRow, sign: bigint): void {
  const { session, agent, end_user: user, project, tags } = row
  if (session === null && agent === null && user === null && project === null && tags === null) return
  const counted = exact(row.cost_picodollars) + exact(row.unconfirmed_counted_picodollars)
  if (counted === 0n) return
  const day = row.started_at - (row.started_at % DAY_MS)
  const count = (kind: string, of: string, value: string, parent = '') => {
    const key = [row.workspace, kind, of, value, row.key_id, parent, day]
    const name = key.join('\n')
    const known = sums.get(name)
    if (known === undefined) sums.set(name, { key, sum: sign * counted })
    else known.sum += sign * counted
  }
  if (session !== null) count('session', '', session)
  if (agent !== null) count('agent', session ?? '', agent, row.parent ?? '')
  if (user !== null) count('user', '', user)
  if (project !== null) count('project', '', project)
  if (tags === null) return
  for (const [name, value] of Object.entries(JSON.parse(tags) as Record<string, string>)) count('tag', name, value)
}

function exact(amount: ExactInteger | null): bigint {
  return amount === null ? 0n : BigInt(amount)
}
