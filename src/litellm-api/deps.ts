import type { Contract } from '../management/contract/contract.ts'
import type { ManagementDeps } from '../management/deps.ts'
import type { HandlersOf, RouterDeps } from '../management/router.ts'

/** The management API, as this room uses it: its handlers do all the work. */
export interface LitellmDeps extends ManagementDeps, Pick<RouterDeps, 'now' | 'maxBodyBytes' | 'sourceOf' | 'guard'> {
  handlers: HandlersOf<Contract>
}
