import { type Kysely, type RawBuilder, sql } from 'kysely'
import { ensurePartitions } from '../src/request-log/retention/partitions.ts'
import { REQUEST_COLUMNS } from '../src/request-log/row.ts'
import { DAYS_UNTIL, rollUpStatement } from '../src/request-log/usage/rollup.ts'
import type { Database } from '../src/store/engine/schema.ts'

const STEP_ROWS = 50_000
const DAY_MS = 86_400_000
export const DAYS = 30
export const WORKSPACES = 5
const ROUTES = 20

/** A scatter that needs no more than 64 bits: each column has a multiplier of its own. */
const PRIME = 2_147_483_647

function multiplier(salt: number): number {
  return Number((BigInt(salt) * 136_117_223_861n) % BigInt(PRIME))
}

export interface FillOptions {
  rows: number
  /** Over which they are spread; left out: a month. */
  days?: number
  /** Unix milliseconds of the newest row. */
  end: number
  /** All of it in this one; left out: spread over five. */
  workspace?: string
  onProgress(rows: number): void
}

/** Written with arithmetic alone, so that both engines make the very same rows. `n` is the row's number. */
function columns({
  rows,
  end,
  days = DAYS,
  workspace: only,
}: FillOptions): Partial<Record<(typeof REQUEST_COLUMNS)[number], RawBuilder<unknown>>> {
  const scatter = (salt: number, size: number) =>
    sql`((n * ${sql.lit(multiplier(salt))} % ${sql.lit(PRIME)}) / 1021 % ${sql.lit(size)})`
  const workspace = scatter(7, WORKSPACES)
  const route = sql`${workspace} + 5 * (${scatter(11, 5)} * ${scatter(13, 4)} / 4)`
  const isDirect = sql`${scatter(17, 20)} = 0`
  const isError = sql`${scatter(19, 25)} = 0`
  const isRefused = sql`${scatter(23, 250)} = 0`
  const isFallback = sql`${scatter(29, 33)} = 0 and not (${isDirect})`
  const entry = sql`${route} % 7 + case when ${isFallback} then 1 else 0 end`
  const answered = (value: RawBuilder<unknown>) => sql`case when ${isError} then null else ${value} end`
  const text = sql`cast(n as text)`
  const startedAt = sql`(${sql.lit(end - days * DAY_MS)} + n * ${sql.lit(days * DAY_MS)} / ${sql.lit(rows)})`
  return {
    id: sql`'chatcmpl_' || ${ulidTime(startedAt)} || substr('0000000000000000' || ${text}, length(${text}) + 1)`,
    node: sql`'bench'`,
    state: sql`'closed'`,
    workspace: only === undefined ? sql`'workspace-' || (${workspace})` : sql`${sql.lit(only)}`,
    key_id: sql`'01kkkkkkkkkkkkkkkkkkkk-' || (${workspace} + 5 * (${scatter(31, 10)} * ${scatter(37, 10)} / 10))`,
    route: sql`case when ${isDirect} then null else 'route-' || (${route} % ${sql.lit(ROUTES)}) end`,
    requested_model: sql`'route-' || (${route})`,
    started_at: startedAt,
    finished_at: sql`${startedAt} + 900`,
    status: sql`case when ${isError} then (case when ${isRefused} then 400 else 429 end) else 200 end`,
    code: sql`case when ${isError} then (case when ${isRefused} then 'invalid_request' else 'rate_limited' end) end`,
    provider: sql`case when ${isError} and ${isRefused} then null when (${entry}) % 2 = 0 then 'first' else 'second' end`,
    model: sql`case when ${isError} and ${isRefused} then null else 'a-model-of-some-length-' || (${entry}) end`,
    fallback: sql`case when ${isFallback} and not ${isError} then 1 else 0 end`,
    attempts: sql`'[{"kind":"called","provider":"first","model":"a-model-of-some-length-1","startedAfterMs":1,"durationMs":899,"status":200,"code":null,"upstreamRequestId":"req_0123456789","reason":"served"}]'`,
    finish_reason: answered(sql`'stop'`),
    prompt_tokens: answered(sql`200 + ${scatter(41, 4000)}`),
    completion_tokens: answered(scatter(43, 900)),
    input_tokens: answered(sql`200 + ${scatter(41, 4000)}`),
    cached_tokens: answered(sql`0`),
    cache_write_5m_tokens: answered(sql`0`),
    cache_write_30m_tokens: answered(sql`0`),
    cache_write_1h_tokens: answered(sql`0`),
    reasoning_tokens: answered(sql`0`),
    price_percent: answered(sql`100`),
    cost_picodollars: answered(sql`(200 + ${scatter(41, 4000)}) * 2500000 + ${scatter(43, 900)} * 15000000`),
    price_version: answered(sql`1`),
    upstream_ms: answered(sql`150 + ${scatter(47, 60)} * ${scatter(53, 60)}`),
    gateway_microseconds: sql`300 + ${scatter(59, 400)}`,
    request_bytes: sql`1500`,
    response_bytes: sql`900`,
    ignored_params: sql`'[]'`,
    hold_picodollars: sql`cast(null as bigint)`,
    hold_tokens: sql`cast(null as bigint)`,
    idempotency_key: sql`cast(null as text)`,
    body_hash: sql`cast(null as text)`,
    adjustments: sql`null`,
  }
}

/** The ten characters that an id of this moment begins with. */
function ulidTime(time: RawBuilder<unknown>): RawBuilder<unknown> {
  const characters = Array.from({ length: 10 }, (_, place) => {
    const digit = sql`${time} / ${sql.lit(32 ** (9 - place))} % 32`
    return sql`substr('0123456789abcdefghjkmnpqrstvwxyz', cast(${digit} as integer) + 1, 1)`
  })
  return sql`(${sql.join(characters, sql` || `)})`
}

/** Fills the log as a month of traffic would, sums included. */
export async function fillLog(db: Kysely<Database>, options: FillOptions): Promise<void> {
  const { rows, end, days = DAYS } = options
  const values = columns(options)
  const names = sql.join(REQUEST_COLUMNS.map((column) => sql.ref(column)))
  const expressions = sql.join(REQUEST_COLUMNS.map((column) => values[column] ?? sql`null`))
  const timeOf = (n: number) => end - days * DAY_MS + Number((BigInt(n) * BigInt(days) * BigInt(DAY_MS)) / BigInt(rows))
  await ensurePartitions(
    db,
    Array.from({ length: days + 1 }, (_, day) => end - day * DAY_MS),
  )
  for (let from = 0; from < rows; from += STEP_ROWS) {
    const to = Math.min(from + STEP_ROWS, rows)
    await sql`insert into requests (${names})
      with recursive numbers (n) as (
        select cast(${sql.lit(from)} as bigint) union all select n + 1 from numbers where n + 1 < ${sql.lit(to)})
      select ${expressions} from numbers`.execute(db)
    const filled = sql`started_at >= ${timeOf(from)} and started_at < ${timeOf(to)}`
    await db.transaction().execute(async (transaction) => {
      await rollUpStatement(filled).execute(transaction)
      await rollUpStatement(sql`${filled} and started_at < ${DAYS_UNTIL}`, 'usage_days').execute(transaction)
    })
    options.onProgress(to)
  }
}
