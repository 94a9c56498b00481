import { type Kysely, type RawBuilder, sql } from 'kysely'
import { ensurePartitions } from '../../src/request-log/retention/partitions.ts'
import { DAYS_UNTIL, rollUpStatement } from '../../src/request-log/usage/rollup.ts'
import type { Database } from '../../src/store/engine/schema.ts'

const STEP_ROWS = 50_000
const DAY_MS = 86_400_000
/** Keys and routes that the rows refer to. */
export const LOGGED_KEYS = 50
export const LOGGED_ROUTES = 20

export interface FillOptions {
  rows: number
  /** Days over which they are spread. */
  days: number
  /** Unix milliseconds of the newest row. */
  end: number
}

const PRIME = 2_147_483_647

/** A pseudo-random number below `size` that fits into 64 bits: each salt has its own multiplier. */
function scatter(salt: number, size: number): RawBuilder<unknown> {
  const multiplier = Number((BigInt(salt) * 136_117_223_861n) % BigInt(PRIME))
  return sql`((n * ${sql.lit(multiplier)} % ${sql.lit(PRIME)}) / 1021 % ${sql.lit(size)})`
}

/** Only arithmetic, so that both engines create the same rows. `n` is the row's number; other columns stay null. */
function columns({ rows, end, days }: FillOptions): Partial<Record<keyof Database['requests'], RawBuilder<unknown>>> {
  const route = sql`(${scatter(7, 5)} + 5 * (${scatter(11, 5)} * ${scatter(13, 4)} / 4)) % ${sql.lit(LOGGED_ROUTES)}`
  const isError = sql`${scatter(19, 25)} = 0`
  const isRefused = sql`${scatter(23, 250)} = 0`
  const isFallback = sql`${scatter(29, 33)} = 0`
  const entry = sql`(${route} % 7 + case when ${isFallback} then 1 else 0 end)`
  const provider = sql`(case when ${entry} % 2 = 0 then 'first' else 'second' end)`
  const answered = (value: RawBuilder<unknown>) => sql`case when ${isError} then null else ${value} end`
  const called = (value: RawBuilder<unknown>) => sql`case when ${isError} and ${isRefused} then null else ${value} end`
  const [prompt, completion] = [sql`(200 + ${scatter(41, 4000)})`, scatter(43, 900)]
  const startedAt = sql`(${sql.lit(end - days * DAY_MS)} + n * ${sql.lit(days * DAY_MS)} / ${sql.lit(rows)})`
  const number = sql`cast(n as text)`
  const upstreamMs = sql`(150 + ${scatter(47, 60)} * ${scatter(53, 60)})`
  const isStream = sql`${scatter(61, 2)} = 0`
  const failed = `{"kind":"called","provider":"first","model":"a-model-of-some-length-0","startedAfterMs":0,"durationMs":140,"status":503,"code":"upstream_error","upstreamRequestId":"req_9876543210","reason":"503: next entry"}`
  const attempt = `"model":"a-model-of-some-length-1","startedAfterMs":1,"durationMs":899`
  return {
    id: sql`'chatcmpl_' || ${ulidTime(startedAt)} || substr('0000000000000000' || ${number}, length(${number}) + 1)`,
    node: sql`'bench'`,
    state: sql`'closed'`,
    workspace: sql`'default'`,
    key_id: sql`'01kkkkkkkkkkkkkkkkkkkk-' || (${scatter(31, 5)} + 5 * (${scatter(33, 10)} * ${scatter(37, 10)} / 10))`,
    route: sql`case when ${scatter(17, 20)} = 0 then null else 'route-' || (${route}) end`,
    requested_model: sql`'route-' || (${route})`,
    started_at: startedAt,
    finished_at: sql`${startedAt} + ${upstreamMs}`,
    status: sql`case when ${isError} then (case when ${isRefused} then 400 else 429 end) else 200 end`,
    code: sql`case when ${isError} then (case when ${isRefused} then 'invalid_request' else 'rate_limited' end) end`,
    provider: called(provider),
    model: called(sql`'a-model-of-some-length-' || ${entry}`),
    fallback: sql`case when ${isFallback} and not ${isError} then 1 else 0 end`,
    attempts: sql`'[' || case when ${isFallback} then ${sql.lit(`${failed},`)} else '' end
      || '{"kind":"called","provider":"' || ${provider} || ${sql.lit(`",${attempt}`)}
      || case when ${isError} then ',"status":429,"code":"rate_limited"' else ',"status":200,"code":null' end
      || ',"upstreamRequestId":"req_0123456789","reason":"served"}]'`,
    streamed: sql`case when ${isStream} then 1 else 0 end`,
    first_content_ms: answered(sql`case when ${isStream} then 100 + ${scatter(67, 40)} * ${scatter(71, 40)} end`),
    finish_reason: answered(sql`'stop'`),
    prompt_tokens: answered(prompt),
    completion_tokens: answered(completion),
    input_tokens: answered(prompt),
    cached_tokens: answered(sql`0`),
    cache_write_5m_tokens: answered(sql`0`),
    cache_write_30m_tokens: answered(sql`0`),
    cache_write_1h_tokens: answered(sql`0`),
    audio_input_tokens: answered(sql`0`),
    image_input_tokens: answered(sql`0`),
    audio_output_tokens: answered(sql`0`),
    image_output_tokens: answered(sql`0`),
    reasoning_tokens: answered(sql`0`),
    cost_picodollars: answered(sql`${prompt} * 2500000 + ${completion} * 15000000`),
    price_percent: answered(sql`100`),
    price_version: answered(
      sql`(select max(id) from price_versions where model = 'a-model-of-some-length-' || ${entry})`,
    ),
    upstream_ms: answered(upstreamMs),
    gateway_microseconds: sql`300 + ${scatter(59, 400)}`,
    request_bytes: sql`1500`,
    response_bytes: sql`900`,
    ignored_params: sql`'[]'`,
  }
}

/** The ten characters with which an id of this time begins. */
function ulidTime(time: RawBuilder<unknown>): RawBuilder<unknown> {
  const characters = Array.from({ length: 10 }, (_, place) => {
    const digit = sql`${time} / ${sql.lit(32 ** (9 - place))} % 32`
    return sql`substr('0123456789abcdefghjkmnpqrstvwxyz', cast(${digit} as integer) + 1, 1)`
  })
  return sql`(${sql.join(characters, sql` || `)})`
}

/** Fills the request log and its sums. */
export async function fillLog(db: Kysely<Database>, options: FillOptions): Promise<void> {
  const { rows, end, days } = options
  const values = columns(options)
  const names = sql.join(Object.keys(values).map((column) => sql.ref(column)))
  const timeOf = (n: number) => end - days * DAY_MS + Number((BigInt(n) * BigInt(days) * BigInt(DAY_MS)) / BigInt(rows))
  const everyDay = Array.from({ length: days + 1 }, (_, day) => end - day * DAY_MS)
  await ensurePartitions(db, everyDay)
  for (let from = 0; from < rows; from += STEP_ROWS) {
    const to = Math.min(from + STEP_ROWS, rows)
    await sql`insert into requests (${names})
      with recursive numbers (n) as (
        select cast(${sql.lit(from)} as bigint) union all select n + 1 from numbers where n + 1 < ${sql.lit(to)})
      select ${sql.join(Object.values(values))} from numbers`.execute(db)
    const filled = sql`started_at >= ${timeOf(from)} and started_at < ${timeOf(to)}`
    await db.transaction().execute(async (transaction) => {
      await rollUpStatement(filled).execute(transaction)
      await rollUpStatement(sql`${filled} and started_at < ${DAYS_UNTIL}`, 'usage_days').execute(transaction)
    })
    process.stderr.write(`\r${to} of ${rows} rows `)
  }
  process.stderr.write('\n')
}
