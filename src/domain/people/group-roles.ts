import { type Access, Role } from '../access.ts'

/** What the members of a group of the identity provider may do. */
export interface GroupRole extends Access {
  group: string
}

const WORKSPACE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** `platform=admin; research team=editor@research,search`: null where it is not of this form. */
export function parseGroupRoles(text: string): GroupRole[] | null {
  const rows = text.split(';').filter((part) => part.trim() !== '')
  const read = rows.map(parseRow)
  return read.every((row) => row !== null) ? read : null
}

/** A group may have any name, `cn=admins,ou=teams` too: the last equals sign divides. */
function parseRow(text: string): GroupRole | null {
  const divide = text.lastIndexOf('=')
  const group = text.slice(0, Math.max(0, divide)).trim()
  const [name = '', where, ...more] = text.slice(divide + 1).split('@')
  const role = Role.safeParse(name.trim())
  const workspaces = where?.split(',').map((each) => each.trim()) ?? null
  if (group === '' || !role.success || more.length > 0) return null
  return workspaces?.every((each) => WORKSPACE.test(each)) === false ? null : { group, role: role.data, workspaces }
}

/** The first row that names one of the groups. */
export function accessOfGroups(groups: readonly string[], rows: readonly GroupRole[]): Access | null {
  const row = rows.find(({ group }) => groups.includes(group))
  return row === undefined ? null : { role: row.role, workspaces: row.workspaces }
}
