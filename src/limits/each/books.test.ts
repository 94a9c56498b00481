import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { atLength } from '../../../test/at-length.ts'
import { beginLedger, connectTo } from '../../../test/counters.ts'
import { until } from '../../../test/harness.ts'
import { fc } from '../../../test/property.ts'
import { startValkey } from '../../../test/valkey.ts'
import { counterOf, type ValueScope } from '../../domain/budgets/each.ts'
import type { EachBudget } from '../../domain/limits.ts'
import { asPicodollars } from '../../domain/pricing/price.ts'
import type { Connection } from '../counters/connection.ts'
import { JOIN, LEAVE } from '../counters/scripts/node.ts'
import { type EachBook, type EachLog, nothingSpent } from './each-book.ts'
import { MemoryBook } from './memory-book.ts'
import { ServerBook } from './server-book.ts'
import type { ValueBudget } from './value-budget.ts'

const server = await startValkey()
const connection = await connectTo(server.url)
after(async () => {
  await connection.close()
  await server.stop()
})

const LIMITS: Readonly<Record<string, bigint>> = { session: 1_000n, agent: 400n, user: 2_500n }
const NOON = Date.parse('2026-11-18T12:00:00Z')

function scopeOf(kind: ValueScope['kind'], value: string): ValueScope {
  return { workspace: 'w', keyId: kind === 'user' ? '' : 'k', kind, of: kind === 'agent' ? 's0' : '', value }
}

function budgetOf(kind: 'session' | 'agent' | 'user', value: string): ValueBudget {
  const scope = scopeOf(kind, value)
  const budget: EachBudget = { each: kind, usd: '1', per: kind === 'user' ? 'day' : 'total', mode: 'hard' }
  return {
    ...{ owner: { kind: 'key', id: 'k' }, budget, scope, counter: counterOf(scope) },
    limit: asPicodollars(LIMITS[kind] ?? 0n),
  }
}

interface Row {
  node: string
  position: number
  at: number
  counters: readonly string[]
  hold: bigint
  /** Null while it is open. */
  cost: bigint | null
}

/** Rows reach it when their node's spool is read: those of calls that have ended first. */
class FakeLog {
  readonly rows = new Map<string, Row>()
  readonly folded = new Map<string, number>()
  readonly ends = new Map<string, number>()
  readonly last = new Map<string, number>()
  /** Cut off: their rows are closed with all that was held once they are there. */
  readonly gone = new Set<string>()
  /** Nodes that have begun again and whose past is not folded. */
  readonly behind = new Set<string>()

  of(node: string): EachLog {
    const known = ({ cost, position, node: of }: Row) =>
      position <= ((cost === null ? this.folded : this.ends).get(of) ?? 0)
    return {
      caughtUp: async () => {
        if (!this.behind.has(node)) this.fold(node)
      },
      read: async (scopes) => {
        const values = scopes.map((scope) => {
          const rows = [...this.rows].filter(([, row]) => known(row) && row.counters.includes(counterOf(scope)))
          const sum = rows.reduce((total, [, { cost }]) => total + (cost ?? 0n), 0n)
          const open = rows.flatMap(([id, { cost, hold }]) => (cost === null ? [{ id, hold }] : []))
          return { spent: { ...nothingSpent(), day: sum, week: sum, month: sum, total: sum }, open }
        })
        const positions = new Map(this.folded)
        // Who waits for what a node has left asks again.
        setImmediate(() => {
          for (const of of this.behind) this.fold(of)
        })
        return { values, positions }
      },
      ended: async (ids) => ({
        calls: ids.flatMap((id) => {
          const row = this.rows.get(id)
          return row !== undefined && known(row) ? [{ id, at: row.at, cost: row.cost }] : []
        }),
        positions: new Map(this.folded),
      }),
    }
  }

  fold(node: string): void {
    this.foldEnds(node)
    this.behind.delete(node)
    this.folded.set(node, this.last.get(node) ?? 0)
    for (const id of this.gone) {
      const row = this.rows.get(id)
      if (row?.node !== node) continue
      row.cost = row.hold
      this.gone.delete(id)
    }
  }

