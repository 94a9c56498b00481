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

async function moneyOf(scope: Scope): Promise<{ spent: bigint; held: bigint; inFlight: number }> {
  const { periods, inFlight } = await statusOf(survivor, scope)
  return { spent: periods.total.spent, held: periods.total.held, inFlight }
}

async function rowsOf(key: LimitedKey) {
  return (await survivor.rows()).filter((row) => row['key_id'] === key.id)
}

async function assertVerified(): Promise<void> {
  const { json } = await managing(() => survivor)('POST', '/verify')
  assert.deepEqual(json.differences, [])
}

test('the calls of a node that was killed are closed by another one, and their money is free', async () => {
  const key = await newKey(survivor, hard(2n * HOLD))
  await knownToMortal(key)
  simulator.hold()
  const cut = [callMortal(key), callMortal(key)]
  await until(() => upstream() === 2, 'both are at the provider')
  assert.deepEqual(await moneyOf(key.scope), { spent: 0n, held: 2n * HOLD, inFlight: 2 })
  assert.equal((await key.chat('plain')).status, 402)
  await mortal.stop('SIGKILL')
  assert.deepEqual(await Promise.all(cut), [0, 0])
  simulator.release()
  await until(async () => (await moneyOf(key.scope)).held === 0n, 'the money is free')
  assert.deepEqual(await moneyOf(key.scope), { spent: 0n, held: 0n, inFlight: 0 })
  const codes = (await rowsOf(key)).map((row) => row.code)
  assert.deepEqual(codes.sort(), ['budget_exceeded', 'interrupted', 'interrupted'])
  assert.equal((await key.chat('plain')).status, 200)
  await assertVerified()
  mortal = startMortal()
  await mortal.url()
  await assertVerified()
})

test('a true end that arrives after the call was given up is booked once', async () => {
  const key = await newKey(survivor, { rpm: 100 })
  await knownToMortal(key)
  simulator.hold()
  const before = upstream()
  const running = callMortal(key)
  await until(() => upstream() === before + 1, 'it is at the provider')
  await until(async () => (await rowsOf(key)).length === 1, 'others can see that it runs')
  await valkey.halt()
  await postgres.halt()
  simulator.release()
  assert.equal(await running, 200, 'no hard budget binds it: it is answered, and its row waits in the spool')
  await mortal.stop('SIGKILL')
  await postgres.resume()
  await valkey.resume()
  await until(async () => (await rowsOf(key).catch(() => []))[0]?.code === 'interrupted', 'it is given up')
  await until(async () => (await moneyOf(key.scope)).held === 0n, 'its money is free')
  assert.deepEqual(await moneyOf(key.scope), { spent: 0n, held: 0n, inFlight: 0 })
  await assertVerified()

  mortal = startMortal()
  await mortal.url()
  const [row] = await rowsOf(key)
  assert.deepEqual([row?.status, row?.code], [200, null])
  const cost = BigInt(Number(row?.['cost_picodollars']))
  assert.ok(cost > 0n)
  assert.deepEqual(await moneyOf(key.scope), { spent: cost, held: 0n, inFlight: 0 })
  await assertVerified()
})

test('a node that let calls through and died before they were booked: they are booked at its next start', async () => {
  const key = await newKey(survivor, { rpm: 100 })
  await knownToMortal(key)
  await valkey.halt()
  const readyz = async (): Promise<Json> => (await fetch(`${await mortal.url()}/readyz`)).json()
  await until(async () => !(await readyz()).limits.up, 'it has noticed')
  assert.equal(await callMortal(key), 200)
  await mortal.stop('SIGKILL')
  await valkey.resume()
  await until(async () => (await moneyOf(key.scope).catch(() => null)) !== null, 'the counters are back')
  assert.equal((await moneyOf(key.scope)).spent, 0n)
  mortal = startMortal()
  await mortal.url()
  const [row] = await rowsOf(key)
  assert.equal((await moneyOf(key.scope)).spent, BigInt(Number(row?.['cost_picodollars'])))
  await assertVerified()
})
