import { CompiledQuery, type Kysely, type RawBuilder } from 'kysely'
import { nameStatement } from './named-statements.ts'
import type { Database } from './schema.ts'
import { takesParameterLists } from './sqlite-dialect.ts'

type Row = readonly unknown[]

/** Few sizes, so that each is compiled once: building the SQL again would cost more than running it. */
const SIZES = [64, 8, 1] as const

/**
 * One statement for a list of rows, in the way that is cheapest: SQLite runs it once for each row, which it prepares
 * once; PostgreSQL, where each run is a round trip, gets many rows at a time.
 */
export class RowsStatement {
  readonly #make: (size: number) => RawBuilder<unknown>
  readonly #texts = new Map<number, string>()

  /** `make` writes the statement for so many rows; placeholders for their values are replaced with each run. */
  constructor(make: (size: number) => RawBuilder<unknown>) {
    this.#make = make
  }

  /** How many rows of the table have changed. */
  async run(db: Kysely<Database>, rows: readonly Row[]): Promise<number> {
    if (rows.length === 0) return 0
    if (takesParameterLists(db)) return this.#execute(db, 1, rows)
    let changed = 0
    let start = 0
    for (const size of SIZES) {
      for (; rows.length - start >= size; start += size) {
        changed += await this.#execute(db, size, rows.slice(start, start + size).flat())
      }
    }
    return changed
  }

  async #execute(db: Kysely<Database>, size: number, parameters: readonly unknown[]): Promise<number> {
    const text = this.#texts.get(size) ?? nameStatement(this.#make(size).compile(db).sql)
    this.#texts.set(size, text)
    const { numAffectedRows = 0n } = await db.executeQuery(CompiledQuery.raw(text, [...parameters]))
    return Number(numAffectedRows)
  }
}
