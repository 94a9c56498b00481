import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Provider } from '../domain/provider.ts'
import { checkSharedKeys } from './provider-checks.ts'

const provider = (name: string, apiKey: string | null, baseUrl = 'http://127.0.0.1:9'): Provider => ({
  ...{ name, family: 'openai', baseUrl, apiKey, headers: {}, onCallerLeft: 'abort' },
})

for (const [name, providers, expected] of [
  ['one key each', [provider('a', 'k1'), provider('b', 'k2')], []],
  ['no keys', [provider('a', null), provider('b', null)], []],
  ['one key at two addresses', [provider('a', 'k1'), provider('b', 'k1', 'http://127.0.0.1:8')], []],
  ['one key for two', [provider('a', 'k1'), provider('b', 'k1'), provider('c', 'k2')], ['key of a and b']],
] as const) {
  test(`${name}: ${expected.length === 0 ? 'nothing to say' : 'named'}`, () => {
    const checks = checkSharedKeys(providers)
    assert.deepEqual(
      checks.map((check) => check.name),
      expected,
    )
    assert.ok(checks.every(({ message }) => !message.includes('k1')))
  })
}
