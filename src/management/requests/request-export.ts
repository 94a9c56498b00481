import type { Kysely } from 'kysely'
import { type LogPosition, type RequestFilters, searchRequests } from '../../request-log/search/search.ts'
import { mapInTurns } from '../../store/engine/in-turns.ts'
import type { Database, RequestRow } from '../../store/engine/schema.ts'
import { timestamp, timestampOrNull } from '../contract/fields.ts'
import type { Streamed } from '../contract/operation.ts'
import { csvField } from './csv-field.ts'
import { adjustmentsOf, attemptsOf, costUsd, shownAttempt } from './request-view.ts'

/** Small enough that the few pages on their way to a slow reader do not matter. */
const PAGE_ROWS = 200

type Column = (row: RequestRow) => unknown

/** Flat, so that both formats have the same columns. */
const COLUMNS: Readonly<Record<string, Column>> = {
  id: (row) => row.id,
  state: (row) => row.state,
  workspace: (row) => row.workspace,
  key_id: (row) => row.key_id,
  route: (row) => row.route,
  requested_model: (row) => row.requested_model,
  provider: (row) => row.provider,
  model: (row) => row.model,
  started_at: (row) => timestamp(row.started_at),
  finished_at: (row) => timestampOrNull(row.finished_at),
  status: (row) => row.status,
  code: (row) => row.code,
  fallback: (row) => row.fallback === 1,
  finish_reason: (row) => row.finish_reason,
  prompt_tokens: (row) => row.prompt_tokens,
  completion_tokens: (row) => row.completion_tokens,
  input_tokens: (row) => row.input_tokens,
  cached_tokens: (row) => row.cached_tokens,
  cache_write_5m_tokens: (row) => row.cache_write_5m_tokens,
  cache_write_30m_tokens: (row) => row.cache_write_30m_tokens,
  cache_write_1h_tokens: (row) => row.cache_write_1h_tokens,
  reasoning_tokens: (row) => row.reasoning_tokens,
  price_percent: (row) => row.price_percent,
  price_version: (row) => row.price_version,
  cost_usd: costUsd,
  latency_ms: (row) => row.upstream_ms,
  gateway_microseconds: (row) => row.gateway_microseconds,
  request_bytes: (row) => row.request_bytes,
  response_bytes: (row) => row.response_bytes,
  idempotency_key: (row) => row.idempotency_key,
  ignored_params: (row) => JSON.parse(row.ignored_params) as string[],
  adjustments: adjustmentsOf,
  attempts: (row) => attemptsOf(row).map(shownAttempt),
}

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
  const values = Object.entries(COLUMNS).map(([name, column]) => [name, column(row)])
  return `${JSON.stringify(Object.fromEntries(values))}\n`
}

function csvHeader(): string {
  return `${Object.keys(COLUMNS).join(',')}\r\n`
}

function csvLine(row: RequestRow): string {
  return `${Object.values(COLUMNS)
    .map((column) => csvField(column(row)))
    .join(',')}\r\n`
}