  foldEnds(node: string): void {
    this.ends.set(node, this.last.get(node) ?? 0)
  }

  next(node: string): number {
    const position = (this.last.get(node) ?? 0) + 1
    this.last.set(node, position)
    return position
  }
}

interface Node {
  name: string
  book: EachBook
}

interface World {
  log: FakeLog
  nodes: Node[]
  /** What is due besides calls. */
  tick(): Promise<void>
  /** Its next message to the counters' server arrives, and the answer is lost. */
  lose(place: number): void
  /** Whether that is so still. */
  loses(): boolean
  /** Its running calls are cut off. `isKnown`: the log has what it left before the next process begins. */
  kill(place: number, isKnown: boolean): Promise<void>
  stop(): Promise<void>
}

type MakeWorld = () => Promise<World>

const memoryWorld: MakeWorld = async () => {
  const log = new FakeLog()
  const book = new MemoryBook(log.of('one'), () => NOON)
  return {
    log,
    nodes: [{ name: 'one', book }],
    tick: () => book.sweep(),
    lose() {},
    loses: () => false,
    async kill() {},
    stop: () => book.stop(),
  }
}

const sharedWorld: MakeWorld = async () => {
  const log = new FakeLog()
  await beginLedger(connection)
  const losing = new Set<string>()
  const start = async (name: string) => {
    const owner = `${name}-${Math.random()}`
    await connection.run(JOIN, { clock: String(NOON), node: name, process: owner })
    const lossy: Connection = {
      ...connection,
      async run(script, given) {
        const answer = await connection.run(script, given)
        if (losing.delete(name)) throw new Error('the connection was closed')
        return answer
      },
    }
    return new ServerBook({
      ...{ connection: lossy, node: name, owner, log: log.of(name), policy: null, waitMs: 20_000 },
      ...{ generation: () => 7, position: () => log.last.get(name) ?? 0, now: () => NOON, clock: () => String(NOON) },
    })
  }
  const nodes: (Node & { book: ServerBook })[] = []
  for (const name of ['one', 'two']) nodes.push({ name, book: await start(name) })
  const tick = async () => {
    for (const { book } of nodes) await book.tick()
  }
  await tick()
  return {
    log,
    nodes,
    tick,
    lose: (place) => void losing.add(nodes[place]?.name ?? ''),
    loses: () => losing.size > 0,
    async kill(place, isKnown) {
      const node = nodes[place]
      if (node === undefined) return
      const { name } = node
      node.book.end = () => {}
      await node.book.stop()
      if (!isKnown) {
        log.behind.add(name)
        log.foldEnds(name)
      } else {
        log.fold(name)
        const logged = String(log.last.get(name) ?? 0)
        await connection.run(LEAVE, { clock: String(NOON), node: name, silent_ms: '', logged, whole: logged })
      }
      node.book = await start(name)
      await node.book.tick()
    },
    async stop() {
      for (const { book } of nodes) await book.stop()
    },
  }
}

interface Step {
  kind: 'call' | 'again' | 'more' | 'end' | 'tick' | 'fold' | 'ends' | 'kill' | 'lose'
  node: number
  session: number
  agent: number
  user: number
  money: number
  part: number
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(
    ...(['call', 'call', 'call', 'again', 'end', 'end', 'end'] as const),
    ...(['more', 'tick', 'tick', 'fold', 'ends', 'ends', 'kill', 'lose'] as const),
  ),
  ...{ node: fc.nat(1), session: fc.nat(2), agent: fc.nat(3), user: fc.nat(1) },
  money: fc.integer({ min: 1, max: 500 }),
  part: fc.nat(100),
})

interface Running {
  node: number
  id: string
  budgets: ValueBudget[]
  money: bigint
}

