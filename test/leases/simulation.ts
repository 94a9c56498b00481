import { randomUUID } from 'node:crypto'
import type { Limits } from '../../src/domain/limits.ts'
import { asPicodollars } from '../../src/domain/pricing/price.ts'
import type { Decision } from '../../src/limits/admission.ts'
import { listOf } from '../../src/limits/counters/answers.ts'
import type { Connection } from '../../src/limits/counters/connection.ts'
import { valuesOf } from '../../src/limits/counters/fields.ts'
import { Leases } from '../../src/limits/counters/leases.ts'
import { CountersLedger } from '../../src/limits/counters/ledger.ts'
import { Reports } from '../../src/limits/counters/reports.ts'
import { JOIN } from '../../src/limits/counters/scripts/node.ts'
import { SYNC } from '../../src/limits/counters/scripts/sync.ts'
import { Syncs } from '../../src/limits/counters/syncs.ts'
import { beginLedger } from '../counters.ts'
import { VirtualTime } from './virtual-time.ts'

/** One budget that many nodes spend together. */
export interface Scenario {
  nodes: number
  /** How many holds fit into the budget. */
  holds: number
  /** API keys that calls take turns with, each far from limits of its own; 0: one without limits. */
  keys: number
  /** Calls a second, of all nodes together. */
  rate: number
  /** So many nodes are killed after `KILLED_AT_MS`. */
  killed: number
  roundTripMs: number
  seed: number
}

/**
 * While nodes find out what they use; while the counters lease in advance; while they decide each call; once they have
 * refused one.
 */
export const PHASES = ['starting', 'far', 'tight', 'refusing'] as const
export type Phase = (typeof PHASES)[number]

export interface PhaseFigures {
  calls: number
  /** Round trips for which calls waited. */
  trips: number
  messages: number
  served: number
  refused: number
  /** Refused although other nodes had idle money for longer than it takes to learn of it. */
  refusedTooSoon: number
  /** Answered with 503. */
  unavailable: number
  waitedMs: number[]
}

export interface Outcome {
  phases: Record<Phase, PhaseFigures>
  /** Share of the budget that was spent at the end, and that dead nodes had leased and not spent. */
  spent: number
  stranded: number
  /** What was spent and held was together above the limit. */
  isOverspent: boolean
  /** How long it took there. */
  seconds: number
}

const HOLD = 1_000_000_000n
/** Of the run; what a budget that is never spent needs. */
const LONGEST_MS = 10_000
const REFUSING_MS = 3_000
const KILLED_AT_MS = 3_000
const STARTING_MS = 2_000
/** Besides two round trips: an urgent message may wait 5 ms. */
const LATE_MS = 8
const SHORTEST_CALL_MS = 500
const BUDGET = { kind: 'workspace', id: 'all' } as const
const EPOCH = Date.UTC(2027, 4, 30, 12)

interface World {
  scenario: Scenario
  time: VirtualTime
  connection: Connection
  limits: Limits
  limit: bigint
  figures: Outcome['phases']
  phase: Phase
  spent: bigint
  held: bigint
  nodes: Node[]
  refusingSince: number
  isOverspent: boolean
  random(): number
}

