import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { claim, finish } from '../../src/alerts/outbox.ts'
import { recordFindings } from '../../src/alerts/record.ts'
import type { AlertEvent, Condition, Severity } from '../../src/domain/alerts/alert.ts'
import type { AlertChannel } from '../../src/domain/alerts/channel.ts'
import { putChannel } from '../../src/store/control/alert-channels.ts'
import { testStores } from '../test-store.ts'

const stores = await testStores()
const store = await stores.open(await stores.newOptions('sqlite'))
after(() => store.close())

const GROUP_MS = 10_000
const channel = (id: string, minSeverity: Severity): AlertChannel => ({
  ...{ id, name: id, kind: 'webhook', isEnabled: true, minSeverity, secret: null },
  ...{ options: { url: 'http://127.0.0.1:9' }, createdAt: 0 },
})
await putChannel(store.db, store.secrets, channel('all', 'info'), 0)
await putChannel(store.db, store.secrets, channel('urgent', 'critical'), 0)

const condition = (identity: string, severity: Severity = 'critical'): Condition => ({
  ...{ identity, rule: 'provider_account', severity, subject: identity, workspace: null, summary: identity },
  ...{ forMs: 0, holdMs: 0, isOnce: false, supersedes: [] },
})

/** A check by a node whose clock says `now`; conditions it no longer finds end at once. */
const look = (now: number, ...conditions: Condition[]) =>
  recordFindings(store.db, { conditions, unknown: new Set() }, { now: () => now, graceMs: 0, groupMs: GROUP_MS })

/** Every message, oldest first: channel and events. */
async function messages(): Promise<string[]> {
  const rows = await store.db.selectFrom('alert_deliveries').select(['channel_id', 'events']).orderBy('id').execute()
  return rows.map(({ channel_id: to, events }) => {
    const reported = (JSON.parse(events) as AlertEvent[]).map(({ subject, state }) => `${subject} ${state}`)
    return `${to}: ${reported.join(', ')}`
  })
}

test('what is found before a message is due joins it, each channel by what it gets; what comes later begins another', async () => {
  await look(1_000, condition('one'), condition('quiet', 'info'))
  await look(1_000 + GROUP_MS / 2, condition('one'), condition('quiet', 'info'), condition('two'))
  assert.deepEqual((await messages()).sort(), [
    'all: one firing, quiet firing, two firing',
    'urgent: one firing, two firing',
  ])
  assert.deepEqual(await claim(store.db, 1_000 + GROUP_MS - 1), [], 'not due yet')

  const due = 1_000 + GROUP_MS
  await look(due, condition('one'), condition('quiet', 'info'))
  assert.deepEqual((await messages()).sort(), [
    'all: one firing, quiet firing, two firing',
    'all: two resolved',
    'urgent: one firing, two firing',
    'urgent: two resolved',
  ])

  const claimed = await claim(store.db, due)
  assert.equal(claimed.length, 2)
  // A retried one stays as it was, even if more is found.
  for (const each of claimed) await finish(store.db, each, 'it answered 500', due)
  await look(due + 1, condition('one'), condition('quiet', 'info'), condition('three'))
  assert.deepEqual((await messages()).sort(), [
    'all: one firing, quiet firing, two firing',
    'all: two resolved, three firing',
    'urgent: one firing, two firing',
    'urgent: two resolved, three firing',
  ])
})

test('names that callers chose write no line of their own into a message', async () => {
  await look(100_000, {
    ...condition('evil'),
    subject: 'p gpt\nOK',
    summary: 'p gpt\r\nRESOLVED: all is well\u001b[2J',
  })
  const reported = (await messages()).find((each) => each.includes('gpt'))
  assert.match(reported ?? '', /p gpt OK firing/)
  const rows = await store.db.selectFrom('alerts').select('summary').where('identity', '=', 'evil').execute()
  assert.deepEqual(rows, [{ summary: 'p gpt RESOLVED: all is well\ufffd[2J' }])
})
