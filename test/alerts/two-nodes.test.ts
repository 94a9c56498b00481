import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { claim, finish } from '../../src/alerts/outbox.ts'
import { recordFindings } from '../../src/alerts/record.ts'
import type { Condition } from '../../src/domain/alerts/alert.ts'
import type { AlertChannel } from '../../src/domain/alerts/channel.ts'
import { putChannel } from '../../src/store/control/alert-channels.ts'
import { testStores } from '../test-store.ts'

const stores = await testStores()
const options = await stores.newOptions('postgres')
const first = await stores.open({ ...options, dataDir: (await stores.newOptions('sqlite')).dataDir })
const second = await stores.open(options)
const nodes = [first, second]
after(() => Promise.all(nodes.map((store) => store.close())))

const LONG_AGO = 1_000
const channel: AlertChannel = {
  ...{ id: 'ops', name: 'ops', kind: 'webhook', isEnabled: true, minSeverity: 'info', secret: null },
  ...{ options: { url: 'http://127.0.0.1:9' }, createdAt: LONG_AGO },
}
await putChannel(first.db, first.secrets, channel, LONG_AGO)

const condition = (identity: string): Condition => ({
  ...{ identity, rule: 'provider_account', severity: 'critical', subject: identity, workspace: null },
  ...{ summary: identity, forMs: 0, holdMs: 0, isOnce: false, supersedes: [] },
})
const seen = [condition('one'), condition('two'), condition('three')]

/** Many looks at once, half of them by each node. */
const look = (conditions: readonly Condition[], graceMs: number) =>
  Promise.all(
    Array.from({ length: 20 }, (_, turn) =>
      recordFindings(
        (turn % 2 === 0 ? first : second).db,
        { conditions, unknown: new Set() },
        {
          ...{ now: Date.now, graceMs, groupMs: 0 },
        },
      ),
    ),
  )

const said = async () => {
  const rows = await first.db.selectFrom('alert_deliveries').select('events').execute()
  const events = rows.flatMap((row) => JSON.parse(row.events) as { subject: string; state: string }[])
  return events.map(({ subject, state }) => `${subject} ${state}`).sort()
}

test('two nodes that look at once tell what begins once, and what ends once', async () => {
  const firing = ['one firing', 'three firing', 'two firing']
  await look(seen, 60_000)
  assert.deepEqual(await said(), firing)
  await look([], 60_000)
  assert.deepEqual(await said(), firing, 'another node may still see it')
  await look([], 0)
  assert.deepEqual(await said(), [...firing, 'one resolved', 'three resolved', 'two resolved'].sort())
})

test('two nodes that send at once claim each message once, and a lease that is lost says nothing', async () => {
  const now = Date.now() + 60_000
  const claimed = (
    await Promise.all(Array.from({ length: 10 }, (_, turn) => claim((turn % 2 === 0 ? first : second).db, now)))
  ).flat()
  const rows = await first.db.selectFrom('alert_deliveries').select('id').execute()
  assert.ok(rows.length > 0)
  assert.deepEqual(claimed.map(({ id }) => id).sort(), rows.map(({ id }) => id).sort())
  const later = now + 31_000
  const again = await claim(second.db, later)
  assert.equal(again.length, rows.length, 'the node that had them is dead')
  const [lost, taken] = [claimed[0], again.find(({ id }) => id === claimed[0]?.id)]
  assert.ok(lost !== undefined && taken !== undefined)
  await finish(first.db, lost, 'too late', later)
  const stateOf = (id: string) =>
    first.db.selectFrom('alert_deliveries').select(['state', 'last_error']).where('id', '=', id).executeTakeFirst()
  assert.deepEqual(await stateOf(lost.id), { state: 'pending', last_error: null })
  await finish(second.db, taken, null, later)
  assert.deepEqual(await stateOf(lost.id), { state: 'sent', last_error: null })
})
