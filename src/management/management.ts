import type { HttpRoute } from '../http/call.ts'
import { jsonReply } from '../http/respond.ts'
import { adminKeyHandlers } from './admin-keys.ts'
import { auditHandlers } from './audit.ts'
import { budgetHandlers } from './budgets.ts'
import { catalogHandlers } from './catalog.ts'
import { configHandlers } from './config.ts'
import { CONTRACT, type Contract } from './contract/contract.ts'
import type { ManagementDeps } from './deps.ts'
import { docsPage } from './docs-page.ts'
import { explainHandlers } from './explain.ts'
import { keyHandlers } from './keys.ts'
import { openApi } from './openapi.ts'
import { playgroundHandlers } from './playground.ts'
import { providerHandlers } from './providers.ts'
import { registryHandlers } from './registry.ts'
import { requestHandlers } from './requests.ts'
import { type HandlersOf, managementRoutes, type RouterDeps } from './router.ts'
import { routeHandlers } from './routes.ts'
import { secretHandlers } from './secrets.ts'
import { sessionHandlers } from './sessions.ts'
import { createSignInGuard, pauseUnless } from './sign-in-guard.ts'
import { statusHandlers } from './status.ts'
import { usageHandlers } from './usage.ts'
import { workspaceHandlers } from './workspaces.ts'

/** The management API: a handler for every row of the contract, and the contract itself to read. */
export function management(
  deps: ManagementDeps,
  router: Pick<RouterDeps, 'now' | 'maxBodyBytes'>,
  version: string,
): HttpRoute[] {
  const guard = createSignInGuard({ now: () => performance.now(), pause: pauseUnless(deps.stopping) })
  const handlers: HandlersOf<Contract> = {
    ...workspaceHandlers(deps),
    ...keyHandlers(deps),
    ...adminKeyHandlers(deps),
    ...routeHandlers(deps),
    ...explainHandlers(deps),
    ...providerHandlers(deps),
    ...secretHandlers(deps),
    ...sessionHandlers(deps, guard),
    ...registryHandlers(deps),
    ...catalogHandlers(deps),
    ...configHandlers(deps),
    ...requestHandlers(deps),
    ...usageHandlers(deps),
    ...budgetHandlers(deps),
    ...auditHandlers(deps),
    ...statusHandlers(deps),
    ...playgroundHandlers(deps),
  }
  const document = openApi(CONTRACT, version)
  const page = docsPage(CONTRACT, version)
  return [
    ...managementRoutes(CONTRACT, handlers, { ...deps, ...router }),
    { method: 'GET', path: '/openapi.json', handle: () => jsonReply(200, document) },
    { method: 'GET', path: '/docs', handle: () => page },
  ]
}
