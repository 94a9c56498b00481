import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, test } from 'node:test'
import { type Harness, newFolder, startHarness, until } from '../harness.ts'
import { startPostgres } from '../postgres.ts'
import { ask, CONFIG, hard, holdOfAsk, newKey } from './limited.ts'

const HOLD = holdOfAsk('plain')
const postgres = await startPostgres()
const DATABASE_URL = await postgres.createDatabase()
const folders = [newFolder(), newFolder()]
after(async () => {
  await postgres.stop()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function start(folder: string): Promise<Harness> {
  return startHarness({ config: CONFIG, folder, environment: { DATABASE_URL, SECRETS_KEY: 'sixteen-characters-long' } })
}

test('without shared counters one gateway enforces limits, the other refuses what a limit binds, until it takes over', async () => {
  const first = await start(folders[0] ?? '')
  const second = await start(folders[1] ?? '')
  try {
    const limits = async (node: Harness) => (await node.get('/readyz')).json.limits
    assert.deepEqual(await limits(first), { kind: 'lone', enforces: true })
    assert.deepEqual(await limits(second), { kind: 'lone', enforces: false })
    const bound = await newKey(first, hard(2n * HOLD))
    const free = await newKey(first, null)
    await until(async () => (await second.get('/v1/models', free.headers)).status === 200, 'the keys are known')
    const at = (node: Harness, key: typeof bound) => node.chat(ask('plain'), key.headers)

    assert.equal((await at(first, bound)).status, 200)
    const refused = await at(second, bound)
    assert.deepEqual([refused.status, refused.json.error.code], [503, 'limits_unavailable'])
    assert.match(refused.json.error.message, /REDIS_URL/)
    assert.equal((await at(second, free)).status, 200)
    assert.match((await second.get('/metrics')).text, /^switchyard_counters_up 0$/m)

    await first.stop()
    await until(async () => (await limits(second)).enforces, 'the other one enforces')
    while ((await at(second, bound)).status === 200);
    const row = (await second.rows()).filter((each) => each['key_id'] === bound.id && each.status === 200)
    const spent = row.reduce((sum, each) => sum + BigInt(Number(each['cost_picodollars'])), 0n)
    assert.ok(spent > HOLD && spent <= 2n * HOLD, 'what the first one had spent counts')
    assert.equal((await at(second, bound)).status, 402)
  } finally {
    await second.stop()
  }
})
