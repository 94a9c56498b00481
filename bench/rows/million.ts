import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import { startGateway } from '../../src/app/main.ts'
import type { Gateway } from '../../src/app/serve.ts'
import type { Database } from '../../src/store/engine/schema.ts'
import { ADMIN_KEY } from '../run/gateway.ts'
import { fillLog, LOGGED_KEYS, LOGGED_ROUTES } from './fill-log.ts'

const MODELS = 8
const AUDIT_ROWS = 20_000
const BATCH_ROWS = 500
const DAY_MS = 86_400_000

/** The keys beyond those in the log have never made a call. */
export function keyId(number: number): string {
  return number < LOGGED_KEYS
    ? `01kkkkkkkkkkkkkkkkkkkk-${number}`
    : `01llllllllllllllllllll-${String(number).padStart(6, '0')}`
}

export interface Filled {
  rows: number
  keys: number
  days?: number
  /** Left out: SQLite. */
  databaseUrl?: string
}

/** Starts a gateway on a data folder, which is filled first unless it exists. */
export async function startFilled(dataDir: string, filled: Filled): Promise<Gateway> {
  const configPath = join(dataDir, 'switchyard.yaml')
  const start = () =>
    startGateway({
      PORT: '0',
      LOG_LEVEL: 'error',
      DATA_DIR: dataDir,
      SWITCHYARD_CONFIG: configPath,
      ADMIN_KEY,
      ...(filled.databaseUrl === undefined ? {} : { DATABASE_URL: filled.databaseUrl }),
    })
  if (!existsSync(configPath)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    // JSON is YAML.
    writeFileSync(configPath, JSON.stringify(configuration()))
    const gateway = await start()
    try {
      await fill(gateway.store, filled)
    } finally {
      await gateway.stop()
    }
  }
  return start()
}

async function fill({ db, engine }: Gateway['store'], { rows, keys, days = 30 }: Filled): Promise<void> {
  await fillLog(db, { rows, days, end: Date.now() })
  await insertKeys(db, keys)
  await insertAudit(db)
  // Autovacuum does this on a server that has lived longer.
  if (engine === 'postgres') await sql`vacuum (analyze)`.execute(db)
}

function configuration() {
  const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)
  const entry = (number: number) => ({
    provider: number % 2 === 0 ? 'first' : 'second',
    model: `a-model-of-some-length-${number % MODELS}`,
  })
  const provider = { family: 'openai', base_url: 'http://127.0.0.1:9/v1' }
  const route = (number: number) => [`route-${number}`, { chain: [entry(number % 7), entry((number % 7) + 1)] }]
  return {
    providers: { first: provider, second: provider },
    workspaces: { default: { routes: Object.fromEntries(numbers(LOGGED_ROUTES).map(route)) } },
    registry: numbers(MODELS).map((number) => ({ ...entry(number), input_per_mtok: '2.5', output_per_mtok: '15' })),
  }
}

async function insertKeys(db: Kysely<Database>, keys: number): Promise<void> {
  await inBatches(
    keys,
    (number) => ({
      id: keyId(number),
      kind: 'live' as const,
      workspace: 'default',
      name: `key-${number}`,
      prefix: 'gw_live_benc',
      created_at: Date.now() - 31 * DAY_MS + number,
      revoked_at: number % 10 === 9 ? Date.now() - DAY_MS : null,
      limits: JSON.stringify({
        rpm: 600,
        budget: { usd: number % 3 === 0 ? '200' : '20000', per: 'month', mode: 'soft' },
      }),
    }),
    (rows) => db.insertInto('keys').values(rows).execute(),
  )
}

async function insertAudit(db: Kysely<Database>): Promise<void> {
  await inBatches(
    AUDIT_ROWS,
    (number) => ({
      id: `01aaaaaaaaaaaaaaaaaa${String(number).padStart(6, '0')}`,
      at: Date.now() - (AUDIT_ROWS - number) * 120_000,
      actor: 'bench',
      actor_name: 'bench',
      action: 'keys.update',
      workspace: 'default',
      resource: `keys/${keyId(number % 1_000)}`,
      before: '{"limits":null}',
      after: '{"limits":{"rpm":600}}',
    }),
    (rows) => db.insertInto('audit').values(rows).execute(),
  )
}

async function inBatches<Row>(count: number, make: (number: number) => Row, insert: (rows: Row[]) => Promise<unknown>) {
  for (let from = 0; from < count; from += BATCH_ROWS) {
    const length = Math.min(BATCH_ROWS, count - from)
    await insert(Array.from({ length }, (_, index) => make(from + index)))
  }
}
