import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Access, coversWorkspace, FULL_ACCESS, includesRole, isWithin, ROLES } from './access.ts'

test('a role includes the ones before it', () => {
  const table = ROLES.map((held) => ROLES.map((needed) => includesRole(held, needed)))
  assert.deepEqual(table, [
    [true, false, false, false],
    [true, true, false, false],
    [true, true, true, false],
    [true, true, true, true],
  ])
})

test('what belongs to no workspace is covered only by access to all', () => {
  assert.equal(coversWorkspace({ workspaces: null }, null), true)
  assert.equal(coversWorkspace({ workspaces: ['a'] }, null), false)
  assert.equal(coversWorkspace({ workspaces: ['a'] }, 'a'), true)
  assert.equal(coversWorkspace({ workspaces: ['a'] }, 'b'), false)
  assert.equal(coversWorkspace({ workspaces: [] }, 'a'), false)
})

const scoped = (role: Access['role'], ...workspaces: string[]): Access => ({ role, workspaces })
const CASES: [inner: Access, outer: Access, is: boolean][] = [
  [FULL_ACCESS, FULL_ACCESS, true],
  [scoped('viewer', 'a'), FULL_ACCESS, true],
  [FULL_ACCESS, scoped('admin', 'a'), false],
  [{ role: 'viewer', workspaces: null }, scoped('admin', 'a'), false],
  [scoped('admin', 'a'), scoped('admin', 'a'), true],
  [scoped('admin', 'a', 'b'), scoped('admin', 'a'), false],
  [scoped('admin', 'a'), scoped('editor', 'a'), false],
  [scoped('viewer'), scoped('viewer', 'a'), true],
]
for (const [inner, outer, is] of CASES) {
  test(`${JSON.stringify(inner)} is ${is ? '' : 'not '}within ${JSON.stringify(outer)}`, () =>
    assert.equal(isWithin(inner, outer), is))
}
