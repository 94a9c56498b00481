import type { Transaction } from 'kysely'
import { USAGE_DIMENSIONS } from '../../domain/log/usage-dimensions.ts'
import type { Uses } from '../../domain/pricing/usage.ts'
import { RowsStatement } from '../../store/engine/rows-statement.ts'
import type { Database } from '../../store/engine/schema.ts'
import type { FullRow } from '../row.ts'
import { addAmountStatement, CAP, DAY_MS, HOUR_MS } from './rollup.ts'

const COLUMNS = USAGE_DIMENSIONS.map(({ column }) => column)
const ALL_COLUMNS = ['workspace', 'step', 'start', ...COLUMNS, 'unit', 'quantity']
const STEPS = { day: DAY_MS, hour: HOUR_MS }

type Sums = Map<string, { key: (string | number)[]; quantity: bigint }>

/**
 * Adds what closed requests used beside tokens to its sums; `replaced` are taken out again. A call without any adds
 * nothing. Days are written with their hours: there are few of them.
 */
export function createUnitAdditions() {
  const statement = new RowsStatement((size) => addAmountStatement('usage_units', ALL_COLUMNS, size))
  return async (db: Transaction<Database>, rows: readonly FullRow[], replaced: readonly FullRow[]): Promise<void> => {
    const sums: Sums = new Map()
    for (const row of rows) if (row.uses !== null) add(sums, row, row.uses, 1n)
    for (const row of replaced) if (row.uses !== null) add(sums, row, row.uses, -1n)
    // Always in the same order: two nodes that add to the same sums must not wait for each other in a circle.
    const ordered = [...sums].sort(([a], [b]) => (a < b ? -1 : 1))
    await statement.run(
      db,
      ordered.map(([, { key, quantity }]) => [...key, quantity > CAP ? CAP : quantity]),
    )
  }
}

function add(sums: Sums, row: FullRow, uses: string, sign: bigint): void {
  const values = COLUMNS.map((column) => row[column] ?? '')
  for (const [unit, quantity] of Object.entries(JSON.parse(uses) as Uses)) {
    for (const [step, width] of Object.entries(STEPS)) {
      const key = [row.workspace, step, row.started_at - (row.started_at % width), ...values, unit]
      // Texts of the log have no NUL in them.
      const name = key.join('\0')
      const known = sums.get(name)
      if (known === undefined) sums.set(name, { key, quantity: sign * BigInt(quantity) })
      else known.quantity += sign * BigInt(quantity)
    }
  }
}
