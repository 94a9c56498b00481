import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { openStore, type Store } from '../src/app/open-store.ts'
import type { UsageGroup } from '../src/domain/log/usage-dimensions.ts'
import { compilePrice, NO_PRICES } from '../src/domain/pricing/price.ts'
import { type LogPosition, type RequestFilters, searchRequests } from '../src/request-log/search/search.ts'
import { readUsage } from '../src/request-log/usage/usage.ts'
import { whatIf } from '../src/request-log/usage/what-if.ts'
import type { Engine } from '../src/store/engine/engine.ts'
import type { Database } from '../src/store/engine/schema.ts'
import { startPostgres } from '../test/postgres.ts'
import { DAYS, fillLog } from './log-fill.ts'
import { watchPlans } from './log-plans.ts'
import { singles } from './log-singles.ts'

const HELP = `Usage: node bench/log-queries.ts [options]

Fills a temporary database with a month of traffic and times the pages of the request log and the sums.

  --rows <number>       default 1000000
  --days <number>       over which they are spread, default 30
  --engine <name>       sqlite (default) or postgres
  --repeat <number>     how often each query runs, default 15
  --help                print this text
`
const DAY_MS = 86_400_000
const LIMIT = 50
const SILENT = { info() {}, warn() {}, error() {} }

const LIST = {
  ...NO_PRICES,
  input_per_mtok: '0.15',
  cached_input_per_mtok: '0.075',
  output_per_mtok: '0.6',
}
const PRICE = compilePrice({ ...LIST, tiers: [{ ...LIST, prompt_tokens_above: 3_000 }] })

interface Measured {
  name: string
  limitMs: number
  times: number[]
  rows: number
}

const EVERYTHING: RequestFilters = {
  workspace: 'workspace-1',
  from: null,
  to: null,
  keyId: null,
  route: null,
  provider: null,
  model: null,
  code: null,
  status: null,
  fallback: null,
  minCostPicodollars: null,
}

function pages(end: number): Record<string, { filters: Partial<RequestFilters>; after?: LogPosition }> {
  const deep = (days: number) => ({ startedAt: end - days * DAY_MS, id: 'chatcmpl_9' })
  return {
    'newest page': { filters: {} },
    'page 15 days back': { filters: {}, after: deep(15) },
    'page 29 days back': { filters: {}, after: deep(29) },
    'from/to: a day, 20 days ago': { filters: { from: end - 20 * DAY_MS, to: end - 19 * DAY_MS } },
    route: { filters: { route: 'route-6' } },
    'route, 15 days back': { filters: { route: 'route-6' }, after: deep(15) },
    'direct calls only': { filters: { route: '' } },
    key: { filters: { keyId: '01kkkkkkkkkkkkkkkkkkkk-6' } },
    'key, 15 days back': { filters: { keyId: '01kkkkkkkkkkkkkkkkkkkk-6' }, after: deep(15) },
    'key and route': { filters: { keyId: '01kkkkkkkkkkkkkkkkkkkk-6', route: 'route-6' } },
    model: { filters: { model: 'a-model-of-some-length-2' } },
    provider: { filters: { provider: 'second' } },
    'status=error': { filters: { status: 'error' } },
    'status=400 (1 in 6,250)': { filters: { status: 400 } },
    'code=rate_limited, 15 days back': { filters: { code: 'rate_limited' }, after: deep(15) },
    'code that never occurs': { filters: { code: 'budget_exceeded' } },
    'model that never occurs': { filters: { model: 'nothing' } },
    'fallback=true': { filters: { fallback: true } },
    'fallback=true and status=error (never)': { filters: { fallback: true, status: 'error' } },
    'min_cost_usd=0.023 (rare)': { filters: { minCostPicodollars: 23_000_000_000n } },
    'min_cost_usd=1 (never)': { filters: { minCostPicodollars: 1_000_000_000_000n } },
    'route and status=error': { filters: { route: 'route-6', status: 'error' } },
    'key and fallback=true': { filters: { keyId: '01kkkkkkkkkkkkkkkkkkkk-6', fallback: true } },
  }
}

async function timed(repeat: number, run: () => Promise<number>): Promise<{ times: number[]; rows: number }> {
  const times: number[] = []
  let rows = await run()
  for (let round = 0; round < repeat; round++) {
    const began = performance.now()
    rows = await run()
    times.push(performance.now() - began)
  }
  return { times: times.sort((a, b) => a - b), rows }
}

async function measureSingles(db: Kysely<Database>, reads: Kysely<Database>, end: number, repeat: number) {
  const measured: Measured[] = []
  for (const [name, prepare] of Object.entries(singles(db, reads, end))) {
    measured.push({ name, limitMs: 50, ...(await timed(repeat, await prepare())) })
  }
  return measured
}

async function measurePages(db: Kysely<Database>, end: number, repeat: number): Promise<Measured[]> {
  const measured: Measured[] = []
  for (const [name, { filters, after = null }] of Object.entries(pages(end))) {
    const run = async () =>
      (await searchRequests(db, { ...EVERYTHING, ...filters }, { after, limit: LIMIT })).rows.length
    measured.push({ name, limitMs: 50, ...(await timed(repeat, run)) })
  }
  return measured
}

