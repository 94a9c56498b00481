import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { groupFilters, groupKey, groupName } from './usage-groups.ts'

const named = (group: string | null, name: string | null = null) => ({ group, name, is_rest: false })

describe('a group of the usage', () => {
  test('a key has a name, the others are their own', () => {
    assert.equal(groupName('key', named('01abc', 'web-app')), 'web-app')
    assert.equal(groupName('route', named('fast')), 'fast')
  })

  test('a deleted key is called by its id', () => assert.equal(groupName('key', named('01abc')), '01abc'))

  test('none is told in words', () => {
    assert.equal(groupName('route', named(null)), 'direct model ids')
    assert.equal(groupName('model', named(null)), 'rejected before any provider')
  })

  test('all but the costliest are one group, which is not the one of those without a name', () => {
    const rest = { ...named(null), is_rest: true }
    assert.equal(groupName('session', rest), 'all others')
    assert.equal(groupName('session', named(null)), 'no session')
    assert.notEqual(groupKey(rest), groupKey(named(null)))
  })

  test('its requests are found by the filters of the request list', () => {
    assert.deepEqual(groupFilters('route', 'fast'), { route: 'fast' })
    assert.deepEqual(groupFilters('model', 'local/org/model-1'), { provider: 'local', model: 'org/model-1' })
  })
})
