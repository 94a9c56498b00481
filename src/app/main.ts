import { createBodies } from '../bodies/bodies.ts'
import { createCircuits } from '../calls/chain/circuits.ts'
import { createPricePercents } from '../calls/chain/price-percents.ts'
import { createProviderHealth } from '../calls/chain/provider-health.ts'
import { createQuirks } from '../calls/chain/quirks.ts'
import { createTraffic } from '../calls/chain/traffic.ts'
import type { Deps } from '../calls/deps.ts'
import { createIdempotency, type Idempotency } from '../calls/idempotency/idempotency.ts'
import { exampleModel } from '../calls/models/example-model.ts'
import { knownModels } from '../calls/models/known-models.ts'
import { OpenStreams } from '../calls/stream/open-streams.ts'
import { newId } from '../domain/new-id.ts'
import type { PrefixRule } from '../domain/route.ts'
import type { HttpRoute } from '../http/call.ts'
import { dashboardRoutes } from '../http/dashboard-routes.ts'
import { drain } from '../http/drain.ts'
import { checkPorts, createServers, type PortsOptions } from '../http/ports.ts'
import type { SpendLedger } from '../limits/spend-ledger.ts'
import { steadyClock } from '../limits/steady-clock.ts'
import { FAMILIES } from '../providers/families.ts'
import { builtinProviders, PROVIDER_KINDS } from '../providers/provider-kinds.ts'
import { findIdempotent } from '../request-log/search/find-idempotent.ts'
import { FOLLOW_MS } from '../store/control/control-follower.ts'
import { type LiveSnapshot, openLiveSnapshot } from '../store/control/live-snapshot.ts'
import { nameNode } from '../store/control/node-presence.ts'
import { raisePricePercent } from '../store/control/providers.ts'
import { onceReachable } from '../store/engine/database-away.ts'
import { createLog, type Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { measured } from './bounded-bodies.ts'
import {
  bodyBounds,
  type Config,
  type Environment,
  parseFileConfig,
  portsOf,
  readConfig,
  type Settings,
} from './config.ts'
import { type Health, handleMetrics } from './handle-health.ts'
import { callRoutes, healthRoutes } from './http-routes.ts'
import { managementApi } from './management-api.ts'
import { type OpenedLedger, openLedger } from './open-ledger.ts'
import { openStore, type Store } from './open-store.ts'
import { openUpstream } from './open-upstream.ts'
import { packagePath } from './package-path.ts'
import { applyFile, type NewKeys, prepareStore } from './prepare-store.ts'
import { readModelLists } from './read-model-lists.ts'
import { shedding } from './shedding.ts'
import { streamingWords, streamSettings } from './stream-config.ts'
import { version } from './version.ts'
import { watchConfig } from './watch-config.ts'

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
  /** Finishes running calls and flushes the log. Until then idle connections may send one more call. */
  stop(idleGraceMs?: number): Promise<void>
}

/** The start waits this long for the model lists; reading continues in the background. */
const CATALOG_WAIT_MS = 3_000

const BUILTINS = builtinProviders()
const PREFIXES: PrefixRule[] = BUILTINS.flatMap(({ name, modelPrefixes }) =>
  modelPrefixes.map((prefix) => ({ prefix, provider: name })),
)

const BUILT_IN = { families: FAMILIES, prefixes: PREFIXES, random: Math.random }

export interface StartOptions {
  /** Keys created by an edit of the file while serving: the only time their values are known. */
  onFileKeys?: (keys: NewKeys['fileKeys']) => void
  /** Everything is loaded, and no call can arrive yet. */
  beforeListening?: () => void
  /** Unix milliseconds. The demo runs its past with its own clock. */
  now?: () => number
  /** Ends the wait for a database that is not up yet. */
  signal?: AbortSignal
}

/** The composition root: builds the parts, wires them, listens. */
export async function startGateway(environment: Environment, options: StartOptions = {}): Promise<Gateway> {
  const { now = Date.now, onFileKeys = () => {}, beforeListening = () => {}, signal } = options
  const config = readConfig(environment, BUILTINS, PROVIDER_KINDS)
  const { settings } = config
  const log = await createLog(settings.LOG_LEVEL)
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
    maxSpoolRows: settings.SPOOL_MAX_ROWS,
    openAfterMs: 1000 * settings.OPEN_ROWS_AFTER_SECONDS,
  })
  try {
    await checkPorts(portsOf(settings))
    const newKeys = await onceReachable(() => prepareStore(store, config, log, now()), { log, signal })
    const live = await onceReachable(() => openLiveSnapshot(store.db, store.secrets), { log, signal })
    beforeListening()
    const prepared = { environment, config, settings, store, live, newKeys, log, now, onListening: nodeName.listensAt }
    const { DATABASE_URL: url } = settings
    if (url !== undefined) live.follow({ url, everyMs: FOLLOW_MS, log })
    const gateway = await serve(prepared).catch((error) => {
      live.stop()
      throw error
    })
    const stopWatching = followFile(prepared, onFileKeys)
    return {
      ...gateway,
      async stop(idleGraceMs) {
        await stopWatching()
        await gateway.stop(idleGraceMs)
      },
    }
  } catch (error) {
    await store.close()
    throw error
  }
}