async function measureUsage(db: Kysely<Database>, end: number, repeat: number): Promise<Measured[]> {
  const measured: Measured[] = []
  const groups: (UsageGroup | null)[] = [null, 'model', 'route', 'key', 'provider', 'code']
  const common = { workspace: 'workspace-1', to: end, now: end, filters: {} }
  for (const groupBy of groups) {
    const query = { ...common, from: end - DAYS * DAY_MS, interval: 'day' as const, groupBy }
    const run = async () => (await readUsage(db, query)).rows.length
    measured.push({
      name: `daily usage of a month by ${groupBy ?? 'nothing'}`,
      limitMs: 500,
      ...(await timed(repeat, run)),
    })
  }
  const cut = { ...common, from: end - 10 * DAY_MS - 1_234_567, to: end - 1_234_567, interval: 'day' as const }
  const run = async () => (await readUsage(db, { ...cut, groupBy: 'model' })).rows.length
  measured.push({ name: 'daily usage, both ends within an hour', limitMs: 500, ...(await timed(repeat, run)) })
  const recent = { ...common, from: end - 3 * 3_600_000, interval: 'minute' as const, groupBy: 'model' as const }
  const minutes = async () => (await readUsage(db, recent)).rows.length
  measured.push({ name: 'usage of 3 hours by the minute and model', limitMs: 500, ...(await timed(repeat, minutes)) })
  return measured
}

async function measureWhatIf(db: Kysely<Database>, end: number, repeat: number): Promise<Measured[]> {
  const query = { workspace: 'workspace-1', keyId: null, route: null, prices: [{ of: null, price: PRICE }] }
  const run = async () => {
    let rows = 0
    for (let day = 1; day <= DAYS; day++) {
      const range = { from: end - day * DAY_MS, to: end - (day - 1) * DAY_MS }
      rows += (await whatIf(db, { ...query, ...range })).length
    }
    return rows
  }
  return [{ name: 'what-if of a month', limitMs: Number.POSITIVE_INFINITY, ...(await timed(Math.min(repeat, 3), run)) }]
}

function report(measured: readonly Measured[]): string {
  const lines = measured.map(({ name, limitMs, times, rows }) => {
    const median = times[Math.floor(times.length / 2)] ?? 0
    const worst = times.at(-1) ?? 0
    const best = times[0] ?? 0
    const verdict = worst <= limitMs ? '' : median <= limitMs ? '  worst over the limit' : '  OVER THE LIMIT'
    return `| ${name.padEnd(42)} | ${String(rows).padStart(5)} | ${best.toFixed(1).padStart(7)} | ${median.toFixed(1).padStart(8)} | ${worst.toFixed(1).padStart(8)} | ${(limitMs === Number.POSITIVE_INFINITY ? '–' : String(limitMs)).padStart(5)} |${verdict}`
  })
  return ['| query | rows | best ms | median ms | worst ms | limit |', '|---|--:|--:|--:|--:|--:|', ...lines].join('\n')
}

interface BenchOptions {
  rows: number
  days: number
  repeat: number
}

async function bench(engine: Engine, options: BenchOptions): Promise<void> {
  const server = engine === 'postgres' ? await startPostgres() : null
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-log-queries-'))
  try {
    const databaseUrl = server === null ? null : await server.createDatabase()
    const store = await openStore({ dataDir, databaseUrl, retentionDays: null, secretsKeys: null, log: SILENT })
    try {
      await measure(store, databaseUrl, options)
    } finally {
      await store.close()
    }
  } finally {
    await server?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** What autovacuum does by itself on a server that has lived longer than this one. */
async function vacuum(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('vacuum (analyze)')
  await client.end()
}

async function measure(store: Store, databaseUrl: string | null, { rows, days, repeat }: BenchOptions) {
  const { db, reads, engine } = store
  const end = Math.floor(Date.now() / 3_600_000) * 3_600_000
  const began = performance.now()
  const seconds = () => ((performance.now() - began) / 1000).toFixed(0)
  await fillLog(db, {
    rows,
    days,
    end,
    onProgress: (done) => process.stderr.write(`\r${done} of ${rows} rows, ${seconds()} s `),
  })
  process.stderr.write('\n')
  if (databaseUrl !== null) await vacuum(databaseUrl)
  const sums = await sql<{ rows: number; requests: number }>`
    select count(*) as rows, sum(requests) as requests from usage_hours`.execute(db)
  process.stdout.write(
    `${engine}, ${rows} rows in ${sums.rows[0]?.rows} hourly sums (${sums.rows[0]?.requests} requests), filled in ${seconds()} s\n\n`,
  )
  const measured = [
    ...(await measureSingles(db, reads, end, repeat)),
    ...(await measurePages(reads, end, repeat)),
    ...(await measureUsage(reads, end, repeat)),
    ...(await measureWhatIf(reads, end, repeat)),
  ]
  process.stdout.write(`${report(measured)}\n\nPlans:\n`)
  const plans = watchPlans(reads, engine)
  await measureSingles(plans.db, plans.db, end, 0)
  await measurePages(plans.db, end, 0)
  await measureUsage(plans.db, end, 0)
  await measureWhatIf(plans.db, end, 0)
  process.stdout.write(`${await plans.text()}\n`)
}

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    days: { type: 'string', default: String(DAYS) },
    engine: { type: 'string', default: 'sqlite' },
    repeat: { type: 'string', default: '15' },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) process.stdout.write(HELP)
else if (values.engine !== 'sqlite' && values.engine !== 'postgres') {
  process.stderr.write('--engine: sqlite or postgres\n')
  process.exitCode = 2
} else
  await bench(values.engine, { rows: Number(values.rows), days: Number(values.days), repeat: Number(values.repeat) })
