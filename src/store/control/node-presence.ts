import { randomUUID } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import type { Database } from '../engine/schema.ts'
import type { StoreLog } from '../engine/store-error.ts'
import {
  findNode,
  markNodeStopped,
  type NodeIdentity,
  RENEW_MS,
  refuseCopies,
  registerNode,
  renewNode,
} from './nodes.ts'

/** Says to the other nodes that this one is there. */
export interface NodePresence {
  /** The node counts as stopped only when nothing is left in its spool that the others do not know. */
  stop(isDelivered: boolean): Promise<void>
}

export interface PresenceOptions {
  node: string
  dataDir: string
  version: string
  /** May change: a port that was left to the machine is known only when it listens. */
  name(): string
  lagRows(): number
  log: StoreLog
}

/** A server that hangs does not hold up the end. */
const GOODBYE_MS = 3_000

export async function startPresence(db: Kysely<Database>, options: PresenceOptions): Promise<NodePresence> {
  const { node, dataDir, version, log, name, lagRows } = options
  const constant = { node, version, instance: randomUUID(), place: placeOf(dataDir) }
  const identity = (): NodeIdentity => ({ ...constant, name: name() })
  await refuseCopies(db, constant, { pause: (ms) => sleep(ms) })
  await registerNode(db, identity())

  let renewing: Promise<void> | null = null
  const timer = setInterval(() => {
    // Others report that PostgreSQL is down.
    renewing ??= renew()
      .catch(() => {})
      .finally(() => {
        renewing = null
      })
  }, RENEW_MS).unref()

  async function renew(): Promise<void> {
    if (await renewNode(db, identity(), lagRows())) return
    if ((await findNode(db, node)) === null) {
      log.warn({ node }, 'this node was forgotten while running: registered again')
      await registerNode(db, identity())
      return
    }
    log.error({ node }, 'another process runs with a copy of this data folder: stop one of them, or rows will be lost')
  }

  return {
    async stop(isDelivered) {
      clearInterval(timer)
      // A node that cannot sign off is later found missing by the others.
      const goodbye = Promise.all([renewing, isDelivered && markNodeStopped(db, node)]).catch(() => {})
      await Promise.race([goodbye, sleep(GOODBYE_MS, undefined, { ref: false })])
    },
  }
}

/** Two names for the same folder are the same place, a copy is another one; so is the disk of a cloned machine. */
export function placeOf(dataDir: string): string {
  const { dev, ino } = statSync(dataDir, { bigint: true })
  return `${hostname()}:${dev}:${ino}:${bootId()}`
}

/** '' where the system has none. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return ''
  }
}

/** What people call a node: the name they gave it, or where it listens. */
export function nameNode(given: string | undefined, port: number) {
  let name = given ?? `${hostname()}:${port}`
  return {
    current: () => name,
    listensAt(url: string) {
      name = given ?? `${hostname()}:${new URL(url).port}`
    },
  }
}
