import assert from 'node:assert/strict'
import { syncBuiltinESMExports } from 'node:module'
import { after, before, mock, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { FOLLOW_MS } from '../../src/store/control/control-follower.ts'
import { type Harness, type Json, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { startPostgres } from '../postgres.ts'

/**
 * "Within a second at the other nodes", without a stopwatch: every timer of this process, including both gateways, is
 * frozen unless the test lets time pass. What waits longer than that waits for ever, however fast or slow the machine
 * is.
 */
/** Ends what would wait for ever. */
const GIVES_UP = { timeout: 600_000 }
const server = await startPostgres()
let first: Harness
let second: Harness
const manage = managing(() => first)

before(async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  // Without it `import { setTimeout } from 'node:timers/promises'` would still be the real one.
  syncBuiltinESMExports()
  const environment = { DATABASE_URL: await server.createDatabase(), SECRETS_KEY: 'one-key-for-all-nodes' }
  first = await startHarness({ environment })
  second = await startHarness({ environment })
})

after(async () => {
  mock.timers.reset()
  syncBuiltinESMExports()
  await Promise.all([first?.stop(), second?.stop()])
  await server.stop()
})

async function isLetIn({ get }: Harness, value: string): Promise<boolean> {
  return (await get('/v1/models', { authorization: `Bearer ${value}` })).status === 200
}

/** While no time passes; the deadline is only there to end a test that has failed. */
async function settles(condition: () => Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 120_000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`)
    await nextTurn()
  }
}

async function newKey(name: string): Promise<Json> {
  const { status, json, text } = await manage('POST', '/keys', { name })
  assert.equal(status, 201, text)
  return json
}

test('a change is seen at another node before any time has passed: PostgreSQL tells it', GIVES_UP, async () => {
  const { id, value } = await newKey('told')
  await settles(() => isLetIn(second, value), 'the new key works')
  const rotated = (await manage('POST', `/keys/${id}/rotate`)).json
  await settles(async () => !(await isLetIn(second, value)), 'the replaced value is refused')
  assert.ok(await isLetIn(second, rotated.value))
  assert.equal((await manage('POST', `/keys/${id}/pause`)).status, 200)
  await settles(async () => !(await isLetIn(second, rotated.value)), 'the paused key is refused')
})

test(
  'one whose notification got lost is seen when it is asked for, and a second does not pass before that',
  GIVES_UP,
  async () => {
    assert.ok(FOLLOW_MS <= 1_000)
    const { id, value } = await newKey('untold')
    await settles(() => isLetIn(second, value), 'the new key works')
    const { db } = first.gateway.store
    // As another node would make this change, but without the notification.
    await db.transaction().execute(async (transaction) => {
      await sql`update settings set value = cast(cast(value as bigint) + 1 as text) where name = 'control'`.execute(
        transaction,
      )
      await transaction.updateTable('keys').set({ revoked_at: 1 }).where('id', '=', id).execute()
    })
    for (let turn = 0; turn < 100; turn++) await nextTurn()
    assert.ok(await isLetIn(second, value), 'nobody has told it')
    mock.timers.tick(FOLLOW_MS)
    await settles(async () => !(await isLetIn(second, value)), 'the revoked key is refused')
  },
)
