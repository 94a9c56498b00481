import { authenticate } from '../calls/authenticate.ts'
import type { Deps } from '../calls/deps.ts'
import { explain } from '../calls/explain.ts'
import { testProvider } from '../calls/models/test-provider.ts'
import { tryProvider } from '../calls/models/try-provider.ts'
import { tryCall } from '../calls/try-call.ts'
import type { Provider } from '../domain/provider.ts'
import { bearerOrApiKey } from '../endpoints/bearer-or-api-key.ts'
import { endpointNamed } from '../endpoints/endpoints.ts'
import type { Call, HttpRoute } from '../http/call.ts'
import { clientSource } from '../http/client-source.ts'
import { verifyLedger } from '../limits/verify-ledger.ts'
import { litellmRoutes } from '../litellm-api/litellm-routes.ts'
import type { ManagementDeps } from '../management/deps.ts'
import { management, managementHandlers, signInGuard } from '../management/management.ts'
import type { RouterDeps } from '../management/router.ts'
import { ownSessionRoute } from '../management/usage/own-session.ts'
import { PROVIDER_KINDS } from '../providers/provider-kinds.ts'
import { closeInterrupted } from '../request-log/fold/fold.ts'
import { MAY_HAVE_MARK } from '../request-log/fold/interruption.ts'
import { readLoggedScopes } from '../request-log/logged-scopes.ts'
import type { LiveSnapshot } from '../store/control/live-snapshot.ts'
import type { Config, Settings } from './config.ts'
import type { Health } from './handle-health.ts'
import { oidcSettings } from './oidc-config.ts'
import { testChannel } from './open-alerts.ts'
import type { Store } from './open-store.ts'
import { fetchThrough } from './open-upstream.ts'
import { environmentProviders } from './prepare-store.ts'
import { readStatus } from './status.ts'
import type { Threads } from './threads/threads.ts'
import { version } from './version.ts'

/** The parts of the gateway that the management API uses. */
export interface ManagementParts {
  deps: Deps
  health: Health
  live: LiveSnapshot
  store: Store
  config: Config
  stopping: AbortSignal
  /** Unix milliseconds. */
  startedAt: number
  threads: Pick<Threads, 'count' | 'statuses' | 'contentWritten'>
  /** Once it listens: of /v1, if administration has its own port. */
  callsPort(): string | null
}

/** Passes the functions of gateway and providers to the management API, which imports neither. */
export function managementApi(built: ManagementParts): Record<'calls' | 'administration', HttpRoute[]> {
  const { deps, health, live, store, config, stopping, threads } = built
  const { db, reads, secrets, requestLog, node, engine } = store
  const identity = {
    version: version(),
    node,
    engine,
    startedAt: built.startedAt,
    streaming: deps.streams.settings.isOnByDefault,
    threads: Math.max(1, threads.count),
  }
  const familyOf = (provider: Provider) => {
    const family = deps.families.get(provider.family)
    if (family === undefined) throw new Error(`the provider ${provider.name} has an unknown family`)
    return family
  }
  const parts: ManagementDeps = {
    db,
    reads,
    secrets,
    live,
    snapshot: live.current,
    caughtUp: () => requestLog.caughtUp(),
    async contentWritten() {
      await Promise.all([deps.content.written(), threads.contentWritten()])
    },
    writeUses: () => store.valueUses.write(),
    environmentProviders: environmentProviders(config),
    configFile: config.file === null ? null : config.filePath,
    explain: (body, by) => explain(body, by, deps),
    providerKinds: PROVIDER_KINDS,
    testProvider: async (provider) => testProvider(provider, familyOf(provider), deps),
    tryProvider: async (provider, model, known) => tryProvider(provider, familyOf(provider), { model, known }, deps),
    testChannel: (channel) => testChannel(deps, channel),
    catalogModels: () => deps.catalog.models(),
    ledger: {
      status: (scopes) => deps.ledger.status(scopes),
      scopes: () => deps.ledger.scopes(),
      lookAt: async (budgets) => (await deps.ledger.lookAt?.(budgets)) ?? [],
      verify: () =>
        verifyLedger(deps.ledger, async (now) => {
          await requestLog.caughtUp()
          return readLoggedScopes(reads, now)
        }),
    },
    oidc: oidcSettings(config.settings),
    fetch: fetchThrough(deps.upstream),
    warn: (facts, text) => deps.log.warn(facts, text),
    isEmbedded: engine === 'sqlite',
    node: () => {
      const { lagRows } = requestLog.status()
      const name = store.nodeName()
      return { ...identity, name, state: 'running', seenAt: deps.now(), lagRows, isAlive: true }
    },
    tryChat: (tried) => tryCall(tried, endpointNamed(tried.endpoint), deps),
    leases: () => deps.ledger.leases(),
    closeCallsOf: (gone) => closeInterrupted(db, gone, deps.now(), MAY_HAVE_MARK),
    status: async () => readStatus(identity, health, deps, await threads.statuses()),
    stopping,
  }
  const source = clientSource(config.settings.TRUSTED_PROXIES)
  const sourceOf: RouterDeps['sourceOf'] = (call) => source(call.remoteAddress, call.header('x-forwarded-for'))
  const router = { now: deps.now, maxBodyBytes: deps.maxBodyBytes, sourceOf }
  const keyOf = (call: Call) => authenticate(call, { keyOf: bearerOrApiKey }, live.current(), deps)
  const { calls, administration } = routesOf(parts, { ...router, guard: signInGuard(parts) }, config.settings, {
    version: identity.version,
    callsPort: built.callsPort,
  })
  return { calls: [ownSessionRoute(parts, keyOf, deps.now), ...calls], administration }
}

/** Two APIs over the same handlers. `calls`: what is on the port for calls, too, where administration has its own. */
function routesOf(
  parts: ManagementDeps,
  router: Pick<RouterDeps, 'now' | 'maxBodyBytes' | 'sourceOf' | 'guard'>,
  { LITELLM_API, ADMIN_PORT }: Pick<Settings, 'LITELLM_API' | 'ADMIN_PORT'>,
  about: Parameters<typeof management>[3],
): Record<'calls' | 'administration', HttpRoute[]> {
  const handlers = managementHandlers(parts, router.guard)
  const own = management(parts, router, handlers, about)
  if (LITELLM_API === 'off') return { calls: [], administration: own }
  const { calls, administration } = litellmRoutes({ ...parts, ...router, handlers }, ADMIN_PORT !== undefined)
  return { calls, administration: [...own, ...administration] }
}
