import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IDEMPOTENCY_MS } from '../../src/domain/idempotency.ts'
import { fc } from '../property.ts'
import { type Caller, newWorld, type Row, type Told, turn } from './idempotency-world.ts'

const HOUR = 3_600_000

/** What a request must get, read off the log alone. */
function expected(rows: readonly Row[], now: number, key: string, body: string): string[] {
  const claimed = rows.findLast(
    // A call that takes longer than a day is still joined.
    (row) => row.identity === `key ${key}` && (row.state === 'running' || row.startedAt > now - IDEMPOTENCY_MS),
  )
  if (claimed === undefined) return ['sent']
  if (claimed.bodyHash !== body || claimed.state === 'uncertain') return ['refused']
  return claimed.state === 'running' ? ['waits'] : ['told', 'refused']
}

const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ do: fc.constant('ask' as const), key: fc.nat(2), body: fc.constantFrom(0, 0, 0, 1) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('together' as const), key: fc.nat(2), callers: fc.nat(4) }) },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constantFrom('answer' as const, 'answer' as const, 'fail' as const, 'leave' as const),
      which: fc.nat(20),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.constantFrom(1, 11, 24) }) },
)

test('whatever happens in whatever order, a key is never charged twice within 24 hours', async () => {
  const seen = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }), async (steps) => {
      const world = newWorld()
      let waiting = new Set<Caller>()
      const charges: Row[] = []
      const results = new Map<Caller, Told>()
      const ask = (key: number, body: number) => {
        const caller = world.ask(`k${key}`, `b${body}`)
        waiting.add(caller)
        void caller.reported.then((reported) => results.set(caller, reported))
        return caller
      }
      const kindOf = (caller: Caller) => results.get(caller)?.kind ?? 'waits'
      const sent = () => [...waiting].filter((caller) => kindOf(caller) === 'sent')
      for (const one of steps) {
        if (one.do === 'ask') {
          const allowed = expected(world.rows, world.now(), `k${one.key}`, `b${one.body}`)
          const caller = ask(one.key, one.body)
          await turn()
          assert.ok(allowed.includes(kindOf(caller)), `${kindOf(caller)}, not ${allowed}`)
          seen.set(kindOf(caller), (seen.get(kindOf(caller)) ?? 0) + 1)
        } else if (one.do === 'together') {
          const [only] = expected(world.rows, world.now(), `k${one.key}`, 'b0')
          const callers = Array.from({ length: one.callers + 1 }, () => ask(one.key, 0))
          await turn()
          const sentNow = callers.filter((caller) => kindOf(caller) === 'sent').length
          assert.equal(sentNow, only === 'sent' ? 1 : 0)
        } else if (one.do === 'restart') {
          waiting = new Set()
          world.restart()
        } else if (one.do === 'wait') {
          world.wait(one.hours * HOUR)
        } else {
          const among = one.do === 'leave' ? [...waiting] : sent()
          const caller = among[one.which % among.length]
          if (caller === undefined) continue
          if (one.do === 'answer') {
            world.answer(caller)
            charges.push(caller.row)
          } else if (one.do === 'fail') world.fail(caller)
          else {
            caller.leave()
            for (const first of sent()) {
              if (!first.life.presence.left) continue
              world.breakOff(first)
              waiting.delete(first)
            }
          }
          if (one.do !== 'leave') waiting.delete(caller)
          await turn()
        }
        const running = world.rows.filter((row) => row.state === 'running').map((row) => row.identity)
        assert.equal(new Set(running).size, running.length, 'two calls run for one key')
      }
      for (const [index, charge] of charges.entries()) {
        for (const later of charges.slice(index + 1)) {
          if (later.identity !== charge.identity) continue
          assert.ok(Math.abs(later.startedAt - charge.startedAt) >= IDEMPOTENCY_MS, 'charged twice')
        }
      }
      for (const [caller, reported] of results) {
        if (reported.kind !== 'told' || reported.reply.status !== 200) continue
        assert.equal(reported.reply.body, `answer to ${caller.row.bodyHash}`)
        const id = reported.reply.headers['x-gateway-request-id']
        assert.ok(charges.some((row) => row.requestId === id && row.identity === caller.row.identity))
      }
    }),
    { numRuns: 400 },
  )
  for (const kind of ['sent', 'told', 'refused', 'waits']) assert.ok((seen.get(kind) ?? 0) > 20, `${kind} was reached`)
})
