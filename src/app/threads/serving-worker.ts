import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { createCircuits } from '../../calls/chain/circuits.ts'
import type { Deps } from '../../calls/deps.ts'
import { catalogOf } from '../../calls/models/catalog.ts'
import { knownModels } from '../../calls/models/known-models.ts'
import type { LimitsState } from '../../domain/gateway-status.ts'
import { newId } from '../../domain/new-id.ts'
import { connectionBalance } from '../../http/connection-balance.ts'
import { drain } from '../../http/drain.ts'
import { threadRouting } from '../../http/node/thread-of-call.ts'
import { createServer, type ServerOptions } from '../../http/server.ts'
import { shedding } from '../../http/shedding.ts'
import { raisesOf } from '../../limits/each/each-budgets.ts'
import { EachLedger } from '../../limits/each/each-ledger.ts'
import { threadBook } from '../../limits/each/thread-book.ts'
import { SlotBook } from '../../limits/slots/slot-book.ts'
import { SlotLedger } from '../../limits/slots/slot-ledger.ts'
import { steadyClock } from '../../limits/steady-clock.ts'
import { openSpool, targetOf } from '../../request-log/open-spool.ts'
import { threadSpool } from '../../request-log/spool/segments.ts'
import { createLog } from '../../telemetry/log.ts'
import { Conversation } from '../../threads/conversation.ts'
import { measured } from '../bounded-bodies.ts'
import { createDeps } from '../call-deps.ts'
import { bodyBounds, shareOf } from '../config.ts'
import { callRoutes } from '../http-routes.ts'
import { openContent } from '../open-content.ts'
import { openTracing } from '../open-tracing.ts'
import { openUpstream } from '../open-upstream.ts'
import type { MainTasks, ThreadData, ThreadReport, ThreadTasks } from './thread-protocol.ts'

/**
 * A thread that serves calls: its own event loop, listening socket, connections to providers and spool. Control data,
 * model lists and everything that needs the database come from the main thread.
 */
const data = workerData as ThreadData
const { thread, threads, settings, node } = data
if (parentPort === null) throw new Error('a serving thread is started by the gateway')

const log = (await createLog(settings.LOG_LEVEL, data.isTerminal)).child({ thread })
const ready = Promise.withResolvers<void>()
/** The main thread repeats its first requests until they are answered. */
const main = new Conversation<MainTasks>(parentPort, {
  ready: () => ready.promise,
  listen: ({ port }) => server.listen({ host: settings.HOST, port, reusePort: true }),
  control(given) {
    book.learn(given.slots)
    snapshot = given.snapshot
  },
  models(given) {
    models = given
  },
  circuit: ({ entry, circuit }) => circuits.adopt(entry, circuit),
  loopStop: (news) => deps.loops.adopt(news),
  pastFolded: ({ seq }) => fold.advance({ seq, ends: seq }),
  beginFold: () => fold.begin(),
  caughtUp: () => requestLog.caughtUp(),
  contentWritten: () => deps.content.written(),
  report,
  metrics: () => metrics.read(),
  status: () => ({
    inFlight: metrics.inFlight.value,
    circuits: [...circuits.states()],
    health: [...snapshot.providers.keys()].map((name) => [name, deps.providerHealth.of(name)]),
  }),
  drain: ({ idleGraceMs }) =>
    drain(server, { log, seconds: settings.DRAIN_SECONDS, idleGraceMs, streams: deps.streams }),
  close,
} satisfies ThreadTasks)

let { snapshot } = data.control
let { models } = data
const book = new SlotBook(data.standby)
book.learn(data.control.slots)

