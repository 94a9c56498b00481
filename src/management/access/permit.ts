import { type Access, coversWorkspace, includesRole } from '../../domain/access.ts'
import { GatewayError } from '../../domain/errors.ts'
import type { InputOf, Operation } from '../contract/operation.ts'

type Permission = Pick<Operation, 'role' | 'scope'>

/** Why this access may not do the operation, wherever it is about; null: it may. */
export function refusalOf({ role, scope }: Permission, access: Access): string | null {
  if (!includesRole(access.role, role)) {
    return `This operation requires the role '${role}'. Your access has the role '${access.role}'.`
  }
  if (scope !== 'gateway' || access.workspaces === null) return null
  return `This operation requires access to all workspaces. Yours covers: ${listed(access.workspaces)}.`
}

/** Throws 403 before anything of the request is read but its head. */
export function checkRole(permission: Permission, access: Access): void {
  const refusal = refusalOf(permission, access)
  if (refusal !== null) throw new GatewayError('forbidden', refusal)
}

/** Throws 403 when the operation is about one workspace, and not one that the access covers. */
export function checkPlace(
  { scope }: Permission,
  { params, query }: Pick<InputOf<Operation>, 'params' | 'query'>,
  access: Access,
): void {
  if (scope !== 'workspace') return
  checkCovered(access, String(query['workspace'] ?? params['name']))
}

export function checkCovered(access: Access, workspace: string): void {
  if (coversWorkspace(access, workspace)) return
  const covered = listed(access.workspaces ?? [])
  throw new GatewayError('forbidden', `Your access does not cover the workspace '${workspace}'. It covers: ${covered}.`)
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.join(', ')
}