interface Prepared {
  environment: Environment
  config: Config
  settings: Settings
  store: Store
  live: LiveSnapshot
  newKeys: NewKeys
  log: Log
  now(): number
  onListening(url: string): void
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

async function serve(prepared: Prepared): Promise<Gateway> {
  const { environment, config, settings, store, live, newKeys, log, now, onListening } = prepared
  const clock = steadyClock(now, () => performance.now())
  const asking = openUpstream(now, environment)
  const { catalog, ...modelLists } = readModelLists(live.current(), PREFIXES, asking, log)
  const isKnown = knownModels(live.current, catalog)
  const circuits = createCircuits(now, isKnown)
  const keeping = { log: store.requestLog.status, control: live.state, limits: () => opened.limits() }
  const { metrics, bodies } = measured(bodyBounds(settings), { circuits: () => circuits.states(), ...keeping })
  const opened = await openLedger({ settings, store, metrics, log, clock })
  let phase: 'starting' | 'ready' | 'draining' = 'starting'
  const stopping = new AbortController()
  const streams = new OpenStreams(streamSettings(settings))
  const deps: Deps = {
    snapshot: live.current,
    ...BUILT_IN,
    catalog,
    circuits,
    ...learning(live, log, now),
    providerHealth: createProviderHealth(now, live.current),
    isKnown,
    ...asking,
    bodies: createBodies((error) => log.error({ err: error }, 'the worker for large bodies died')),
    ...notes(store),
    ledger: opened.ledger,
    idempotency: idempotency({ store, live, metrics, now: clock }),
    streams,
    metrics,
    log,
    maxBodyBytes: settings.MAX_BODY_BYTES,
    cutOff: () => streams.isCut,
  }
  const health: Health = { phase: () => phase, catalog, ...keeping }
  const parts = { deps, health, live, store, config, stopping: stopping.signal, startedAt: now() }
  const server = createServers({
    ports: portsOf(settings),
    routes: routes(deps, health, [...pages(metrics, () => server.portsApart()), ...managementApi(parts)]),
    newRequestId: (prefix = 'chatcmpl_') => `${prefix}${newId(now())}`,
    admission: shedding(metrics, settings.OVERLOAD_MS),
    bodies,
    onFault: (error, { id, ...call }) => log.error({ request: id, ...call, err: error.cause ?? error }),
  })
  const addresses = await server.listen()
  onListening(addresses.url)
  await Promise.race([modelLists.firstRound, new Promise((resolve) => setTimeout(resolve, CATALOG_WAIT_MS).unref())])
  phase = 'ready'
  const streaming = streamingWords(live.current(), streams.settings)
  log.info({ ...addresses, engine: store.engine, node: store.node, streaming }, 'serving')

  return {
    ...addresses,
    newKeys,
    exampleModel: exampleModel(live.current(), catalog),
    keyVariables: BUILTINS.map(({ apiKeyVariable }) => apiKeyVariable),
    store,
    ledger: opened.ledger,
    async stop(idleGraceMs = 0) {
      phase = 'draining'
      stopping.abort()
      log.info('draining')
      modelLists.stop()
      await drain(server, { log, seconds: settings.DRAIN_SECONDS, idleGraceMs, streams })
      await closeAll(deps, opened, { store, live })
      log.info('stopped')
    },
  }
}

function idempotency(parts: Pick<Prepared, 'store' | 'live' | 'now'> & { metrics: Metrics }): Idempotency {
  const { live, metrics, now } = parts
  const { reads, requestLog } = parts.store
  return createIdempotency({
    find: (keyId, idempotencyKey, since) => live.orAway(findIdempotent(reads, { keyId, idempotencyKey, since })),
    caughtUp: () => live.orAway(requestLog.caughtUp()),
    onReplay: () => metrics.idempotentReplays.add(),
    now,
  })
}

function notes({ requestLog, valueUses, secrets }: Store): Pick<Deps, 'requestLog' | 'noteUse' | 'sealingKeys'> {
  return { requestLog, noteUse: valueUses.note, sealingKeys: secrets.sealingKeys }
}

/** What the gateway learns from providers' answers. */
function learning(live: LiveSnapshot, log: Log, now: () => number): Pick<Deps, 'quirks' | 'pricePercents' | 'traffic'> {
  const write = (provider: string, percent: number) =>
    live.change((transaction) => raisePricePercent(transaction, provider, percent))
  return { quirks: createQuirks(), pricePercents: createPricePercents(write, log), traffic: createTraffic(now) }
}

/** Pools first: calls that still wait for a provider end now and are logged before the store closes. */
async function closeAll(
  { upstream, bodies }: Deps,
  ledger: OpenedLedger,
  { store, live }: Pick<Prepared, 'store' | 'live'>,
): Promise<void> {
  live.stop()
  upstream.close()
  await bodies.close()
  await ledger.stop()
  await store.close()
}

function routes(deps: Deps, health: Health, administration: HttpRoute[]): PortsOptions['routes'] {
  return { calls: callRoutes(deps), health: healthRoutes(health), administration }
}

function pages(metrics: Metrics, portsApart: () => string): HttpRoute[] {
  const scrape: HttpRoute = { method: 'GET', path: '/metrics', handle: () => handleMetrics(metrics) }
  return [scrape, ...dashboardRoutes(packagePath('dashboard/dist'), portsApart)]
}
