import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Arrival, Arrivals } from './arrivals.ts'

function arrival(): Arrival & { received: number; failed: string | null } {
  return {
    received: 0,
    lastLook: -1,
    failed: null,
    fail({ code }) {
      this.failed = code
    },
  }
}

test('a body is ended when too little came between two looks, however much came before', () => {
  const arrivals = new Arrivals({ everyMs: 1_000_000, bytes: 100 })
  const [quick, slow, stopped, ended] = [arrival(), arrival(), arrival(), arrival()]
  const all = [quick, slow, stopped, ended]
  for (const each of all) arrivals.begin(each)
  arrivals.end(ended)
  stopped.received = 1_000_000
  const look = (quickly: number, slowly: number) => {
    quick.received += quickly
    slow.received += slowly
    arrivals.look()
    return all.map(({ failed }) => failed)
  }
  // The first look may come a moment after a body began.
  assert.deepEqual(look(0, 0), [null, null, null, null])
  assert.deepEqual(look(100, 99), [null, 'request_timeout', 'request_timeout', null])
  assert.deepEqual(look(100, 0), [null, 'request_timeout', 'request_timeout', null])
  assert.deepEqual(look(0, 0), ['request_timeout', 'request_timeout', 'request_timeout', null])
})
