import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameIn, placeOf, resourceOf, verbOf } from './audit-entry.ts'

test('a resource is its kind and the rest, whatever slashes the rest has', () => {
  assert.deepEqual(resourceOf('registry/local/org/model'), { kind: 'registry', id: 'local/org/model' })
  assert.deepEqual(resourceOf('secrets'), { kind: 'secrets', id: '' })
})

test('a model, a route and a workspace have places in the dashboard, the secrets have none', () => {
  assert.deepEqual(placeOf('registry/local/org/model'), ['registry', 'local', 'org/model'])
  assert.deepEqual(placeOf('registry'), ['registry'])
  assert.deepEqual(placeOf('routes/a/b'), ['routes', 'a/b'])
  assert.deepEqual(placeOf('workspaces/sales'), ['settings', 'workspaces'])
  assert.equal(placeOf('secrets'), null)
})

test('a key is called by its name, also once it is gone', () => {
  assert.equal(nameIn('keys/01abc', null, { name: 'staging' }), 'staging')
  assert.equal(nameIn('keys/01abc', { name: 'staging' }, null), 'staging')
  assert.equal(nameIn('keys/01abc', null, null), '01abc')
  assert.equal(nameIn('routes/fast', null, { alias: 'fast' }), 'fast')
})

test('a put of what was not there created it, a file without it deleted it', () => {
  assert.equal(verbOf('routes.put', null, {}), 'created')
  assert.equal(verbOf('routes.put', {}, {}), 'changed')
  assert.equal(verbOf('config.apply', {}, null), 'deleted')
  assert.equal(verbOf('keys.revoke', {}, {}), 'revoked')
  assert.equal(verbOf('sessions.create', null, {}), 'signed in')
  assert.equal(verbOf('requests.content', null, null), 'read the content of')
  assert.equal(verbOf('workspaces.guardrail-secret', null, null), 'read the guardrail secret of')
  assert.equal(verbOf('config.unheard-of', {}, {}), 'unheard of')
})
