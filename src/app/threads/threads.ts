import type { Circuits } from '../../calls/chain/circuits.ts'
import type { StopNews } from '../../calls/loops/loop-watch.ts'
import type { CatalogModel } from '../../domain/provider.ts'
import { createServers, listenAt, type PortsOptions, type Servers } from '../../http/ports.ts'
import { createServer } from '../../http/server.ts'
import type { EachBook } from '../../limits/each/each-book.ts'
import { eachTasks } from '../../limits/each/thread-book.ts'
import type { SlotBook } from '../../limits/slots/slot-book.ts'
import type { SpendLedger } from '../../limits/spend-ledger.ts'
import { findLogged } from '../../request-log/past/find-logged.ts'
import type { LiveSnapshot } from '../../store/control/live-snapshot.ts'
import { raisePricePercent } from '../../store/control/providers.ts'
import type { Log } from '../../telemetry/log.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { Environment, Settings } from '../config.ts'
import type { Store } from '../open-store.ts'
import { ServingThreads } from './serving-threads.ts'
import type { CircuitNews, ThreadStatus } from './thread-protocol.ts'

/** The serving threads as the composition sees them. */
export interface Threads {
  /** 0: the main thread serves. */
  count: number
  models(models: readonly CatalogModel[]): void
  /** News of this thread for the others. */
  circuit(news: CircuitNews): void
  loopStop(news: StopNews): void
  /** What is asked of the store is answered for all threads. */
  joined(store: Store): Store
  servers(options: PortsOptions): Servers
  metricsText(own: Metrics): Promise<string>
  statuses(): Promise<ThreadStatus[]>
  /** The content of their calls until now is stored, as far as it is. */
  contentWritten(): Promise<void>
  /** Flushes their logs. */
  close(): Promise<void>
}

export const NO_THREADS: Threads = {
  count: 0,
  models() {},
  circuit() {},
  loopStop() {},
  joined: (store) => store,
  servers: createServers,
  metricsText: (own) => own.expose(),
  statuses: async () => [],
  async contentWritten() {},
  async close() {},
}

export interface ThreadsParts {
  threads: number
  environment: Environment
  settings: Settings
  store: Store
  live: LiveSnapshot
  circuits: Circuits
  book: SlotBook
  ledger: SpendLedger
  each: EachBook
  log: Log
  models(): readonly CatalogModel[]
  /** A thread has stopped a session. */
  onLoopStop(news: StopNews): void
}

export function openThreads(parts: ThreadsParts): Threads {
  const { settings, store, live, circuits, book, ledger, log } = parts
  const threads = new ServingThreads({
    count: parts.threads,
    dataDir: settings.DATA_DIR,
    book,
    now: () => ledger.now(),
    noteUse: store.valueUses.note,
    positionOf: store.spool.positionOf,
    onDeath: (thread, error) => endProcess(log, thread, error),
    tasks: {
      find: ({ keyId, idempotencyKey, since }) => findLogged(store, live)(keyId, idempotencyKey, since),
      raisePricePercent: ({ provider, percent }) =>
        live.change((transaction) => raisePricePercent(transaction, provider, percent)),
      circuit: ({ entry, circuit }) => circuits.adopt(entry, circuit),
      loopStop: parts.onLoopStop,
      ...eachTasks(parts.each),
    },
  })
  store.besides(threads)
  /** In one step: no change can be lost between the initial snapshot and the later ones. */
  function begin(): Promise<void> {
    const { TRUSTED_PROXIES: _, ...sendable } = settings
    const started = threads.start(
      {
        settings: sendable,
        environment: { ...parts.environment },
        isTerminal: process.stderr.isTTY === true,
        node: store.node,
        claim: store.spool.claim,
        sealingKeys: store.secrets.sealingKeys,
        contentKeys: store.secrets.contentKeys,
        models: parts.models(),
        standby: book.standby,
        isLone: settings.DATABASE_URL !== undefined,
      },
      live.current(),
    )
    live.tell((snapshot) => threads.control(snapshot))
    void Promise.all([started, store.past.inOrder])
      .then(() => threads.beginFold())
      .catch(() => {})
    return started
  }
  return {
    count: threads.count,
    models: (models) => void threads.models(models).catch(() => {}),
    circuit: (news) => threads.circuit(news, 0),
    loopStop: (news) => threads.loopStop(news, 0),
    joined: (own) => joinedStore(own, threads),
    servers: (options) => threadedServers(options, threads, begin),
    metricsText: (own) => threads.metricsText(own),
    statuses: () => threads.statuses(),
    contentWritten: () => threads.contentWritten(),
    close: () => threads.close(),
  }
}

/** A thread that ended may hold a lock of the ledger: the others must not go on without it. */
function endProcess(log: Log, thread: number, error: Error): void {
  log.fatal({ thread, err: error }, 'a serving thread has ended unexpectedly, so the gateway stops: start it again')
  process.exit(1)
}

function joinedStore(store: Store, threads: ServingThreads): Store {
  const { requestLog, valueUses } = store
  return {
    ...store,
    requestLog: {
      ...requestLog,
      async caughtUp() {
        await Promise.all([requestLog.caughtUp(), threads.caughtUp()])
      },
      status: () => threads.joinedLog(requestLog.status()),
    },
    valueUses: {
      ...valueUses,
      async write() {
        await threads.pull()
        await valueUses.write()
      },
    },
  }
}

/**
 * Serving threads listen for calls; the main thread serves them what they do not know: on a socket of this process, and
 * where administration has its own port, there as well.
 */
function threadedServers(
  { ports, routes, onConnections: _, ...shared }: PortsOptions,
  threads: ServingThreads,
  begin: () => Promise<void>,
): Servers {
  const { calls, health, administration } = routes
  const isApart = ports.administration !== null
  const inner = isApart ? [...calls, ...health] : [...calls, ...health, ...administration]
  const internal = createServer({ ...shared, routes: inner, isInternal: true })
  const admin = isApart ? createServer({ ...shared, routes: [...health, ...administration] }) : null
  let apart = ''
  return {
    async listen() {
      try {
        const adminUrl = admin === null ? null : await listenAt(admin, ports.administration ?? ports.calls)
        await internal.listen({ path: threads.sockets[0] ?? '' })
        await begin()
        const url = await threads.listen(ports.calls.port)
        if (adminUrl !== null) apart = `${new URL(adminUrl).port} ${new URL(url).port}`
        return { url, adminUrl: adminUrl ?? url }
      } catch (error) {
        await threads.end()
        await Promise.all([internal.drain(), admin?.drain()])
        throw error
      }
    },
    portsApart: () => apart,
    async drain(idleGraceMs) {
      await threads.drain(idleGraceMs ?? 0)
      await Promise.all([internal.drain(), admin?.drain()])
    },
    destroy() {
      internal.destroy()
      admin?.destroy()
    },
  }
}
