import type { HttpRoute, Reply } from '../http/call.ts'
import { jsonReply } from '../http/respond.ts'
import { adminKeyHandlers } from './access/admin-keys.ts'
import { inviteHandlers } from './access/invites.ts'
import { keyTemplateHandlers } from './access/key-templates.ts'
import { myKeyHandlers } from './access/my-keys.ts'
import { openProvider } from './access/oidc/provider.ts'
import type { OidcSettings } from './access/oidc/settings.ts'
import { type SignInDeps, signInRoutes } from './access/oidc/sign-in-routes.ts'
import { peopleHandlers } from './access/people.ts'
import { secretHandlers } from './access/secrets.ts'
import { sessionHandlers } from './access/sessions.ts'
import { createSignInGuard, pauseUnless, type SignInGuard } from './access/sign-in-guard.ts'
import { tokenIssuerHandlers } from './access/token-issuers.ts'
import { alertHandlers } from './alerts.ts'
import { auditHandlers } from './audit.ts'
import { budgetHandlers } from './budgets.ts'
import { configHandlers } from './config.ts'
import { CONTRACT, type Contract } from './contract/contract.ts'
import { correctionHandlers } from './corrections/corrections.ts'
import { raiseHandlers } from './corrections/raises.ts'
import type { ManagementDeps } from './deps.ts'
import { keyHandlers } from './keys.ts'
import { nodeHandlers } from './nodes.ts'
import { openApi } from './openapi.ts'
import { performanceHandlers } from './performance.ts'
import { playgroundHandlers } from './playground.ts'
import { providerHandlers } from './providers.ts'
import { monthHandlers } from './reconciliation/months.ts'
import { reconciliationHandlers } from './reconciliation/reconciliation.ts'
import { reportAccountHandlers } from './reconciliation/report-accounts.ts'
import { catalogHandlers } from './registry/catalog.ts'
import { registryHandlers } from './registry/registry.ts'
import { explainHandlers } from './requests/explain.ts'
import { requestHandlers } from './requests/requests.ts'
import { restoreHandlers } from './restore.ts'
import { type HandlersOf, managementRoutes, type RouterDeps } from './router.ts'
import { routeHandlers } from './routes.ts'
import { statusHandlers } from './status.ts'
import { loopHandlers } from './usage/loops.ts'
import { usageHandlers } from './usage.ts'
import { workspaceHandlers } from './workspaces.ts'

/** The management API: every row of the contract with its handler, and the contract itself to read. */
export function management(
  deps: ManagementDeps,
  router: Pick<RouterDeps, 'now' | 'maxBodyBytes' | 'sourceOf' | 'guard'>,
  handlers: HandlersOf<Contract>,
  { version, callsPort }: { version: string; callsPort: () => string | null },
): HttpRoute[] {
  return [
    ...managementRoutes(CONTRACT, handlers, { ...deps, ...router, orAway: deps.live.orAway }),
    {
      method: 'GET',
      path: '/openapi.json',
      handle: kept(async () => jsonReply(200, await openApi(CONTRACT, version, callsPort()))),
    },
    ...(deps.oidc === null ? [] : signInRoutes(signInDeps(deps, deps.oidc, router.now))),
  ]
}

export function signInGuard({ stopping }: Pick<ManagementDeps, 'stopping'>): SignInGuard {
  return createSignInGuard({ now: () => performance.now(), pause: pauseUnless(stopping) })
}

export function managementHandlers(deps: ManagementDeps, guard: SignInGuard): HandlersOf<Contract> {
  const plain: HandlersOf<Omit<Contract, 'audit.restore'>> = {
    ...workspaceHandlers(deps),
    ...keyHandlers(deps),
    ...adminKeyHandlers(deps),
    ...routeHandlers(deps),
    ...explainHandlers(deps),
    ...providerHandlers(deps),
    ...secretHandlers(deps),
    ...sessionHandlers(deps, guard),
    ...peopleHandlers(deps),
    ...inviteHandlers(deps),
    ...tokenIssuerHandlers(deps),
    ...keyTemplateHandlers(deps),
    ...myKeyHandlers(deps),
    ...registryHandlers(deps),
    ...catalogHandlers(deps),
    ...configHandlers(deps),
    ...requestHandlers(deps),
    ...usageHandlers(deps),
    ...loopHandlers(deps),
    ...performanceHandlers(deps),
    ...budgetHandlers(deps),
    ...correctionHandlers(deps),
    ...raiseHandlers(deps),
    ...reconciliationHandlers(deps),
    ...reportAccountHandlers(deps),
    ...monthHandlers(deps),
    ...alertHandlers(deps),
    ...auditHandlers(deps),
    ...statusHandlers(deps),
    ...nodeHandlers(deps),
    ...playgroundHandlers(deps),
  }
  return { ...plain, ...restoreHandlers(deps, plain) }
}

function signInDeps(deps: ManagementDeps, settings: OidcSettings, now: () => number): SignInDeps {
  const { db, secrets, warn } = deps
  return { db, secrets, warn, settings, provider: openProvider(settings, deps.fetch), now, orAway: deps.live.orAway }
}

/** Made when first asked for: at the start it would cost 80 ms and 10 MB of garbage. */
function kept(make: () => Promise<Reply>): () => Promise<Reply> {
  let made: Promise<Reply> | null = null
  return () => (made ??= make())
}