/** The real leases and scripts, on a real Valkey, in their own time; nothing else of a gateway. */
export async function simulate(connection: Connection, scenario: Scenario): Promise<Outcome> {
  await beginLedger(connection)
  const world = newWorld(connection, scenario)
  const { time, nodes } = world
  using _time = time.install()
  for (let index = 0; index < scenario.nodes; index++) nodes.push(await startNode(world, `node-${index}`))
  const isOver = () => time.now >= LONGEST_MS || time.now - world.refusingSince >= REFUSING_MS
  const arrive = () => {
    const living = nodes.filter(({ isUp }) => isUp)
    const node = living[Math.floor(world.random() * living.length)] as Node
    void call(world, node)
    // Calls arrive by chance: the time between two of them is exponential.
    time.after((-Math.log(1 - world.random()) * 1000) / scenario.rate, arrive)
  }
  time.after(0, arrive)
  time.after(KILLED_AT_MS, () => kill(nodes.slice(0, scenario.killed)))
  await time.runUntil(isOver)
  // Calls that still wait have no outcome.
  const phases = structuredClone(world.figures)
  for (const node of nodes) node.syncs.stop()
  const dead = nodes.filter(({ isUp }) => !isUp)
  const stranded = dead.reduce((sum, node) => sum + strandedOf(node), 0n)
  const share = (amount: bigint) => Number((amount * 1_000_000n) / world.limit) / 1_000_000
  const { isOverspent } = world
  return { phases, spent: share(world.spent), stranded: share(stranded), isOverspent, seconds: time.now / 1000 }
}

function newWorld(connection: Connection, scenario: Scenario): World {
  const limit = HOLD * BigInt(scenario.holds)
  const usd = `${limit / 10n ** 12n}.${String(limit % 10n ** 12n).padStart(12, '0')}`
  const empty = (): PhaseFigures => ({
    ...{ calls: 0, trips: 0, messages: 0, served: 0, refused: 0, refusedTooSoon: 0, unavailable: 0, waitedMs: [] },
  })
  return {
    ...{ scenario, connection, limit, time: new VirtualTime(), random: randomOf(scenario.seed) },
    limits: { budget: { usd, per: 'total', mode: 'hard' } },
    figures: { starting: empty(), far: empty(), tight: empty(), refusing: empty() },
    ...{ phase: 'starting', spent: 0n, held: 0n, nodes: [] },
    ...{ refusingSince: Number.POSITIVE_INFINITY, isOverspent: false },
  }
}

interface Node {
  ledger: CountersLedger
  leases: Leases
  syncs: Syncs
  isUp: boolean
  position: number
  /** Since when it may have had unreported idle money. */
  idleSince: number
}

async function startNode(world: World, name: string): Promise<Node> {
  const { time, connection } = world
  const process = randomUUID()
  const clock = () => EPOCH + Math.floor(time.now)
  await time.outside(connection.run(JOIN, { clock: String(clock()), node: name, process }))
  const leases = new Leases(0)
  const reports = new Reports(leases)
  reports.forget(process)
  const shared = { leases, node: name, now: clock, clock: () => String(clock()) }
  const syncs = new Syncs({
    ...shared,
    ...{ reports, waitMs: 2_000, onAnswer() {}, onReported() {} },
    connection: () => travelling,
    onLost: () => Promise.reject(new Error(`${name} is not known`)),
  })
  const node: Node = {
    leases,
    syncs,
    isUp: true,
    position: 0,
    idleSince: Number.POSITIVE_INFINITY,
    ledger: null as unknown as CountersLedger,
  }
  const travelled = ((_script, given) => travel(world, node, given as SyncArguments)) as Connection['run']
  const travelling: Connection = { ...connection, isUp: () => true, run: travelled }
  node.ledger = new CountersLedger({
    ...{ ...shared, connection: travelling, syncs, policy: null, silentMs: Number.POSITIVE_INFINITY },
    events: { onUnchecked() {}, onRefused() {}, onWaited() {} },
    isUsable: () => syncs.problem === null,
  })
  syncs.start()
  return node
}

type SyncArguments = Record<(typeof SYNC)['takes'][number], string>

/** Half of the round trip to the server, which takes no time, and half back. */
function travel(world: World, node: Node, given: SyncArguments): Promise<unknown> {
  const { time, connection, scenario } = world
  const figures = world.figures[world.phase]
  figures.messages += 1
  figures.trips += listOf(valuesOf('message', JSON.parse(given.message_text)).calls).length
  node.idleSince = idleOf(node) > 0n ? time.now : Number.POSITIVE_INFINITY
  return new Promise((resolve, reject) => {
    time.after(scenario.roundTripMs / 2, () => {
      const there = { ...given, clock: String(EPOCH + Math.floor(time.now)) }
      time
        .outside(connection.run(SYNC, there))
        .then((reply) => time.after(scenario.roundTripMs / 2, () => node.isUp && resolve(reply)), reject)
    })
  })
}

