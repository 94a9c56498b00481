import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PROVIDER } from '../../../test/fixtures/vertex/provider.ts'
import type { Provider } from '../../domain/provider.ts'
import { PROVIDER_KINDS } from '../provider-kinds.ts'

describe('what is wrong with a provider', () => {
  const key = JSON.stringify({ client_email: 'a@b', private_key: 'k' })
  const cases: [what: string, change: Partial<Provider>, problem: RegExp | null][] = [
    ['nothing, on a machine of the vendor', {}, null],
    ['nothing, with a key', { credentials: { service_account: key } }, null],
    ['nothing, with an API key', { apiKey: 'k', settings: {} }, null],
    ['no project', { settings: { location: 'eu' } }, /^settings\.project: is missing/],
    ['no settings at all', { settings: {} }, /^settings\.project: is missing/],
    [
      'two ways',
      { apiKey: 'k', credentials: { service_account: key } },
      /^credentials\.service_account: there is an api_key/,
    ],
    [
      'a key that is none',
      { credentials: { service_account: 'Zq7secret' } },
      /^credentials\.service_account: expected the JSON/,
    ],
    [
      'a key whose address is not safe',
      {
        credentials: {
          service_account: JSON.stringify({ client_email: 'a', private_key: 'k', token_uri: 'http://evil.example/' }),
        },
      },
      /^credentials\.service_account: expected/,
    ],
    ['an unknown credential', { credentials: { password: 'x' } }, /^credentials\.password/],
    [
      'a location that is none',
      { settings: { project: 'my-project', location: 'x/../y' } },
      /^settings\.location: expected a location/,
    ],
    ['a project that is none', { settings: { project: '../x' } }, /^settings\.project: expected/],
    ['an unknown setting', { settings: { project: 'my-project', region: 'x' } }, /^settings: unknown field "region"/],
  ]
  for (const [what, change, problem] of cases) {
    test(what, () => {
      const found = PROVIDER_KINDS.problemOf({ ...PROVIDER, ...change })
      if (problem === null) assert.equal(found, null)
      else assert.match(found ?? '', problem)
      assert.equal(found?.includes('Zq7secret') ?? false, false)
    })
  }
})
