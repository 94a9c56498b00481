import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessOfGroups, type GroupRole, parseGroupRoles } from './group-roles.ts'

const row = (group: string, role: GroupRole['role'], workspaces: string[] | null = null) => ({
  group,
  role,
  workspaces,
})

const READ: [text: string, rows: GroupRole[]][] = [
  ['', []],
  ['platform=admin', [row('platform', 'admin')]],
  ['platform = admin ; all staff=viewer;', [row('platform', 'admin'), row('all staff', 'viewer')]],
  ['research=editor@research, search', [row('research', 'editor', ['research', 'search'])]],
  ['cn=admins,ou=teams=admin', [row('cn=admins,ou=teams', 'admin')]],
]
for (const [text, rows] of READ) test(`"${text}"`, () => assert.deepEqual(parseGroupRoles(text), rows))

for (const text of ['platform', '=admin', 'platform=owner', 'a=viewer@', 'a=viewer@x y', 'a=viewer@x@y', 'a=admin;b']) {
  test(`"${text}" is refused`, () => assert.equal(parseGroupRoles(text), null))
}

test('the first row that names one of the groups counts, in whatever order the groups come', () => {
  const rows = [row('platform', 'admin'), row('research', 'editor', ['research'])]
  assert.deepEqual(accessOfGroups(['other', 'research', 'platform'], rows), { role: 'admin', workspaces: null })
  assert.deepEqual(accessOfGroups(['research'], rows), { role: 'editor', workspaces: ['research'] })
  assert.equal(accessOfGroups(['other'], rows), null)
  assert.equal(accessOfGroups([], rows), null)
})