async function call(world: World, node: Node): Promise<void> {
  const { time } = world
  world.phase = phaseOf(world)
  const figures = world.figures[world.phase]
  figures.calls += 1
  const began = time.now
  const decided = node.ledger.admit(
    { key: keyOf(world), workspace: { name: BUDGET.id, limits: world.limits } },
    { picodollars: asPicodollars(HOLD), tokens: 0 },
    randomUUID(),
  )
  let decision: Decision
  if (decided instanceof Promise) {
    decision = await decided
    figures.waitedMs.push(time.now - began)
  } else decision = decided
  if (decision.kind === 'unavailable') figures.unavailable += 1
  if (decision.kind === 'refused') {
    figures.refused += 1
    if (idleElsewhere(world, node) >= HOLD) figures.refusedTooSoon += 1
    world.refusingSince = Math.min(world.refusingSince, time.now)
  }
  if (decision.kind !== 'admitted') return
  figures.served += 1
  run(world, node, decision)
}

/** No run reaches them. */
const FAR: Limits = {
  ...{ rpm: 1_000_000_000, tpm: 1_000_000_000, max_parallel: 1_000_000 },
  budget: { usd: '999999999', per: 'month', mode: 'hard' },
}

function keyOf({ scenario, random }: World) {
  const { keys } = scenario
  return keys === 0 ? { id: 'a', limits: null } : { id: `key-${Math.floor(random() * keys)}`, limits: FAR }
}

function run(world: World, node: Node, { call: held }: Extract<Decision, { kind: 'admitted' }>): void {
  world.held += HOLD
  if (world.spent + world.held > world.limit) world.isOverspent = true
  node.ledger.opened(held, ++node.position)
  const cost = (HOLD * BigInt(10 + Math.floor(world.random() * 50))) / 100n
  world.time.after(SHORTEST_CALL_MS * (1 + 2 * world.random()), () => {
    // What a dead node held stays held: the cost of its calls is unknown.
    if (!node.isUp) return
    world.held -= HOLD
    world.spent += cost
    node.ledger.settle(held, { picodollars: asPicodollars(cost), tokens: 0 }, ++node.position)
    node.idleSince = Math.min(node.idleSince, world.time.now)
  })
}

/** As the script decides whether it leases in advance: less than two holds for each node's quarter of a share. */
function phaseOf({ limit, spent, held, scenario, refusingSince, time }: World): Phase {
  if (refusingSince < Number.POSITIVE_INFINITY) return 'refusing'
  return limit - spent - held < 8n * BigInt(scenario.nodes) * HOLD
    ? 'tight'
    : time.now < STARTING_MS
      ? 'starting'
      : 'far'
}

function kill(nodes: readonly Node[]): void {
  for (const node of nodes) {
    node.isUp = false
    node.syncs.stop()
  }
}

function idleOf({ leases }: Node): bigint {
  return leases.find(BUDGET)?.idle.money ?? 0n
}

function idleElsewhere({ nodes, time, scenario }: World, self: Node): bigint {
  const since = time.now - 2 * scenario.roundTripMs - LATE_MS
  const others = nodes.filter((node) => node !== self && node.isUp && node.idleSince < since)
  return others.reduce((sum, node) => sum + idleOf(node), 0n)
}

/** What its lease has besides what it spent: idle, and held for calls that are gone. */
function strandedOf(node: Node): bigint {
  return idleOf(node) + (node.leases.find(BUDGET)?.held ?? 0n)
}

/** From 0 up to 1, from a seed (mulberry32), so that a run can be repeated. */
function randomOf(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
