import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { type Harness, type Json, startHarness, until } from '../harness.ts'
import { ask, assertVerified, CONFIG, hard, holdOfAsk, mostUsed, newKey } from '../limits/limited.ts'
import { managing } from '../management/manage.ts'

let now = Date.now()
const harness: Harness = await startHarness({ config: CONFIG, now: () => now })
after(() => harness.stop())
const manage = managing(() => harness)
beforeEach(() => harness.simulator.reset())

const call = (value: string) => harness.chat(ask('plain'), { authorization: `Bearer ${value}` })

async function rotate(id: string, overlap_seconds: number): Promise<Json> {
  const rotated = await manage('POST', `/keys/${id}/rotate`, { overlap_seconds })
  assert.equal(rotated.status, 201, rotated.text)
  return rotated.json
}

describe('what a key has used stays with it when it is rotated', () => {
  test('a hard budget is never exceeded, however often the key is rotated under load', async () => {
    const HOLD = holdOfAsk('plain')
    const limit = 12n * HOLD
    const key = await newKey(harness, hard(limit))
    const values = [String(key.headers['authorization']).slice('Bearer '.length)]
    let id = key.id
    let made = 0
    let isOver = false
    const caller = async () => {
      while (!isOver) await call(values[made++ % values.length] ?? '')
    }
    const [, most] = await mostUsed(harness, key.scope, async () => {
      const callers = Array.from({ length: 12 }, caller)
      for (let time = 0; time < 8; time++) {
        const before = made
        await until(() => made >= before + 24, 'calls are made between two rotations')
        const rotated = await rotate(id, 60)
        id = rotated.id
        values.push(rotated.value)
      }
      isOver = true
      await Promise.all(callers)
    })
    const rows = (await harness.rows()).filter((row) => row.status === 200)
    const cost = rows.reduce((sum, row) => sum + BigInt(row['cost_picodollars'] as number), 0n)
    assert.ok(rows.length >= 12, `${rows.length} calls were served`)
    assert.ok(cost <= limit, `${cost} of ${limit} picodollars were spent`)
    assert.ok(most <= limit)
    assert.equal(new Set(rows.map((row) => row['key_id'])).size, 1)
    const { data } = (await manage('GET', '/usage?group_by=key')).json
    const shown = data.map(({ group, name, requests }: Json) => [group, name.replace(/\d+$/, ''), requests])
    assert.deepEqual(shown, [[key.id, 'limited-', made]])
    await assertVerified(harness)
  })
})

describe('an overlap is in seconds', () => {
  test('of 60: the old value works at 59.9 seconds and not at 60.1; the new one at both', async () => {
    const old = (await manage('POST', '/keys', { name: 'overlapping' })).json
    const begun = now
    const next = await rotate(old.id, 60)
    const answers = async () => [(await call(old.value)).status, (await call(next.value)).status]
    now = begun + 59_900
    assert.deepEqual(await answers(), [200, 200])
    now = begun + 60_100
    assert.deepEqual(await answers(), [401, 200])
  })
})