const clock = steadyClock(Date.now, () => performance.now())
const spooled = openSpool(join(settings.DATA_DIR, 'spool', String(thread)), {
  node: threadSpool(node, thread),
  synchronousFull: settings.SPOOL_SYNC === 'full',
  maxRows: shareOf(settings.SPOOL_MAX_ROWS, threads),
  log,
})
const databaseUrl = settings.DATABASE_URL ?? null
const target = targetOf(settings.DATA_DIR, databaseUrl)
const openAfterMs = 1000 * settings.OPEN_ROWS_AFTER_SECONDS
const fold = spooled.fold({
  target,
  retentionDays: null,
  onlyProcess: databaseUrl === null,
  openAfterMs,
  position: data.position,
  claim: data.claim,
  past: null,
})
const { requestLog } = fold

const asking = openUpstream(Date.now, data.environment)
const catalog = catalogOf(() => models)
const isKnown = knownModels(() => snapshot, catalog)
const circuits = createCircuits(Date.now, isKnown, (entry, circuit) => {
  const { provider, model } = entry
  main.tell('circuit', { entry: { provider, model }, circuit })
})
const balance = connectionBalance(data.connections, thread)
const limits = (): LimitsState => (data.isLone ? { kind: 'lone', enforces: !book.isStandby } : { kind: 'memory' })
const { metrics, bodies } = measured(
  bodyBounds(settings, threads),
  {
    circuits: () => circuits.states(),
    log: requestLog.status,
    // Of the whole gateway the main thread knows it.
    control: () => ({ behindSince: null }),
    limits,
    connections: balance.own,
  },
  { isMain: false },
)
let uses = new Map<string, number>()
const slots = new SlotLedger(clock, book, () => metrics.limitsRefused.add())
const deps: Deps = createDeps({
  settings,
  shares: threads,
  snapshot: () => snapshot,
  catalog,
  isKnown,
  circuits,
  asking,
  raisePricePercent: (provider, percent) => main.ask('raisePricePercent', { provider, percent }),
  written: {
    requestLog,
    noteUse: (value, at) => void uses.set(value, at),
    sealingKeys: data.sealingKeys,
    content: openContent({ settings, store: { secrets: data }, threads, metrics, log }),
  },
  onLoopStop: (news) => main.tell('loopStop', news),
  logged: {
    find: (keyId, idempotencyKey, since) => main.ask('find', { keyId, idempotencyKey, since }),
    // A key of a caller is always served by the same thread, so its calls are in this very log.
    caughtUp: () => requestLog.caughtUp(),
  },
  ledger: new EachLedger(
    slots,
    threadBook(main),
    raisesOf(() => snapshot),
  ),
  metrics,
  tracing: await openTracing(settings, { instance: `${node}/${thread}`, snapshot: () => snapshot, isKnown, log }),
  log,
  clock,
})

const served: ServerOptions = {
  routes: callRoutes(deps, settings),
  newRequestId: (prefix = 'chatcmpl_') => `${prefix}${newId(Date.now())}`,
  admission: shedding(metrics, settings.OVERLOAD_MS),
  bodies,
  onFault: (error, { id, ...call }) => log.error({ request: id, ...call, err: error.cause ?? error }),
}
const server = createServer({
  ...served,
  threadRouting: threadRouting(thread, data.sockets),
  onConnections: balance.count,
  mayCloseOne: balance.mayCloseOne,
})
/** For calls that reached another thread and belong here. */
const forThreads = createServer({ ...served, isInternal: true })

await forThreads.listen({ path: data.sockets[thread] ?? '' })
ready.resolve()

function report(): ThreadReport {
  const taken = uses
  uses = new Map()
  return { log: requestLog.status(), isDelivered: spooled.isDelivered(), uses: [...taken] }
}

/** Pools first: calls that still wait for a provider end now and are logged before the spool closes. */
async function close(): Promise<ThreadReport> {
  balance.stop()
  deps.upstream.close()
  forThreads.destroy()
  await deps.bodies.close()
  await deps.content.close()
  await fold[Symbol.asyncDispose]()
  const last = report()
  await spooled[Symbol.asyncDispose]()
  await deps.tracing.close()
  return last
}
