import { auditOperations } from './audit.ts'
import { workspaceOperations } from './workspaces.ts'

/** Every operation of the management API. */
export const CONTRACT = {
  ...workspaceOperations,
  ...auditOperations,
}

export type Contract = typeof CONTRACT
