import assert from 'node:assert/strict'
import { type Kysely, sql } from 'kysely'
import { GATEWAY_BOUNDS_MICROSECONDS, LATENCY_BOUNDS_MS } from '../../src/request-log/usage/latency.ts'
import { DAY_MS, readDaysUntil } from '../../src/request-log/usage/rollup.ts'
import type { Database, RequestRow } from '../../src/store/engine/schema.ts'

const UNCONFIRMED = [
  'unconfirmed_estimate_picodollars',
  'unconfirmed_most_picodollars',
  'unconfirmed_counted_picodollars',
  'resale_picodollars',
  'prompt_cache_saved_picodollars',
] as const

type Sums = Record<string, bigint>

/** The sums as the documentation defines them, worked out from the rows one by one. */
export function sumsOfRows(rows: readonly RequestRow[], width = 3_600_000): Map<string, Sums> {
  const sums = new Map<string, Sums>()
  for (const row of rows) {
    if (row.state !== 'closed') continue
    const start = Math.floor(row.started_at / width) * width
    const dimensions = [row.workspace, start, row.key_id, row.route, row.provider, row.model, row.code, row.endpoint]
    const key = JSON.stringify(dimensions.map((value) => value ?? ''))
    const sum = sums.get(key) ?? {}
    sums.set(key, sum)
    const add = (name: string, value: number | bigint | null) => {
      sum[name] = (sum[name] ?? 0n) + BigInt(value ?? 0)
    }
    add('requests', 1)
    add('errors', row.code === null ? 0 : 1)
    add('fallbacks', row.fallback)
    add('cache_hits', row.cache === 'hit' ? 1 : 0)
    add('unpriced', row.prompt_tokens !== null && row.cost_picodollars === null ? 1 : 0)
    for (const name of ['prompt_tokens', 'completion_tokens', 'cached_tokens', 'reasoning_tokens'] as const) {
      add(name, row[name])
    }
    for (const time of ['5m', '30m', '1h'] as const) add('cache_write_tokens', row[`cache_write_${time}_tokens`])
    for (const name of [
      'cost_picodollars',
      'saved_picodollars',
      ...UNCONFIRMED,
      'upstream_ms',
      'gateway_microseconds',
    ] as const)
      add(name, row[name])
    for (let bucket = 0; bucket <= LATENCY_BOUNDS_MS.length; bucket++) add(`latency_${bucket}`, 0)
    for (let bucket = 0; bucket <= GATEWAY_BOUNDS_MICROSECONDS.length; bucket++) add(`gateway_${bucket}`, 0)
    const { upstream_ms: latency, gateway_microseconds: gateway } = row
    add(`gateway_${GATEWAY_BOUNDS_MICROSECONDS.filter((bound) => gateway >= bound).length}`, 1)
    if (latency !== null) add(`latency_${LATENCY_BOUNDS_MS.filter((bound) => latency >= bound).length}`, 1)
  }
  return sums
}

export async function sumsOfTable(
  db: Kysely<Database>,
  workspace: string,
  table: 'usage_hours' | 'usage_days' = 'usage_hours',
): Promise<Map<string, Sums>> {
  const time = table === 'usage_hours' ? 'hour' : 'day'
  const found = await sql<Record<string, number | bigint | string>>`
    select *, ${sql.ref(time)} as start from ${sql.table(table)} where workspace = ${workspace}`.execute(db)
  const sums = new Map<string, Sums>()
  for (const {
    workspace: _,
    start,
    hour,
    day,
    key_id,
    route,
    provider,
    model,
    code,
    endpoint,
    ...figures
  } of found.rows) {
    const values = Object.entries(figures).map(([name, value]) => [name, BigInt(value)] as const)
    // What was taken out again leaves a row of zeros.
    if (values.every(([, value]) => value === 0n)) continue
    sums.set(
      JSON.stringify([workspace, start, key_id, route, provider, model, code, endpoint]),
      Object.fromEntries(values),
    )
  }
  return sums
}

/** What the rows used beside tokens, by the hour and the day and every dimension. */
function unitsOfRows(rows: readonly RequestRow[]): Map<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const row of rows) {
    if (row.state !== 'closed' || row.uses === null) continue
    for (const [unit, quantity] of Object.entries<number>(JSON.parse(row.uses))) {
      for (const [step, width] of [
        ['day', DAY_MS],
        ['hour', 3_600_000],
      ] as const) {
        const start = Math.floor(row.started_at / width) * width
        const dimensions = [row.key_id, row.route, row.provider, row.model, row.code, row.endpoint]
        const key = JSON.stringify([step, start, ...dimensions.map((value) => value ?? ''), unit])
        sums.set(key, (sums.get(key) ?? 0n) + BigInt(quantity))
      }
    }
  }
  return sums
}

export async function assertUnitsEqualRows(db: Kysely<Database>, workspace: string): Promise<void> {
  const rows = await db.selectFrom('requests').selectAll().where('workspace', '=', workspace).execute()
  const units = await db.selectFrom('usage_units').selectAll().where('workspace', '=', workspace).execute()
  const stored = units.flatMap((row): [string, bigint][] => {
    const { step, start, key_id, route, provider, model, code, endpoint, unit, quantity } = row
    const key = JSON.stringify([step, start, key_id, route, provider, model, code, endpoint, unit])
    return BigInt(quantity) === 0n ? [] : [[key, BigInt(quantity)]]
  })
  const byKey = ([a]: [string, bigint], [b]: [string, bigint]) => (a < b ? -1 : 1)
  assert.deepEqual(stored.sort(byKey), [...unitsOfRows(rows)].sort(byKey))
}

/** The hours hold every closed row, the days those before the time that they have come to. */
export async function assertSumsEqualRows(db: Kysely<Database>, workspace: string): Promise<void> {
  const rows = await db.selectFrom('requests').selectAll().where('workspace', '=', workspace).execute()
  assert.deepEqual(sorted(await sumsOfTable(db, workspace)), sorted(sumsOfRows(rows)))
  await assertUnitsEqualRows(db, workspace)
  const until = await readDaysUntil(db)
  const inDays = rows.filter((row) => row.started_at < until)
  assert.deepEqual(sorted(await sumsOfTable(db, workspace, 'usage_days')), sorted(sumsOfRows(inDays, DAY_MS)))
}

export function sorted(sums: Map<string, Sums>): [string, Sums][] {
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1))
}
