import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chainEntry } from '../../domain/route.ts'
import { createTraffic } from './traffic.ts'

const a = chainEntry({ provider: 'a', model: 'm' })
const b = chainEntry({ provider: 'b', model: 'm' })

describe('the traffic of a node', () => {
  test('counts the calls that are at an entry, each once', () => {
    const traffic = createTraffic(() => 0)
    const [first, second] = [traffic.enter(a), traffic.enter({ ...a })]
    assert.deepEqual([traffic.running(a), traffic.running(b)], [2, 0])
    first()
    first()
    assert.equal(traffic.running(a), 1)
    second()
    assert.equal(traffic.running(a), 0)
  })

  test('follows how long answers take, streams apart, and forgets after a minute', () => {
    let now = 0
    const traffic = createTraffic(() => now)
    assert.equal(traffic.latencyMs(a, false), null)
    traffic.took(a, false, 100)
    traffic.took(a, false, 200)
    assert.equal(traffic.latencyMs(a, false), 120)
    assert.deepEqual([traffic.latencyMs(a, true), traffic.latencyMs(b, false)], [null, null])
    now = 60_000
    assert.equal(traffic.latencyMs(a, false), 120)
    now = 60_001
    assert.equal(traffic.latencyMs(a, false), null)
    traffic.took(a, false, 900)
    assert.equal(traffic.latencyMs(a, false), 900, 'what was long ago does not count any more')
  })

  test('keeps only so many names', () => {
    const traffic = createTraffic(() => 0)
    for (let model = 0; model <= 1_000; model += 1) traffic.took({ ...a, model: String(model) }, false, 1)
    assert.deepEqual(
      [traffic.latencyMs({ ...a, model: '0' }, false), traffic.latencyMs({ ...a, model: '1000' }, false)],
      [null, 1],
    )
  })
})
