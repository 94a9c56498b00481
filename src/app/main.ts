import { keepContentRetention } from '../content/expire-content.ts'
import { canReusePort } from '../http/listen.ts'
import { checkPorts } from '../http/ports.ts'
import { builtinProviders, PROVIDER_KINDS } from '../providers/provider-kinds.ts'
import { FOLLOW_MS } from '../store/control/control-follower.ts'
import { openLiveSnapshot } from '../store/control/live-snapshot.ts'
import { nameNode } from '../store/control/node-presence.ts'
import { onceReachable } from '../store/engine/database-away.ts'
import { createLog, type Log } from '../telemetry/log.ts'
import { type Environment, parseFileConfig, portsOf, readConfig, type Settings, shareOf } from './config.ts'
import { openStore } from './open-store.ts'
import { applyFile, type NewKeys, prepareStore } from './prepare-store.ts'
import { type Gateway, type Prepared, serve } from './serve.ts'
import { version } from './version.ts'
import { watchConfig } from './watch-config.ts'

export interface StartOptions {
  /** Keys created by an edit of the file while serving: the only time their values are known. */
  onFileKeys?: (keys: NewKeys['fileKeys']) => void
  /** Everything is loaded, and no call can arrive yet. */
  beforeListening?: () => void
  /** Unix milliseconds. The demo runs its past with its own clock. */
  now?: () => number
  /** Ends the wait for a database that is not up yet. */
  signal?: AbortSignal
  /** Until then nothing is moved from the spool into the database: a start with very much to move, as tests see it. */
  foldsAfter?: Promise<void>
}

/** Rejects when the address is taken or invalid, before long work at the start. */
export async function checkAddress(environment: Environment): Promise<void> {
  await checkPorts(portsOf(readConfig(environment, builtinProviders(), PROVIDER_KINDS).settings))
}

/** The composition root: builds the parts, wires them, listens. */
export async function startGateway(environment: Environment, options: StartOptions = {}): Promise<Gateway> {
  const { now = Date.now, onFileKeys = () => {}, beforeListening = () => {}, signal } = options
  const { foldsAfter = Promise.resolve() } = options
  const config = readConfig(environment, builtinProviders(), PROVIDER_KINDS)
  const { settings } = config
  const log = await createLog(settings.LOG_LEVEL)
  const threads = options.now === undefined ? await servingThreads(settings, log) : 1
  const nodeName = nameNode(settings.NODE_NAME, settings.PORT)
  const store = await openStore({
    dataDir: settings.DATA_DIR,
    databaseUrl: settings.DATABASE_URL ?? null,
    synchronousFull: settings.SPOOL_SYNC === 'full',
    retentionDays: settings.REQUEST_RETENTION_DAYS ?? null,
    secretsKeys: settings.SECRETS_KEY?.split(',').map((key) => key.trim()) ?? null,
    log,
    nodeName: nodeName.current,
    version: version(),
    waits: { signal },
    threads,
    maxSpoolRows: shareOf(settings.SPOOL_MAX_ROWS, threads),
    openAfterMs: 1000 * settings.OPEN_ROWS_AFTER_SECONDS,
    isReported: settings.REDIS_URL !== undefined,
    foldsAfter,
  })
  try {
    // With several threads the system would share the port with another gateway that has some, too.
    await checkPorts(portsOf(settings))
    const newKeys = await onceReachable(() => prepareStore(store, config, log, now()), { log, signal })
    const live = await onceReachable(() => openLiveSnapshot(store.db, store.secrets), { log, signal })
    beforeListening()
    const data = { environment, config, settings, threads, newKeys, log, now }
    const prepared = { ...data, store, live, onListening: nodeName.listensAt }
    const { DATABASE_URL: url } = settings
    if (url !== undefined) live.follow({ url, everyMs: FOLLOW_MS, log })
    const gateway = await serve(prepared).catch((error) => {
      live.stop()
      throw error
    })
    const stopWatching = followFile(prepared, onFileKeys)
    const retention = keepContentRetention(prepared)
    return {
      ...gateway,
      async stop(options) {
        await stopWatching()
        await retention.stop()
        await gateway.stop(options)
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

async function servingThreads({ SERVING_THREADS: wanted }: Settings, log: Log): Promise<number> {
  if (wanted === 1 || (await canReusePort())) return wanted
  log.warn('SERVING_THREADS: this system cannot share a port between threads, so one thread serves')
  return 1
}

/** An edit of the file takes effect at once; a bad one is logged and changes nothing. */
function followFile(
  { environment, config, store, live, log, now }: Prepared,
  onFileKeys: (keys: NewKeys['fileKeys']) => void,
): () => Promise<void> {
  const path = config.filePath
  return watchConfig({
    path,
    text: config.file?.text ?? null,
    log,
    async apply(text) {
      const file = parseFileConfig(text, path, environment)
      const parts = { secrets: store.secrets, config, now: now() }
      const { created, changes } = await live.change((transaction) => applyFile(transaction, parts, file))
      log.info({ file: path, changes: changes.length }, 'configuration applied')
      if (created.length > 0) onFileKeys(created)
    },
  })
}