/** Random calls with ends, kills and late logs: what rows say was spent never exceeds a limit, and nothing is stranded. */
async function run(make: MakeWorld, steps: readonly Step[]): Promise<void> {
  const world = await make()
  const { log, nodes } = world
  const running: Running[] = []
  let calls = 0
  try {
    for (const each of steps) await take(each)
    for (const call of running.splice(0)) end(call, call.money / 2n)
    for (const { name } of nodes) log.fold(name)
    await isFree()
  } finally {
    await world.stop()
  }

  async function take({ kind, node: wished, session, agent, user, money, part }: Step): Promise<void> {
    const node = wished % nodes.length
    const { book, name } = nodes[node] as Node
    if (kind === 'tick') return world.tick()
    if (kind === 'fold') return log.fold(name)
    if (kind === 'ends') return log.foldEnds(name)
    if (kind === 'lose') return world.lose(node)
    if (kind === 'call' || kind === 'again') {
      const budgets = [budgetOf('session', `s${session}`), budgetOf('user', `u${user}`)]
      if (session === 0 && agent > 0) budgets.push(budgetOf('agent', `a${agent}`))
      // A child's call counts for its parent.
      if (session === 0 && agent > 1) budgets.push(budgetOf('agent', 'a1'))
      const id = `c${++calls}`
      const loses = world.loses()
      if (kind === 'again') {
        // The key's own budget refuses it, and it is asked for again at once with less.
        const dearer = await book.hold({ id, budgets, money: BigInt(money) + 1n })
        if (dearer.kind !== 'held') return
        const counters = [...new Set(budgets.map(({ counter }) => counter))]
        book.end({ id, counters, at: 0, cost: 0n, held: BigInt(money) + 1n, position: 0 })
      }
      const decided = await book.hold({ id, budgets, money: BigInt(money) })
      if (decided.kind === 'unavailable' && loses) return
      if (decided.kind !== 'held') return assert.equal(decided.kind, 'refused')
      running.push({ node, id, budgets, money: BigInt(money) })
      write(running.at(-1) as Running, null)
    }
    if (kind === 'kill' && nodes.length > 1) {
      const gone = running.filter((call) => call.node === node)
      // Some have ended, and only their spool knows it.
      for (const call of gone) {
        if (call.money % 2n === 0n) write(call, call.money / 2n)
        else log.gone.add(call.id)
      }
      running.splice(0, running.length, ...running.filter((call) => call.node !== node))
      await world.kill(node, part % 2 === 0)
    }
    const call = running[part % Math.max(1, running.length)]
    if (call === undefined) return
    if (kind === 'end') {
      running.splice(running.indexOf(call), 1)
      end(call, (call.money * BigInt(part)) / 100n)
    }
    if (kind === 'more') {
      const { book: own } = nodes[call.node] as Node
      const more = BigInt(money)
      if (!(await own.holdMore({ id: call.id, budgets: call.budgets, money: more }))) return
      call.money += more
      write(call, null)
    }
    check()
  }

  function write({ id, node, budgets, money }: Running, cost: bigint | null): number {
    const { name } = nodes[node] as Node
    const position = log.next(name)
    log.rows.set(id, {
      node: name,
      position,
      at: NOON,
      counters: budgets.map(({ counter }) => counter),
      hold: money,
      cost,
    })
    return position
  }

  function end(call: Running, cost: bigint): void {
    const position = write(call, cost)
    const counters = [...new Set(call.budgets.map(({ counter }) => counter))]
    nodes[call.node]?.book.end({ id: call.id, counters, at: NOON, cost, held: call.money, position })
  }

  /** Rows know the truth: what ended, and what is held. */
  function check(): void {
    const sums = new Map<string, bigint>()
    for (const { counters, cost, hold } of log.rows.values()) {
      for (const name of new Set(counters)) sums.set(name, (sums.get(name) ?? 0n) + (cost ?? hold))
    }
    for (const [name, sum] of sums) {
      const limit = LIMITS[name.split('\n')[2] ?? ''] ?? 0n
      assert.ok(sum <= limit, `${name.replaceAll('\n', ' ')}: ${sum} of ${limit}`)
    }
  }

  /** The last call that fits is served, and one picodollar more is not. */
  async function isFree(): Promise<void> {
    const first = nodes[0] as Node
    for (const [kind, values] of [
      ['session', 3],
      ['user', 2],
    ] as const) {
      for (let value = 0; value < values; value++) {
        const budget = budgetOf(kind, `${kind[0]}${value}`)
        const spent = [...log.rows.values()].reduce(
          (sum, { counters, cost }) => (counters.includes(budget.counter) ? sum + (cost ?? 0n) : sum),
          0n,
        )
        const left = (LIMITS[kind] ?? 0n) - spent
        const id = `last ${kind} ${value}`
        const isServed = async () => {
          await world.tick()
          return (await first.book.hold({ id, budgets: [budget], money: left })).kind === 'held'
        }
        await until(isServed, `the last ${left} of ${kind} ${value} are free`)
        const more = await first.book.hold({ id: `${id} and more`, budgets: [budget], money: 1n })
        assert.equal(more.kind, 'refused')
      }
    }
  }
}

