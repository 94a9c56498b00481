import { join } from 'node:path'
import { recoverNode } from '../limits/counters/recover-node.ts'
import { type ShipOptions, type Shipped, shipSpool } from '../migrate/ship-spool.ts'
import { readLeftCosts } from '../request-log/left-costs.ts'
import { readTail } from '../request-log/spool/tail.ts'
import { ensureInstallation } from '../store/control/installation-id.ts'
import { isAway } from '../store/engine/database-away.ts'
import { errorText, StoreError } from '../store/engine/store-error.ts'
import { ConfigError, type Environment, readSettings } from './config.ts'

export interface ShippedNode extends Shipped {
  /** What it had leased in the shared counters is settled; null without shared counters. */
  recovered: boolean | null
}

const COUNTERS_WAIT_MS = 10_000

/** Delivers the spool of a dead gateway and settles what it had leased in the shared counters. */
export async function shipDeadNode(
  environment: Environment,
  dataDir: string,
  onProgress: ShipOptions['onProgress'],
): Promise<ShippedNode> {
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, REDIS_PREFIX: prefix } = readSettings(environment)
  if (databaseUrl === undefined) {
    throw new ConfigError('DATABASE_URL: set it to the PostgreSQL address that the gateway used')
  }
  const counters = redisUrl === undefined ? null : { url: redisUrl, prefix: `{${prefix}}:` }
  let recovered: boolean | null = null
  const settle: ShipOptions['settle'] = async (db, dead) => {
    if (counters !== null) recovered = await settleLeases(counters, { ...dead, db, spool: join(dataDir, 'spool') })
  }
  try {
    const shipped = await shipSpool({ dataDir, databaseUrl, onProgress, settle })
    return { ...shipped, recovered }
  } catch (error) {
    if (!isAway(error)) throw error
    throw new StoreError(
      `PostgreSQL is unavailable: ${errorText(error)}; run the command again, it continues where it stopped`,
    )
  }
}

interface Dead {
  db: Parameters<ShipOptions['settle']>[0]
  node: string
  position: number
  spool: string
}

async function settleLeases(counters: { url: string; prefix: string }, dead: Dead): Promise<boolean> {
  const { db, node, position, spool } = dead
  try {
    return await recoverNode({
      ...counters,
      installation: await ensureInstallation(db),
      node,
      position,
      readTail: (after, upTo) => readTail(spool, after, upTo),
      readLeft: (of, now) => readLeftCosts(db, of, now),
      now: Date.now,
      waitMs: COUNTERS_WAIT_MS,
    })
  } catch (error) {
    throw new StoreError(
      `its rows are delivered, but ${errorText(error)}; run the command again when the counters are up`,
    )
  }
}
