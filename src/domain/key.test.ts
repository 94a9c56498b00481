import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AllowedModels, isUsable, type Key, keyPrefix, mayUse, newKeyValue } from './key.ts'

describe('which models a key may use', () => {
  const table: [allowed: string[] | null, model: string, may: boolean][] = [
    [null, 'anything', true],
    [['fast'], 'fast', true],
    [['fast'], 'Fast', false],
    [['fast'], 'faster', false],
    [['fast'], 'fas', false],
    [['small-*'], 'small-1', true],
    [['small-*'], 'small-', true],
    [['small-*'], 'small', false],
    [['small-*'], 'a-small-1', false],
    [['team/*', 'fast'], 'team/search:v2', true],
    [['team/*', 'fast'], 'fast', true],
    [['team/*', 'fast'], 'slow', false],
    [['*'], 'anything', true],
    [['constructor'], '__proto__', false],
    [[], 'anything', false],
  ]
  for (const [allowedModels, model, may] of table) {
    test(`${JSON.stringify(allowedModels)} ${may ? 'allows' : 'forbids'} ${model}`, () =>
      assert.equal(mayUse({ allowedModels }, model), may))
  }
})

describe('a list of allowed models', () => {
  const taken = [['fast'], ['*'], ['small-*'], ['team/search:v2.1', 'x*'], ['é'], ['a b'], ['a b *']]
  for (const list of taken) test(`${list} is taken`, () => assert.ok(AllowedModels.safeParse(list).success))
  const refused = [[], [''], [' a'], ['a\nb'], ['a*b'], ['*a'], ['**'], ['a '], ['x'.repeat(257)], [1], 'fast', null]
  for (const list of refused) {
    test(`${JSON.stringify(list).slice(0, 20)} is refused`, () => assert.ok(!AllowedModels.safeParse(list).success))
  }
})

describe('whether a key works', () => {
  const key: Key = {
    id: 'k',
    kind: 'live',
    workspace: 'default',
    name: 'k',
    prefix: 'gw_live_0000',
    createdAt: 0,
    expiresAt: null,
    revokedAt: null,
    pausedAt: null,
    allowedModels: null,
    limits: null,
  }
  const table: [what: string, change: Partial<Key>, works: boolean][] = [
    ['as it is', {}, true],
    ['at its expiry', { expiresAt: 100 }, false],
    ['before its expiry', { expiresAt: 101 }, true],
    ['at its revocation', { revokedAt: 100 }, false],
    ['before a revocation to come', { revokedAt: 101 }, true],
    ['paused, for it can be resumed', { pausedAt: 50 }, true],
    ['revoked, though not expired', { revokedAt: 50, expiresAt: 200 }, false],
  ]
  for (const [what, change, works] of table) {
    test(`${what}: ${works}`, () => assert.equal(isUsable({ ...key, ...change }, 100), works))
  }
})

test('a new key is its kind and 32 random characters; twelve characters of it are visible', () => {
  const value = newKeyValue('live')
  assert.match(value, /^gw_live_[0-9A-Za-z]{32}$/)
  assert.match(newKeyValue('admin'), /^gw_admin_[0-9A-Za-z]{32}$/)
  assert.notEqual(newKeyValue('live'), value)
  assert.equal(keyPrefix(value), value.slice(0, 12))
})
