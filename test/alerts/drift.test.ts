import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Harness, type Json, startHarness, until } from '../harness.ts'
import { managing } from '../management/manage.ts'

const HEADER = 'date,time_zone,model,account,class,quantity,amount,currency'

describe('a difference that no cause explains', { concurrency: false }, () => {
  let harness: Harness
  let now = Date.parse('2026-05-04T06:00:00Z')
  const manage = managing(() => harness)
  before(async () => {
    harness = await startHarness({ now: () => now, environment: { ALERTS_EVERY_SECONDS: '1' } })
  })
  after(() => harness?.stop())

  const firing = async (): Promise<Json[]> =>
    (await manage('GET', '/alerts?state=firing&rule=reconciliation_drift')).json.data
  // Money alone, without tokens: nothing can be proven about it.
  const send = async (amount: string) => {
    const text = `${HEADER}\n2026-05-04,UTC,m1,p,input,,${amount},USD\n`
    const body = { source: 'csv', provider: 'openai', text, replace: true }
    assert.equal((await manage('POST', '/reports', body)).status, 200)
  }

  test('raises no alert while the report can still change, and one when it has settled', async () => {
    await send('7.50')
    await until(async () => (await manage('GET', '/reconciliation?month=2026-05')).json.data.length === 1, 'compared')
    assert.deepEqual(await firing(), [])
    now = Date.parse('2026-05-08T00:00:00Z')
    // An idle gateway looks again after a change.
    await manage('POST', '/workspaces', { name: 'other' })
    await until(async () => (await firing()).length === 1, 'the alert')
    const [alert] = await firing()
    assert.equal(alert.subject, 'openai 2026-05-04 m1')
    assert.match(alert.summary, /^openai bills \$7\.5 more than booked for m1 on 2026-05-04/)
    assert.deepEqual([alert.provider, alert.model], ['openai', 'm1'])
  })
})
