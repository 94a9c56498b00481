import { adminKeyOperations } from './admin-keys.ts'
import { auditOperations } from './audit.ts'
import { keyOperations } from './keys.ts'
import { routeOperations } from './routes.ts'
import { workspaceOperations } from './workspaces.ts'

/** Every operation of the management API. */
export const CONTRACT = {
  ...workspaceOperations,
  ...keyOperations,
  ...adminKeyOperations,
  ...routeOperations,
  ...auditOperations,
}

export type Contract = typeof CONTRACT
