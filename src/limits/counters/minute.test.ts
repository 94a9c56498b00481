import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { beginLedger, connectTo } from '../../../test/counters.ts'
import { fc } from '../../../test/property.ts'
import { startValkey } from '../../../test/valkey.ts'
import type { Payer } from '../spend-ledger.ts'
import { listOf, readSync, statusOf } from './answers.ts'
import type { LeasedCall } from './leased-scope.ts'
import { Leases } from './leases.ts'
import { syncArguments } from './message.ts'
import { type Missed, Reports } from './reports.ts'
import { JOIN } from './scripts/node.ts'
import { STATUS } from './scripts/status.ts'
import { SYNC } from './scripts/sync.ts'

const server = await startValkey()
const connection = await connectTo(server.url)
after(async () => {
  await connection.close()
  await server.stop()
})

const NOW = Date.UTC(2027, 4, 30, 21, 0, 0)
const SECOND = NOW / 1000
const HOLD = 100
const PAYER: Payer = {
  key: { id: 'a', limits: { budget: { usd: '1', per: 'total', mode: 'hard' } } },
  workspace: { name: 'first', limits: null },
}
const PLACE = { keyId: 'a', workspace: 'first', second: SECOND }

interface Running {
  call: LeasedCall
  used: number | null
}

/** A node whose spool outlives it: each record as it counts in the minute. */
class Node {
  #leases = new Leases(0)
  #reports = new Reports(this.#leases)
  readonly #spool: Missed['seconds'] = []
  running: Running[] = []

  async start(isNew = true): Promise<void> {
    if (isNew) {
      this.running = []
      this.#leases = new Leases(this.#spool.length)
      this.#reports = new Reports(this.#leases)
    }
    const process = randomUUID()
    const { position } = await connection.run(JOIN, { clock: String(NOW), node: 'node', process })
    this.#reports.forget(process)
    const upTo = this.#reports.forgetUnreported()
    this.#reports.add({ spent: [], left: [], seconds: this.#spool.slice(Number(position), upTo) }, NOW)
    await this.tell(true)
  }

  async tell(isFull: boolean, asks = false): Promise<void> {
    const waiting = { money: 1n, tokens: HOLD, isAsked: false, isLeft: false }
    const calls = asks ? [{ ...this.#leases.scopesOf(PAYER, NOW), ...waiting }] : []
    const message = this.#reports.compose(calls, isFull, NOW)
    const reported = { ...syncArguments('node', message), clock: String(NOW) }
    for (const call of this.#reports.apply(message, readSync(await connection.run(SYNC, reported)))) {
      if (call !== null) this.running.push({ call, used: null })
    }
  }

  begin(): void {
    const hold = { picodollars: 1n, tokens: HOLD } as Parameters<Leases['letThrough']>[1]
    this.running.push({ call: this.#leases.letThrough(PAYER, hold, NOW), used: null })
  }

  open({ call }: Running): void {
    if (call.isOpen) return
    this.#spool.push({ ...PLACE, requests: 1, tokens: HOLD })
    this.#leases.opened(call, this.#spool.length)
  }

  end(running: Running, used: number): void {
    this.open(running)
    this.running = this.running.filter((each) => each !== running)
    this.#spool.push({ ...PLACE, requests: 0, tokens: used - HOLD })
    this.#leases.settle(running.call, { picodollars: null, tokens: used }, this.#spool.length)
    this.#leases.urgent.add(running.call.key)
  }

  giveUp(running: Running): void {
    if (running.call.isOpen) return
    this.running = this.running.filter((each) => each !== running)
    this.#leases.release(running.call)
  }

  /** What the spool says, and the calls that have no row yet. */
  async assertCounted(): Promise<void> {
    for (const each of this.running) this.open(each)
    await this.tell(true)
    const [requests, tokens] = [sum(this.#spool, 'requests'), sum(this.#spool, 'tokens')]
    for (const [kind, id] of [['key', 'a'] as const, ['workspace', 'first'] as const]) {
      const names = JSON.stringify([`${kind}:${id}`])
      const { scopes } = await connection.run(STATUS, { clock: String(NOW), names })
      const status = statusOf({ kind, id }, listOf(scopes)[0] ?? [])
      assert.deepEqual([status.requestsLastMinute, status.tokensLastMinute], [requests, tokens])
    }
  }
}

function sum(spool: Missed['seconds'], kind: 'requests' | 'tokens'): number {
  return spool.reduce((total, record) => total + record[kind], 0)
}

test('what an urgent message has told of the minute counts once when the node is killed after it', async () => {
  await beginLedger(connection)
  const node = new Node()
  await node.start()
  await node.tell(true, true)
  const [asked] = node.running
  assert.ok(asked !== undefined)
  node.open(asked)
  await node.tell(true)
  node.end(asked, 55)
  await node.tell(false)
  await node.start()
  await node.assertCounted()
})

const which = fc.nat({ max: 20 })
const STEPS = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('ask' as const, 'tell' as const), isFull: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('open' as const, 'give up' as const), which }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('end' as const), which, used: fc.nat({ max: HOLD }) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('begin' as const, 'kill' as const, 'join' as const) }) },
  ),
  { minLength: 5, maxLength: 40 },
)

test('the minute has what the spool has, whatever was told and whenever the node was killed', async () => {
  await fc.assert(
    fc.asyncProperty(STEPS, async (steps) => {
      await beginLedger(connection)
      const node = new Node()
      await node.start()
      for (const step of steps) {
        const running = 'which' in step ? node.running[step.which % Math.max(1, node.running.length)] : undefined
        if (step.do === 'ask') await node.tell(step.isFull, true)
        else if (step.do === 'tell') await node.tell(step.isFull)
        else if (step.do === 'begin') node.begin()
        else if (step.do === 'kill' || step.do === 'join') await node.start(step.do === 'kill')
        else if (running !== undefined && step.do === 'open') node.open(running)
        else if (running !== undefined && step.do === 'give up') node.giveUp(running)
        else if (running !== undefined && step.do === 'end') node.end(running, step.used)
      }
      await node.start()
      await node.assertCounted()
    }),
    { numRuns: 200 },
  )
})
