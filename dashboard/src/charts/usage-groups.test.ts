import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { groupFilters, groupName } from './usage-groups.ts'

describe('a group of the usage', () => {
  test('a key has a name, the others are their own', () => {
    assert.equal(groupName('key', { group: '01abc', name: 'web-app' }), 'web-app')
    assert.equal(groupName('route', { group: 'fast', name: null }), 'fast')
  })

  test('a deleted key is called by its id', () =>
    assert.equal(groupName('key', { group: '01abc', name: null }), '01abc'))

  test('none is told in words', () => {
    assert.equal(groupName('route', { group: null, name: null }), 'direct model ids')
    assert.equal(groupName('model', { group: null, name: null }), 'no provider asked')
  })

  test('its requests are found by the filters of the request list', () => {
    assert.deepEqual(groupFilters('route', 'fast'), { route: 'fast' })
    assert.deepEqual(groupFilters('model', 'local/org/model-1'), { provider: 'local', model: 'org/model-1' })
  })
})
