import { adminKeyOperations } from './admin-keys.ts'
import { auditOperations } from './audit.ts'
import { keyOperations } from './keys.ts'
import { providerOperations } from './providers.ts'
import { routeOperations } from './routes.ts'
import { secretOperations } from './secrets.ts'
import { workspaceOperations } from './workspaces.ts'

/** Every operation of the management API. */
export const CONTRACT = {
  ...workspaceOperations,
  ...keyOperations,
  ...adminKeyOperations,
  ...routeOperations,
  ...providerOperations,
  ...secretOperations,
  ...auditOperations,
}

export type Contract = typeof CONTRACT
