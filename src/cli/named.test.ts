import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseId } from './named.ts'

const NOW = Date.parse('2026-11-17T10:00:00Z')
const past = '2026-11-16T10:00:00Z'
const things = [
  { id: '1', name: 'only' },
  { id: '2', name: 'made-anew', revoked_at: past },
  { id: '3', name: 'made-anew', revoked_at: null, expires_at: null },
  { id: '4', name: 'expired', expires_at: past },
  { id: '5', name: 'twice' },
  { id: '6', name: 'twice' },
  { id: '7', name: '1' },
]

for (const [given, id] of [
  ['only', '1'],
  ['made-anew', '3'],
  ['expired', '4'],
  ['nobody', 'nobody'],
  ['1', '1'],
] as const) {
  test(`${given} is ${id}`, () => assert.equal(chooseId(given, 'key', things, NOW), id))
}

test('a name that several have is refused with their ids', () => {
  assert.throws(() => chooseId('twice', 'key', things, NOW), {
    message: '2 keys are called twice: say which by its id: 5, 6',
    exitCode: 2,
  })
})
