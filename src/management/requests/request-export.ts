import type { Kysely } from 'kysely'
import { LOG_FIELDS, publicName } from '../../domain/log/fields.ts'
import { type FedRow, type FeedPosition, readFeed } from '../../request-log/feed/read-feed.ts'
import type { LogPosition, RequestFilters } from '../../request-log/search/filters.ts'
import { searchRequests } from '../../request-log/search/search.ts'
import { mapInTurns } from '../../store/engine/in-turns.ts'
import type { Database, RequestRow } from '../../store/engine/schema.ts'
import type { Streamed } from '../contract/operation.ts'
import { csvField } from './csv-field.ts'
import { SHOW } from './request-view.ts'

/** Small enough that the few pages on their way to a slow reader do not matter. */
const PAGE_ROWS = 200

interface Column {
  name: string
  value(row: RequestRow): unknown
}

/** Flat, so that both formats have the same columns. */
const COLUMNS: readonly Column[] = LOG_FIELDS.flatMap((field) => {
  const name = publicName(field, 'export')
  const { column, kind } = field
  return name === null || column === null ? [] : [{ name, value: (row) => SHOW[kind](row[column] as never) }]
})

/** Everything that matches, page by page: memory does not grow with the answer, and it ends when the caller leaves. */
export function exportRequests(db: Kysely<Database>, filters: RequestFilters, format: 'ndjson' | 'csv'): Streamed {
  if (format === 'csv') return { mediaType: 'text/csv', pieces: written(db, filters, csvLine, csvHeader()) }
  return { mediaType: 'application/x-ndjson', pieces: written(db, filters, jsonLine, '') }
}

async function* written(
  db: Kysely<Database>,
  filters: RequestFilters,
  line: (row: RequestRow) => string,
  header: string,
): AsyncGenerator<string> {
  if (header !== '') yield header
  let after: LogPosition | null = null
  do {
    const { rows, next } = await searchRequests(db, filters, { after, limit: PAGE_ROWS })
    if (rows.length > 0) yield (await mapInTurns(rows, line)).join('')
    after = next
  } while (after !== null)
}

function jsonLine(row: RequestRow): string {
  return `${JSON.stringify(flat(row))}\n`
}

function flat(row: RequestRow): Record<string, unknown> {
  return Object.fromEntries(COLUMNS.map(({ name, value }) => [name, value(row)]))
}

/** Closed calls after a position, each with the cursor that goes on after it. */
export async function* feedLines(db: Kysely<Database>, after: FeedPosition, limit: number): AsyncGenerator<string> {
  for await (const rows of readFeed(db, after, limit)) {
    const line = ({ row, position }: FedRow) =>
      `${JSON.stringify({ cursor: `${position.batch}.${position.rows}`, ...flat(row) })}\n`
    if (rows.length > 0) yield (await mapInTurns(rows, line)).join('')
  }
}

function csvHeader(): string {
  return `${COLUMNS.map(({ name }) => name).join(',')}\r\n`
}

function csvLine(row: RequestRow): string {
  return `${COLUMNS.map(({ value }) => csvField(value(row))).join(',')}\r\n`
}
