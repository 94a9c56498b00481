import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely } from 'kysely'
import { refuseSuperseded } from '../request-log/fold/claim-spool.ts'
import { closeInterrupted } from '../request-log/fold/fold.ts'
import { foldFolder, foldThreadSpools } from '../request-log/fold/fold-folder.ts'
import { refuseLoss, SpoolReader } from '../request-log/spool/reader.ts'
import { spoolNode } from '../request-log/spool/segments.ts'
import { placeOf } from '../store/control/node-presence.ts'
import { findNode, markNodeStopped, refuseCopies } from '../store/control/nodes.ts'
import { lockDataDir } from '../store/engine/data-lock.ts'
import { postgresDialect } from '../store/engine/postgres-pool.ts'
import type { Database } from '../store/engine/schema.ts'
import { errorText, StoreError } from '../store/engine/store-error.ts'
import { isDataDirInUse, schemaOf } from '../store/migrations/inspect.ts'
import { KNOWN_SCHEMA } from '../store/migrations/migrations.ts'

export interface ShipOptions {
  /** The data folder of a gateway that died for good. */
  dataDir: string
  databaseUrl: string
  onProgress(delivered: number, total: number): void
  /** Its rows are in the log: what else is kept for the node may be put in order before it counts as stopped. */
  settle(db: Kysely<Database>, dead: { node: string; position: number }): Promise<void>
}

export interface Shipped {
  node: string
  name: string | null
  /** Records that the database did not have. */
  delivered: number
  /** Calls that had not ended. */
  interrupted: number
  /** It counted as stopped before. */
  wasStopped: boolean
}

/**
 * Delivers what the gateway of a data folder could not deliver itself, as that one would have at its next start: from
 * the same position, so nothing arrives twice, however often and wherever this is tried.
 */
export async function shipSpool(options: ShipOptions): Promise<Shipped> {
  const { dataDir, databaseUrl } = options
  await using opened = new AsyncDisposableStack()
  const { folder, node } = openDeadSpool(dataDir, opened)
  const dialect = postgresDialect({ url: databaseUrl, connections: 2, queryTimeoutMs: QUERY_MS, onIdleError: () => {} })
  const db = new Kysely<Database>({ dialect })
  opened.defer(() => db.destroy())
  await checkSchema(db)
  const known = await findNode(db, node)
  if (known === null && !(await hasDelivered(db, node))) {
    throw new StoreError(
      `the node ${node} of ${dataDir} has never been one of this database: is DATABASE_URL the one it ran with?`,
    )
  }
  await refuseSuperseded(db, node, folder)
  await refuseCopies(db, { node, place: placeOf(dataDir) }, { pause: (ms) => sleep(ms) })

  const fold = { onDamage: refuseLoss, onProgress: options.onProgress }
  const delivered = (await foldFolder(db, folder, fold)) + (await foldThreadSpools(db, folder, fold))
  const position = endOf(folder)
  const interrupted = await closeInterrupted(db, node, Date.now())
  await options.settle(db, { node, position })
  await markNodeStopped(db, node)
  return { node, name: known?.name ?? null, delivered, interrupted, wasStopped: known?.state === 'stopped' }
}

const QUERY_MS = 60_000

interface DeadSpool {
  folder: string
  node: string
}

function openDeadSpool(dataDir: string, opened: AsyncDisposableStack): DeadSpool {
  if (isDataDirInUse(dataDir)) {
    throw new StoreError(`${dataDir} is in use by a running gateway, which delivers its spool itself`)
  }
  const folder = join(dataDir, 'spool')
  if (!existsSync(folder)) throw noSpool(dataDir)
  const lock = lockDataDir(join(dataDir, 'lock.db'), dataDir)
  opened.defer(() => lock.release())
  const node = spoolNode(folder)
  if (node === null) throw noSpool(dataDir)
  return { folder, node }
}

function noSpool(dataDir: string): StoreError {
  return new StoreError(`there is no spool in ${dataDir}: is it the data folder of a gateway?`)
}

async function checkSchema(db: Kysely<Database>): Promise<void> {
  let schema: number
  try {
    schema = await schemaOf(db, true)
  } catch (error) {
    throw new StoreError(`cannot open the postgres database: ${errorText(error)}`, { cause: error })
  }
  if (schema === KNOWN_SCHEMA) return
  throw new StoreError(
    `the database has schema version ${schema}, this version knows ${KNOWN_SCHEMA}: use the version that the gateways run`,
  )
}

async function hasDelivered(db: Kysely<Database>, node: string): Promise<boolean> {
  const row = await db.selectFrom('spool_positions').select('seq').where('node', '=', node).executeTakeFirst()
  return row !== undefined
}

function endOf(folder: string): number {
  const reader = new SpoolReader(folder)
  try {
    return reader.end()?.seq ?? 0
  } finally {
    reader.close()
  }
}