for (const [name, make] of [
  ['of one process', memoryWorld],
  ['of several gateways', sharedWorld],
] as const) {
  describe(`the book ${name}`, () => {
    test('keeps every budget through ends, kills and late logs, and strands nothing', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 120 }), (steps) => run(make, steps)),
        // What is stranded is waited for, so a failure is not made smaller.
        make === memoryWorld ? { numRuns: 300 } : { numRuns: atLength(10, 25), endOnFailure: true },
      )
    })
  })
}

test('what a gateway that died has held stays held until the log has its row', async () => {
  const { log, nodes, tick, kill, stop } = await sharedWorld()
  const budgets = [budgetOf('session', 's0')]
  const [counter = ''] = budgets.map((budget) => budget.counter)
  assert.equal((await nodes[1]?.book.hold({ id: 'a', budgets, money: 600n }))?.kind, 'held')
  log.rows.set('a', { node: 'two', position: log.next('two'), at: NOON, counters: [counter], hold: 600n, cost: null })
  log.gone.add('a')
  await kill(1, false)
  await tick()
  const decided = await nodes[0]?.book.hold({ id: 'b', budgets, money: 401n })
  assert.equal(decided?.kind, 'refused')
  log.fold('two')
  await tick()
  assert.equal((await nodes[0]?.book.hold({ id: 'c', budgets, money: 401n }))?.kind, 'refused')
  assert.equal((await nodes[0]?.book.hold({ id: 'd', budgets, money: 400n }))?.kind, 'held')
  await stop()
})

test('a new period begins with nothing, and a call from before counts in the one before', async () => {
  let now = Date.parse('2026-11-18T23:59:00Z')
  const book = new MemoryBook(new FakeLog().of('one'), () => now)
  const budget = budgetOf('user', 'u1')
  const hold = (id: string, money: bigint) => book.hold({ id, budgets: [budget], money })
  assert.equal((await hold('a', 2_000n)).kind, 'held')
  assert.equal((await hold('b', 501n)).kind, 'refused')
  now += 120_000
  book.end({ id: 'a', counters: [budget.counter], at: now - 120_000, cost: 2_000n, held: 2_000n, position: 1 })
  assert.equal((await hold('c', 2_500n)).kind, 'held')
  await book.stop()
})

/** `EACH_SESSIONS=1000000` for the figure of docs/performance.md. */
const SESSIONS = Number(process.env['EACH_SESSIONS'] ?? 50_000)

test(`${SESSIONS} sessions from one key leave a bounded number of counters`, async () => {
  const log = new FakeLog()
  let now = NOON
  const book = new MemoryBook(log.of('one'), () => now)
  for (let number = 0; number < SESSIONS; number++) {
    now += 1
    const budgets = [budgetOf('session', `x${number}`)]
    await book.hold({ id: 'c', budgets, money: 5n })
    const counters = budgets.map(({ counter }) => counter)
    book.end({ id: 'c', counters, at: now, cost: 5n, held: 5n, position: number })
    if (number % 1_000 === 0) await book.sweep()
  }
  assert.ok(book.size <= 8_000, `${book.size} counters`)
  await book.stop()
})
