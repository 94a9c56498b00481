import { randomUUID } from 'node:crypto'
import { readSync } from '../src/limits/counters/answers.ts'
import { type Connection, openConnection } from '../src/limits/counters/connection.ts'
import { toList } from '../src/limits/counters/fields.ts'
import { Leases } from '../src/limits/counters/leases.ts'
import { CountersLedger } from '../src/limits/counters/ledger.ts'
import { type Message, syncArguments, type WaitingCall } from '../src/limits/counters/message.ts'
import { Reports } from '../src/limits/counters/reports.ts'
import { defineScript } from '../src/limits/counters/script.ts'
import { JOIN } from '../src/limits/counters/scripts/node.ts'
import { BEGIN, COMPLETE } from '../src/limits/counters/scripts/rebuild.ts'
import { SYNC } from '../src/limits/counters/scripts/sync.ts'
import type { Asked } from '../src/limits/counters/syncs.ts'
import { type EachLog, nothingSpent } from '../src/limits/each/each-book.ts'

export const FLUSH = defineScript({ name: 'flush', answers: [] }, `redis.call('FLUSHDB') return {}`)

export async function connectTo(url: string, prefix = '{test}:'): Promise<Connection> {
  const up = Promise.withResolvers<void>()
  const connection = openConnection({ url, prefix, waitMs: 5_000, onUp: () => up.resolve(), onDown() {} })
  await up.promise
  return connection
}

/** An empty ledger on an empty server that waits for the reports of these nodes. */
export async function beginLedger(connection: Connection, generation = 7, awaited: string[] = []): Promise<void> {
  await connection.run(FLUSH, {})
  await connection.run(BEGIN, { token: 'token' })
  const rebuilt = JSON.stringify(toList('rebuilt', { nodes: awaited, positions: [], left: [] }))
  await connection.run(COMPLETE, { token: 'token', generation: String(generation), rebuilt_text: rebuilt })
}

/** A ledger of one node whose messages travel only when the test says so, at a time that the test says. */
export class SyncedLedger {
  readonly ledger: CountersLedger
  readonly #leases = new Leases(0)
  readonly #reports = new Reports(this.#leases)
  readonly #process = randomUUID()
  readonly #connection: Connection
  readonly #node: string
  readonly #clock: () => number
  #last: Promise<unknown> = Promise.resolve()
  /** The other nodes, which are asked to give back what is idle. */
  others: SyncedLedger[] = []

  constructor(connection: Connection, node: string, clock: () => number) {
    this.#connection = connection
    this.#node = node
    this.#clock = clock
    this.ledger = new CountersLedger({
      connection,
      leases: this.#leases,
      syncs: {
        ask: (call) => this.#ask(call),
        changed() {},
        flush: async () => true,
        heardAt: 0,
        isGivenUp: () => false,
      },
      policy: null,
      events: { onUnchecked() {}, onRefused() {}, onWaited() {} },
      isUsable: () => true,
      silentMs: Number.POSITIVE_INFINITY,
      now: clock,
      clock: () => String(clock()),
    })
  }

  async join(): Promise<void> {
    await this.#connection.run(JOIN, { clock: '', node: this.#node, process: this.#process })
    this.#reports.forget(this.#process)
    await this.sync()
  }

  /** One message at a time. */
  sync(calls: WaitingCall[] = []) {
    const done = this.#last.then(() => this.#exchange(calls))
    this.#last = done
    return done
  }

  async #exchange(calls: WaitingCall[]) {
    const message = this.#reports.compose(calls, true, this.#clock())
    const answer = readSync(await this.#connection.run(SYNC, this.#arguments(message)))
    const admitted = this.#reports.apply(message, answer)
    return { answer, admitted }
  }

  #arguments(message: Message) {
    return { ...syncArguments(this.#node, message), process: this.#process, clock: String(this.#clock()) }
  }

  async #ask(call: WaitingCall): Promise<Asked> {
    for (;;) {
      const { answer, admitted } = await this.sync([call])
      const [outcome] = answer.outcomes
      if (outcome === undefined) return { kind: 'away' }
      if (outcome.kind !== 'ask-again') {
        const [mine] = admitted
        if (mine !== null && mine !== undefined) {
          return { kind: 'admitted', call: mine, views: outcome.views, at: answer.at }
        }
        return { kind: 'refused', views: outcome.views, at: answer.at }
      }
      // Once to learn that others wait, once to give back.
      for (const other of this.others) await other.sync()
      for (const other of this.others) await other.sync()
    }
  }
}

/** Nodes that know of each other. */
export async function syncedLedgers(
  connection: Connection,
  names: string[],
  clock: () => number,
): Promise<SyncedLedger[]> {
  const nodes = names.map((name) => new SyncedLedger(connection, name, clock))
  for (const node of nodes) {
    node.others = nodes.filter((other) => other !== node)
    await node.join()
  }
  return nodes
}

/** A log that knows of no value. */
export const NO_VALUES: EachLog = {
  caughtUp: async () => {},
  read: async (scopes) => ({ values: scopes.map(() => ({ spent: nothingSpent(), open: [] })), positions: new Map() }),
  ended: async () => ({ calls: [], positions: new Map() }),
}
