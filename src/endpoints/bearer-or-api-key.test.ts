import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { GatewayError } from '../domain/errors.ts'
import { bearerOrApiKey } from './bearer-or-api-key.ts'

const keyIn = (fields: Record<string, string>) => bearerOrApiKey({ header: (name) => fields[name] })

describe('the key is', () => {
  const table: [what: string, fields: Record<string, string>, key: string][] = [
    ['the bearer', { authorization: 'Bearer a' }, 'a'],
    ['the x-api-key', { 'x-api-key': 'b' }, 'b'],
    ['the bearer, where both differ', { authorization: 'Bearer a', 'x-api-key': 'b' }, 'a'],
    ['the x-api-key beside another kind of authorization', { authorization: 'Basic a', 'x-api-key': 'b' }, 'b'],
  ]
  for (const [what, fields, key] of table) test(what, () => assert.equal(keyIn(fields), key))
})

test('without one the call is refused', () => {
  const bad: Record<string, string>[] = [{}, { 'x-api-key': ' ' }, { 'x-api-key': 'a b' }, { authorization: 'Basic a' }]
  for (const fields of bad) {
    assert.throws(
      () => keyIn(fields),
      (error: unknown) => error instanceof GatewayError && error.code === 'unauthorized',
    )
  }
})
