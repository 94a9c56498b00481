import { recoverNode } from '../limits/counters/recover-node.ts'
import { unbookedFile } from '../limits/counters/unbooked-file.ts'
import { readEnds } from '../request-log/fold/close-holds.ts'
import { isAway } from '../store/engine/database-away.ts'
import { errorText, StoreError } from '../store/engine/store-error.ts'
import { ConfigError, type Environment, readSettings } from './config.ts'
import { type ShipOptions, type Shipped, shipSpool } from './ship-spool.ts'

export interface ShippedNode extends Shipped {
  /** Calls whose holds in the shared counters were settled; null without shared counters. */
  recovered: number | null
}

const COUNTERS_WAIT_MS = 10_000

/** Delivers the spool of a dead gateway and settles its holds in the shared counters. */
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
  let recovered: number | null = null
  const settle: ShipOptions['settle'] = async (db, node) => {
    if (counters !== null) recovered = await settleHolds(counters, { db, node, dataDir })
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
  dataDir: string
}

async function settleHolds(counters: { url: string; prefix: string }, { db, node, dataDir }: Dead): Promise<number> {
  const unbooked = unbookedFile(dataDir)
  const logged = { readEnds: (calls: Parameters<typeof readEnds>[1]) => readEnds(db, calls) }
  try {
    const recovered = await recoverNode({ ...counters, ...logged, node, unbooked, waitMs: COUNTERS_WAIT_MS })
    unbooked.clear()
    return recovered
  } catch (error) {
    throw new StoreError(
      `its rows are delivered, but ${errorText(error)}; run the command again when the counters are up`,
    )
  }
}
