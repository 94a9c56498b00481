import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import type { Gateway } from '../src/app/main.ts'
import { startGateway } from '../src/app/main.ts'
import { hashKey } from '../src/domain/key.ts'
import type { Database } from '../src/store/engine/schema.ts'
import { fillLog } from './log-fill.ts'

export const ADMIN_KEY = 'gw_admin_bench00000000000000000000000000'
export const GATEWAY_KEY = 'gw_live_bench000000000000000000000000000'
/** Those that the log speaks of; the others have never made a call. */
const USED_KEYS = 50
const ROUTES = 20
const MODELS = 8
const AUDIT_ROWS = 20_000

export function keyId(number: number): string {
  return number < USED_KEYS
    ? `01kkkkkkkkkkkkkkkkkkkk-${number}`
    : `01llllllllllllllllllll-${String(number).padStart(6, '0')}`
}

export function startOn(dataDir: string, environment: Record<string, string> = {}): Promise<Gateway> {
  return startGateway({
    PORT: '0',
    LOG_LEVEL: 'error',
    DATA_DIR: dataDir,
    SWITCHYARD_CONFIG: join(dataDir, 'switchyard.yaml'),
    ADMIN_KEY,
    GATEWAY_KEY,
    ...environment,
  })
}

/** A data folder with a month of calls in one workspace, ten thousand keys with limits and a long audit list. */
export async function fillFolder(dataDir: string, rows: number, keys: number): Promise<void> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(join(dataDir, 'switchyard.yaml'), configuration())
  const gateway = await startOn(dataDir)
  try {
    const { db } = gateway.store
    await fillLog(db, {
      rows,
      end: Date.now(),
      workspace: 'default',
      onProgress: (done) => process.stderr.write(`\r${done} of ${rows} rows `),
    })
    process.stderr.write('\n')
    await insertKeys(db, keys)
    await addAudit(db)
    await sql`update requests set price_version = (select max(id) from price_versions where model = requests.model)
      where price_version is not null`.execute(db)
  } finally {
    await gateway.stop()
  }
}

function configuration(): string {
  const model = (number: number) => `a-model-of-some-length-${number % MODELS}`
  const provider = (number: number) => (number % 2 === 0 ? 'first' : 'second')
  const entry = (number: number) => `{ provider: ${provider(number)}, model: ${model(number)} }`
  const routes = Array.from(
    { length: ROUTES },
    (_, route) => `      route-${route}: { chain: [${entry(route % 7)}, ${entry((route % 7) + 1)}] }`,
  )
  const models = Array.from(
    { length: MODELS },
    (_, number) =>
      `  - { provider: ${provider(number)}, model: ${model(number)}, input_per_mtok: "2.5", output_per_mtok: "15" }`,
  )
  return `providers:
  first: { family: openai, base_url: "http://127.0.0.1:9/v1" }
  second: { family: openai, base_url: "http://127.0.0.1:9/v1" }
workspaces:
  default:
    routes:
${routes.join('\n')}
registry:
${models.join('\n')}
`
}

/** A data folder with this many keys and nothing else. */
export async function addKeys(dataDir: string, keys: number): Promise<void> {
  await withStore(dataDir, (db) => insertKeys(db, keys))
}

/** A data folder with a month of calls and nothing else. */
export async function fillRows(dataDir: string, rows: number): Promise<void> {
  await withStore(dataDir, (db) => fillLog(db, { rows, end: Date.now(), workspace: 'default', onProgress: () => {} }))
}

async function withStore(dataDir: string, work: (db: Kysely<Database>) => Promise<void>): Promise<void> {
  writeFileSync(join(dataDir, 'switchyard.yaml'), configuration())
  const gateway = await startOn(dataDir)
  try {
    await work(gateway.store.db)
  } finally {
    await gateway.stop()
  }
}

async function insertKeys(db: Kysely<Database>, keys: number): Promise<void> {
  const rows = Array.from({ length: keys }, (_, number) => ({
    id: keyId(number),
    kind: 'live' as const,
    workspace: 'default',
    name: `key-${number}`,
    hash: hashKey(`bench-${number}`),
    prefix: 'gw_live_benc',
    created_at: Date.now() - 31 * 86_400_000 + number,
    expires_at: null,
    revoked_at: number % 10 === 9 ? Date.now() - 86_400_000 : null,
    allowed_models: null,
    limits: JSON.stringify({
      rpm: 600,
      budget: { usd: number % 3 === 0 ? '200' : '20000', per: 'month', mode: 'soft' },
    }),
    managed_by: null,
  }))
  for (let start = 0; start < rows.length; start += 500) {
    await db
      .insertInto('keys')
      .values(rows.slice(start, start + 500))
      .execute()
  }
}

async function addAudit(db: Kysely<Database>): Promise<void> {
  const rows = Array.from({ length: AUDIT_ROWS }, (_, number) => ({
    id: `01aaaaaaaaaaaaaaaaaa${String(number).padStart(6, '0')}`,
    at: Date.now() - (AUDIT_ROWS - number) * 120_000,
    actor: 'bench',
    actor_name: 'bench',
    action: 'keys.update',
    workspace: 'default',
    resource: `keys/${keyId(number % 1_000)}`,
    before: '{"limits":null}',
    after: '{"limits":{"rpm":600}}',
  }))
  for (let start = 0; start < rows.length; start += 500) {
    await db
      .insertInto('audit')
      .values(rows.slice(start, start + 500))
      .execute()
  }
}
