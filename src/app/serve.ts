import { setTimeout as sleep } from 'node:timers/promises'
import type { Watch } from '../alerts/watch.ts'
import { createCircuits } from '../calls/chain/circuits.ts'
import type { Deps } from '../calls/deps.ts'
import { exampleModel } from '../calls/models/example-model.ts'
import { knownModels } from '../calls/models/known-models.ts'
import { readModelLists } from '../calls/models/read-model-lists.ts'
import type { ContentKeeper } from '../content/keeper.ts'
import { newId } from '../domain/new-id.ts'
import type { HttpRoute } from '../http/call.ts'
import { drain } from '../http/drain.ts'
import type { PortsOptions } from '../http/ports.ts'
import { shedding } from '../http/shedding.ts'
import { raisesOf } from '../limits/each/each-budgets.ts'
import { SlotBook } from '../limits/slots/slot-book.ts'
import type { SpendLedger } from '../limits/spend-ledger.ts'
import { steadyClock } from '../limits/steady-clock.ts'
import { dashboardRoutes } from '../pages/dashboard-routes.ts'
import { builtinProviders } from '../providers/provider-kinds.ts'
import { findLogged } from '../request-log/past/find-logged.ts'
import type { LiveSnapshot } from '../store/control/live-snapshot.ts'
import { raisePricePercent } from '../store/control/providers.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { measured } from './bounded-bodies.ts'
import { type CallParts, createDeps, PREFIXES } from './call-deps.ts'
import { bodyBounds, type Config, drainGraceMs, type Environment, portsOf, type Settings } from './config.ts'
import { type Health, handleMetrics } from './handle-health.ts'
import { callRoutes, healthRoutes } from './http-routes.ts'
import { type ManagementParts, managementApi } from './management-api.ts'
import { budgetGauges, openAlerts } from './open-alerts.ts'
import { openContent } from './open-content.ts'
import { type OpenedLedger, openLedger } from './open-ledger.ts'
import type { Store } from './open-store.ts'
import { openTracing, tracingWords } from './open-tracing.ts'
import { openUpstream } from './open-upstream.ts'
import { packagePath } from './package-path.ts'
import type { NewKeys } from './prepare-store.ts'
import { streamingWords } from './stream-config.ts'
import { NO_THREADS, openThreads, type Threads, type ThreadsParts } from './threads/threads.ts'

/** Resolves when the wait should end early, on a second signal. Stops listening after `over`. */
type Hurry = (over: AbortSignal) => Promise<void>

/** A running gateway, as the command line sees it. */
export interface Gateway {
  /** The address for calls. */
  url: string
  /** The address of management, dashboard and metrics: the same, unless they have their own port. */
  adminUrl: string
  newKeys: NewKeys
  /** A model for a first curl; null while no provider is configured. */
  exampleModel: string | null
  /** The variables that give a provider its key. */
  keyVariables: string[]
  store: Store
  ledger: SpendLedger
  /**
   * Finishes running calls and flushes the log. `isGraceful`: for a while new connections are still taken, and then idle
   * ones may send one more call; `hurry` ends the first.
   */
  stop(options?: { isGraceful?: boolean; hurry?: Hurry }): Promise<void>
}

/** What has been opened when calls may be served. */
export interface Prepared {
  environment: Environment
  config: Config
  settings: Settings
  /** That serve calls; 1: the main thread does. */
  threads: number
  store: Store
  live: LiveSnapshot
  newKeys: NewKeys
  log: Log
  now(): number
  onListening(url: string): void
}

/** The start waits this long for the model lists; reading continues in the background. */
const CATALOG_WAIT_MS = 3_000

