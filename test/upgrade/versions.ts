import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { startSimulator } from '../../simulator/simulator.ts'
import { billOf } from '../crash/prices.ts'
import { ADMIN_KEY, type Harness, startHarness, until } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { postgresBinaries, startPostgres } from '../postgres.ts'
import { startValkey } from '../valkey.ts'
import { headersOf, type Witness } from './life.ts'
import { checkOut, type Serving, serveOlder } from './older-program.ts'
import { environmentOf, record } from './record.ts'
import { restoreDump, unpack } from './stored.ts'
import { assertKept } from './upgraded.ts'

/**
 * `npm run test:upgrade`: the last five released versions, or those named in UPGRADE_FROM, each as the program that it
 * was. What it left is taken over; it serves beside this version; and it comes back, or says why it does not.
 */
const REFS = process.env['UPGRADE_FROM']?.split(',') ?? releases()
assert.ok(REFS.length > 0, 'no tag v…: fetch the tags, or name commits in UPGRADE_FROM')

function releases(): string[] {
  const tags = execFileSync('git', ['tag', '--list', 'v*', '--sort=-v:refname'], { encoding: 'utf8' })
  return tags.split('\n').filter(Boolean).slice(0, 5)
}

const folder = mkdtempSync(join(tmpdir(), 'switchyard-upgrade-'))
const server = await startPostgres()
const valkey = await startValkey()
after(async () => {
  await Promise.all([server.stop(), valkey.stop()])
  rmSync(folder, { recursive: true, force: true })
})

for (const ref of REFS) {
  describe(`from ${ref}`, { concurrency: false }, () => {
    const program = checkOut(ref, folder)

    for (const engine of ['sqlite', 'postgres'] as const) {
      test(`what it left on ${engine} is taken over; it comes back, or says why not`, async () => {
        const into = join(folder, `${ref}-${engine}`)
        await record(program, { engine, into })
        const witness = JSON.parse(readFileSync(join(into, 'witness.json'), 'utf8')) as Witness
        const own = mkdtempSync(join(folder, 'own-'))
        unpack(into, join(own, 'data'))
        const database = engine === 'postgres' ? await server.createDatabase() : null
        if (database !== null) restoreDump(into, postgresBinaries(), database)
        const environment: Record<string, string> = database === null ? {} : { DATABASE_URL: database }
        const harness = await startHarness({ folder: own, environment })
        await assertKept(harness, witness).finally(() => harness.gateway.stop())
        await assertComesBack(witness, () =>
          serveOlder(program, { ...environmentOf(harness.simulator), ...environment, DATA_DIR: join(own, 'data') }),
        )
        await harness.simulator.close()
      })
    }

    test('both serve one database: the budget holds, and the log has every answer', async () => {
      const shared = {
        DATABASE_URL: await server.createDatabase(),
        REDIS_URL: valkey.url,
        REDIS_PREFIX: `${ref}-rolling`,
      }
      const secrets = { SECRETS_KEY: 'sixteen-characters-and-more' }
      // As in a rolling restart: the older one is there first.
      const own = mkdtempSync(join(folder, 'own-'))
      const simulator = await startSimulator()
      const older = await serveOlder(program, {
        ...environmentOf(simulator),
        ...shared,
        ...secrets,
        DATA_DIR: join(own, 'older'),
      })
      const environment = { ...environmentOf(simulator), ...shared, ...secrets }
      const newer = await startHarness({ environment })
      try {
        await assertShared(newer, { older, bill: () => billOf(simulator.bill) })
      } finally {
        await newer.stop()
        older.child.kill('SIGKILL')
        await simulator.close()
      }
    })
  })
}

/** The oldest schema that may come back is the newer version's to say; a refusal is one line that says so. */
async function assertComesBack({ answers }: Witness, start: () => Promise<Serving>): Promise<void> {
  const serving = await start().catch((error: Error) => error)
  if (serving instanceof Error) return assert.match(serving.message, /migrated by a newer version/)
  const { url, child } = serving
  const headers = headersOf(ADMIN_KEY)
  for (const { id } of answers) assert.equal((await fetch(`${url}/requests/${id}`, { headers })).status, 200, id)
  const verified = await fetch(`${url}/verify`, { method: 'POST', headers })
  assert.deepEqual(((await verified.json()) as { differences: unknown[] }).differences, [])
  child.kill('SIGTERM')
  await once(child, 'exit')
}

const BUDGET = { usd: '0.01', per: 'total' }
const CALLS = 400

async function assertShared(newer: Harness, { older, bill }: { older: Serving; bill(): bigint }): Promise<void> {
  const manage = managing(() => newer)
  await manage('PUT', '/registry/openai/gpt-sim-echo', { input_per_mtok: '1', output_per_mtok: '5' })
  const { value } = (await manage('POST', '/keys', { name: 'both', limits: { budget: BUDGET } })).json
  const messages = [{ role: 'user', content: 'two versions at once' }]
  const body = JSON.stringify({ model: 'gpt-sim-echo', messages, max_tokens: 20 })
  const isKnown = async () => (await fetch(`${older.url}/v1/models`, { headers: headersOf(value) })).ok
  await until(isKnown, 'the older one knows the key')
  const answered = await Promise.all(
    Array.from({ length: CALLS }, async (_, each) => {
      const url = each % 2 === 0 ? newer.url : older.url
      const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: headersOf(value), body })
      await response.arrayBuffer()
      return { id: response.headers.get('x-gateway-request-id'), status: response.status }
    }),
  )
  assert.deepEqual([...new Set(answered.map(({ status }) => status))].sort(), [200, 402])
  assert.ok(bill() <= 10_000_000_000n, `billed ${bill()} of 10000000000`)
  // It delivers what it has logged.
  older.child.kill('SIGTERM')
  await once(older.child, 'exit')
  const rows = new Map((await newer.rows()).map((row) => [row.id, row]))
  const missing = answered.filter(({ id, status }) => rows.get(id ?? '')?.status !== status)
  assert.deepEqual(missing, [])
  const sum = [...rows.values()].reduce((total, row) => total + BigInt(String(row['cost_picodollars'] ?? 0)), 0n)
  assert.equal(sum, bill(), 'the log says what the provider bills')
  const verified = (await manage('POST', '/verify')).json
  assert.deepEqual([verified.differences, verified.rows.differences], [[], []])
}
