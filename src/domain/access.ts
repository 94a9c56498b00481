import { z } from 'zod'

/** Each role includes those before it. A member only has keys of their own. */
export const ROLES = ['member', 'viewer', 'editor', 'admin'] as const
export const Role = z.enum(ROLES)
export type Role = z.infer<typeof Role>

/** What an admin key or a person may do, and where. */
export interface Access {
  role: Role
  /** Null: all, those included that do not exist yet. An empty list: none. */
  workspaces: readonly string[] | null
}

export const FULL_ACCESS: Access = { role: 'admin', workspaces: null }

export function includesRole(held: Role, needed: Role): boolean {
  return ROLES.indexOf(held) >= ROLES.indexOf(needed)
}

/** Null: belongs to no workspace, so only access to all of them covers it. */
export function coversWorkspace({ workspaces }: Pick<Access, 'workspaces'>, workspace: string | null): boolean {
  return workspaces === null || (workspace !== null && workspaces.includes(workspace))
}

/** Access is granted, changed and revoked only by people who have at least as much. */
export function isWithin(inner: Access, outer: Access): boolean {
  if (!includesRole(outer.role, inner.role)) return false
  return outer.workspaces === null || (inner.workspaces?.every((name) => coversWorkspace(outer, name)) ?? false)
}

export function isFullAccess({ role, workspaces }: Access): boolean {
  return role === 'admin' && workspaces === null
}

/** For a query: no database takes an empty list, and no workspace has this name. */
export function namesIn(workspaces: readonly string[]): string[] {
  return workspaces.length === 0 ? [''] : [...workspaces]
}
