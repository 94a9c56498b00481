import { type Kysely, sql } from 'kysely'
import { INTERRUPTED } from '../../domain/errors.ts'
import { RowsStatement } from '../../store/engine/rows-statement.ts'
import type { Database } from '../../store/engine/schema.ts'
import { callIdentity } from '../retention/partitions.ts'
import { COMMIT_COLUMNS, INDEXED_COLUMNS, REQUEST_COLUMNS } from '../row.ts'

/** How rows are written: those of calls that began, those of calls that never ended before, and those given up before. */
export function requestStatements(db: Kysely<Database>) {
  const columns = sql.join(REQUEST_COLUMNS.map((column) => sql.ref(column)))
  const row = sql`(${sql.join(REQUEST_COLUMNS.map(() => sql`${null}`))})`
  const updates = (columns: readonly string[]) =>
    sql.join(columns.map((column) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`))
  const all = REQUEST_COLUMNS.filter((column) => column !== 'id')
  // Written again, even with the same values, they would cost every index a deletion and an insertion.
  const atEnd = all.filter((column) => !INDEXED_COLUMNS.has(column))
  const identity = callIdentity(db)
  const insert = (size: number) =>
    sql`insert into requests (${columns}) values ${sql.join(Array.from({ length: size }, () => row))}
      on conflict (${identity})`
  // A closed row never changes, except one closed as interrupted whose end arrives later.
  const isOpen = sql`requests.state = 'open'`
  const isInterrupted = sql`requests.code = ${sql.lit(INTERRUPTED.code)}`
  return {
    opened: new RowsStatement((size) => sql`${insert(size)} do nothing`),
    commits: new RowsStatement(commitsStatement),
    firstEnds: new RowsStatement((size) => sql`${insert(size)} do update set ${updates(atEnd)} where ${isOpen}`),
    trueEnds: new RowsStatement((size) => sql`${insert(size)} do update set ${updates(all)} where ${isInterrupted}`),
  }
}

/** What a stream has sent its first content with is noted in its open row. */
function commitsStatement(size: number) {
  const isText = new Set<string>(['id', 'provider', 'model'])
  const types = COMMIT_COLUMNS.map((column) => sql.raw(isText.has(column) ? 'text' : 'bigint'))
  const row = sql`(${sql.join(types.map((type) => sql`cast(${null} as ${type})`))})`
  const [id, startedAt, ...others] = COMMIT_COLUMNS
  const updates = others.map((column) => sql`${sql.ref(column)} = marks.${sql.ref(column)}`)
  const [theirs, time] = [sql.ref(`requests.${id}`), sql.ref(`requests.${startedAt}`)]
  return sql`with marks (${sql.join(COMMIT_COLUMNS.map((column) => sql.ref(column)))})
    as (values ${sql.join(Array.from({ length: size }, () => row))})
    update requests set ${sql.join(updates)} from marks
    where ${theirs} = marks.id and ${time} = marks.started_at and requests.state = 'open'`
}
