import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Simulator, startSimulator } from '../../simulator/simulator.ts'
import type { Scope } from '../../src/limits/ledger.ts'
import { ADMIN_KEY, type Harness, type Json, KEY, newFolder, startHarness, until } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { startPostgres } from '../postgres.ts'
import { type Started, startProcess } from '../process.ts'
import { startValkey } from '../valkey.ts'
import { ask, CONFIG, hard, holdOfAsk, type LimitedKey, newKey, statusOf } from './limited.ts'

const HOLD = holdOfAsk('plain')
const postgres = await startPostgres()
const valkey = await startValkey({ appendOnly: true })
const simulator: Simulator = await startSimulator()
const environment = {
  DATABASE_URL: await postgres.createDatabase(),
  REDIS_URL: valkey.url,
  SECRETS_KEY: 'sixteen-characters-and-more',
  LEASE_SECONDS: '1',
  OPEN_ROWS_AFTER_SECONDS: '0',
  OPENAI_BASE_URL: simulator.openaiUrl,
  ANTHROPIC_BASE_URL: simulator.anthropicUrl,
}
const folders = [newFolder(), newFolder()]
const [mortalFolder = '', survivorFolder = ''] = folders
const survivor: Harness = await startHarness({ config: CONFIG, folder: survivorFolder, environment })
writeFileSync(join(mortalFolder, 'switchyard.yaml'), CONFIG)
let mortal = startMortal()
after(async () => {
  await mortal.stop('SIGKILL')
  await survivor.stop()
  await simulator.close()
  await valkey.stop()
  await postgres.stop()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function startMortal(): Started {
  const keys = { GATEWAY_KEY: KEY, ADMIN_KEY, OPENAI_API_KEY: 'sk-test', ANTHROPIC_API_KEY: 'sk-ant-test' }
  return startProcess({ folder: mortalFolder, environment: { ...keys, ...environment } })
}

const upstream = () => simulator.calls.filter((call) => call.method === 'POST').length

/** The status of a call at the node that dies; 0 when it did. */
async function callMortal(key: LimitedKey): Promise<number> {
  const headers = { ...key.headers, 'content-type': 'application/json' }
  const body = JSON.stringify(ask('plain'))
  return fetch(`${await mortal.url()}/v1/chat/completions`, { method: 'POST', headers, body }).then(
    (answer) => answer.status,
    () => 0,
  )
}

async function knownToMortal(key: LimitedKey): Promise<void> {
  const models = async () => fetch(`${await mortal.url()}/v1/models`, { headers: key.headers })
  await until(async () => (await models()).status === 200, 'the key is known')
}

async function moneyOf(scope: Scope): Promise<{ spent: bigint; held: bigint; leased: bigint }> {
  const { periods, idle } = await statusOf(survivor, scope)
  const { spent, held } = periods.total
  return { spent, held, leased: held + idle }
}

async function rowsOf(key: LimitedKey) {
  return (await survivor.rows()).filter((row) => row['key_id'] === key.id)
}

async function assertVerified(): Promise<void> {
  const { json } = await managing(() => survivor)('POST', '/verify')
  assert.deepEqual(json.differences, [])
}

test('what a killed node had leased stays leased until it is back, and then all of it is told', async () => {
  const key = await newKey(survivor, hard(40n * HOLD))
  await knownToMortal(key)
  assert.equal(await callMortal(key), 200)
  simulator.hold()
  const before = upstream()
  const cut = [callMortal(key), callMortal(key)]
  await until(() => upstream() === before + 2, 'both are at the provider')
  await until(async () => (await moneyOf(key.scope)).held >= 2n * HOLD, 'others know of them')
  await mortal.stop('SIGKILL')
  assert.deepEqual(await Promise.all(cut), [0, 0])
  simulator.release()
  assert.equal((await key.chat('plain')).status, 200, 'the others serve from what is left')
  assert.ok((await moneyOf(key.scope)).leased >= 2n * HOLD, 'nobody knows what became of them')
  mortal = startMortal()
  await mortal.url()
  await until(async () => (await moneyOf(key.scope)).leased === 0n, 'the money is free')
  // Of another node, whose spool is moved while it serves.
  const closed = async () => (await rowsOf(key)).filter((row) => row['state'] === 'closed').length
  await until(async () => (await closed()) === 4, 'the log has all of them')
  const rows = await rowsOf(key)
  assert.deepEqual(rows.map((row) => row.code).sort(), ['interrupted', 'interrupted', null, null])
  const cost = rows.reduce((sum, row) => sum + BigInt(Number(row['cost_picodollars'])), 0n)
  assert.equal((await moneyOf(key.scope)).spent, cost + 2n * HOLD, 'what was cut off may be billed')
  await assertVerified()
})

test('a node whose answers nobody could report dies, and they are booked once when it is back', async () => {
  const key = await newKey(survivor, { rpm: 100 })
  await knownToMortal(key)
  await valkey.halt()
  await postgres.halt()
  const readyz = async (): Promise<Json> => (await fetch(`${await mortal.url()}/readyz`)).json()
  await until(async () => !(await readyz()).limits.up, 'it has noticed')
  assert.equal(await callMortal(key), 200, 'no hard budget binds it: it is answered, and its row waits in the spool')
  await mortal.stop('SIGKILL')
  await postgres.resume()
  await valkey.resume()
  await until(async () => (await moneyOf(key.scope).catch(() => null)) !== null, 'the counters are back')
  assert.equal((await moneyOf(key.scope)).spent, 0n)
  mortal = startMortal()
  await mortal.url()
  await until(async () => (await rowsOf(key)).some((row) => row['state'] === 'closed'), 'the log has it')
  const [row] = await rowsOf(key)
  const cost = BigInt(Number(row?.['cost_picodollars']))
  assert.ok(cost > 0n)
  await until(async () => (await moneyOf(key.scope)).spent === cost, 'it is booked')
  await assertVerified()
  await mortal.stop('SIGKILL')
  mortal = startMortal()
  await mortal.url()
  assert.equal((await moneyOf(key.scope)).spent, cost, 'and not again')
  await assertVerified()
})

test('what a node spent that stopped while the counters were away counts, although it never comes back', async () => {
  const key = await newKey(survivor, hard(40n * HOLD))
  await knownToMortal(key)
  simulator.hold()
  const before = upstream()
  const call = callMortal(key)
  await until(() => upstream() === before + 1, 'it is at the provider')
  await valkey.halt()
  simulator.release()
  assert.equal(await call, 200)
  assert.equal(await mortal.stop(), 0)
  await valkey.resume()
  await until(async () => (await moneyOf(key.scope).catch(() => null))?.leased === 0n, 'what it had leased is free')
  const cost = (await rowsOf(key)).reduce((sum, row) => sum + BigInt(Number(row['cost_picodollars'])), 0n)
  assert.ok(cost > 0n)
  assert.equal((await moneyOf(key.scope)).spent, cost)
  await assertVerified()
  mortal = startMortal()
  await mortal.url()
  assert.equal((await moneyOf(key.scope)).spent, cost, 'and not again')
})