/** Wires the parts together and listens. */
export async function serve(prepared: Prepared): Promise<Gateway> {
  const { environment, config, settings, live, newKeys, log, now, onListening } = prepared
  const clock = steadyClock(now, () => performance.now())
  const asking = openUpstream(now, environment)
  const onRead = () => threads.models(catalog.models())
  let threads: Threads = NO_THREADS
  const { catalog, ...modelLists } = readModelLists(live.current(), PREFIXES, asking, { log, onRead })
  const isKnown = knownModels(live.current, catalog)
  const circuits = createCircuits(now, isKnown, (entry, circuit) => threads.circuit({ entry, circuit }))
  const keeping = { control: live.state, limits: () => opened.limits() }
  let connections = 0
  let alerts: Watch | null = null
  const { metrics, bodies } = measured(bodyBounds(settings, prepared.threads), {
    ...{ circuits: () => circuits.states(), log: prepared.store.requestLog.status, connections: () => connections },
    ...{ ...keeping, budgets: () => budgetGauges(alerts) },
  })
  const book = new SlotBook()
  const caughtUp = () => threads.joined(prepared.store).requestLog.caughtUp()
  const opened = await openLedger({ ...prepared, metrics, clock, book, caughtUp, raisedBy: raisesOf(live.current) })
  const onLoopStop: ThreadsParts['onLoopStop'] = (news) => deps.loops.adopt(news)
  if (prepared.threads > 1)
    threads = openThreads({ ...prepared, ...opened, book, circuits, models: catalog.models, onLoopStop })
  const store = threads.joined(prepared.store)
  let phase: 'starting' | 'ready' | 'draining' = 'starting'
  const stopping = new AbortController()
  const deps = createDeps({
    ...{ settings, shares: prepared.threads, snapshot: live.current, catalog, isKnown, circuits, asking },
    raisePricePercent: (provider, percent) => live.change((change) => raisePricePercent(change, provider, percent)),
    written: notes(store, openContent({ ...prepared, metrics })),
    logged: { find: findLogged(store, live), caughtUp: () => live.orAway(store.requestLog.caughtUp()) },
    tracing: await openTracing(settings, { instance: store.node, snapshot: live.current, isKnown, log }),
    ...{ ledger: opened.ledger, onLoopStop: threads.loopStop, metrics, log, clock },
  })
  const health: Health = { phase: () => phase, catalog, log: store.requestLog.status, ...keeping }
  const callsPort = () => server.portsApart().split(' ')[1] ?? null
  const parts = { deps, health, live, store, config, stopping: stopping.signal, startedAt: now(), threads, callsPort }
  const server = threads.servers({
    ...{ ports: portsOf(settings), bodies },
    routes: routes(parts, [...pages(threads, metrics, () => server.portsApart())]),
    newRequestId: (prefix = 'chatcmpl_') => `${prefix}${newId(now())}`,
    admission: shedding(metrics, settings.OVERLOAD_MS),
    onFault: (error, { id, ...call }) => log.error({ request: id, ...call, err: error.cause ?? error }),
    onConnections: (open) => {
      connections = open
    },
  })
  const addresses = await server.listen()
  onListening(addresses.url)
  await Promise.race([modelLists.firstRound, new Promise((resolve) => setTimeout(resolve, CATALOG_WAIT_MS).unref())])
  phase = 'ready'
  alerts = openAlerts({ deps, store, everySeconds: settings.ALERTS_EVERY_SECONDS, ...opened, threads })
  log.info({ ...addresses, ...startWords(prepared, deps) }, 'serving')
  return {
    ...addresses,
    ...{ newKeys, exampleModel: exampleModel(live.current(), catalog), store, ledger: opened.ledger },
    keyVariables: builtinProviders().map(({ apiKeyVariable }) => apiKeyVariable),
    async stop({ isGraceful = false, hurry = nobodyHurries } = {}) {
      phase = 'draining'
      log.info('draining')
      if (isGraceful) await graceOver(drainGraceMs(settings), hurry)
      stopping.abort()
      modelLists.stop()
      await drain(server, { log, ...drainTimes(settings, isGraceful), streams: deps.streams })
      await closeAll(deps, opened, { threads, store, live, alerts })
      log.info('stopped')
    },
  }
}

const nobodyHurries: Hurry = () => new Promise(() => {})

async function graceOver(ms: number, hurry: Hurry): Promise<void> {
  if (ms === 0) return
  const over = new AbortController()
  const grace = sleep(ms, undefined, { signal: over.signal }).catch(() => {})
  await Promise.race([grace, hurry(over.signal)])
  over.abort()
}

function drainTimes({ DRAIN_SECONDS, DRAIN_IDLE_MS }: Settings, isGraceful: boolean) {
  return { seconds: DRAIN_SECONDS, idleGraceMs: isGraceful ? DRAIN_IDLE_MS : 0 }
}

function startWords({ store: { engine, node }, live, settings, threads }: Prepared, { streams }: Deps) {
  const streaming = streamingWords(live.current(), streams.settings)
  const opentelemetry = tracingWords(settings)
  return { engine, node, threads, streaming, ...(opentelemetry === null ? {} : { opentelemetry }) }
}

function notes({ requestLog, valueUses, secrets }: Store, content: ContentKeeper): CallParts['written'] {
  return { requestLog, noteUse: valueUses.note, sealingKeys: secrets.sealingKeys, content }
}

/** Pools first: calls that still wait for a provider end now and are logged before the store closes. */
async function closeAll(
  { upstream, bodies, tracing, content, cache }: Deps,
  ledger: OpenedLedger,
  { threads, store, live, alerts }: Pick<Prepared, 'store' | 'live'> & { threads: Threads; alerts: Watch | null },
): Promise<void> {
  await threads.close()
  live.stop()
  upstream.close()
  await alerts?.stop()
  await bodies.close()
  await content.close()
  await cache.close?.()
  await ledger.stop()
  await store.close()
  await tracing.close()
}

function routes(parts: ManagementParts, pages: HttpRoute[]): PortsOptions['routes'] {
  const { deps, health, config } = parts
  const { calls, administration } = managementApi(parts)
  return {
    calls: [...callRoutes(deps, config.settings), ...calls],
    health: healthRoutes(health, config.settings),
    administration: [...pages, ...administration],
  }
}

function pages(threads: Threads, metrics: Metrics, portsApart: () => string): HttpRoute[] {
  const handle = () => handleMetrics(() => threads.metricsText(metrics), metrics.contentType)
  return [{ method: 'GET', path: '/metrics', handle }, ...dashboardRoutes(packagePath('dashboard/dist'), portsApart)]
}
