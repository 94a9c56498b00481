import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { healthOf, isEditable, type Provider, type ProviderStatus } from './provider-health.ts'

const status = (more: Partial<ProviderStatus>): ProviderStatus => ({
  name: 'p',
  family: 'f',
  configured: true,
  circuits: [],
  last_error: null,
  last_success_at: null,
  calls_5m: 0,
  errors_5m: 0,
  ...more,
})
const circuit = { model: 'm', state: 'open', until: null } as const

describe('how a provider does', () => {
  for (const [what, given, tone] of [
    ['nothing is set', { configured: false }, 'idle'],
    ['nobody has called it', {}, 'idle'],
    ['it answered a while ago', { last_success_at: '2026-01-01T00:00:00Z' }, 'good'],
    ['every call works', { calls_5m: 1000 }, 'good'],
    ['one call of a thousand fails', { calls_5m: 1000, errors_5m: 1 }, 'good'],
    ['one call of ten fails', { calls_5m: 10, errors_5m: 1 }, 'warn'],
    ['a model is passed over', { calls_5m: 10, circuits: [circuit] }, 'warn'],
    ['every call fails', { calls_5m: 2, errors_5m: 2, circuits: [circuit] }, 'bad'],
  ] as const) {
    test(`${tone} when ${what}`, () =>
      assert.equal(
        healthOf(status({ ...given, circuits: [...('circuits' in given ? given.circuits : [])] }), null).tone,
        tone,
      ))
  }

  test('a list of models that cannot be read is worth a look, until calls say more', () => {
    assert.equal(healthOf(status({}), 'unreachable').tone, 'warn')
    assert.equal(healthOf(status({ calls_5m: 3 }), 'unreachable').tone, 'good')
  })
})

test('what file or environment set is theirs; a provider that the environment only names is not', () => {
  const provider = (more: Partial<Provider>) =>
    ({ managed_by: null, has_api_key: true, base_url: null, ...more }) as Provider
  assert.equal(isEditable(provider({})), true)
  assert.equal(isEditable(provider({ managed_by: 'config' })), false)
  assert.equal(isEditable(provider({ managed_by: 'environment' })), false)
  assert.equal(isEditable(provider({ managed_by: 'environment', has_api_key: false })), true)
  assert.equal(isEditable(provider({ managed_by: 'environment', has_api_key: false, base_url: 'http://x' })), false)
})
