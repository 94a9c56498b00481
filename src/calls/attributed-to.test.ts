import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashKey } from '../domain/key.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { attributedTo } from './attributed-to.ts'

const snapshot = {
  valuesByHash: new Map([[hashKey('plain words as a key'), {}]]),
  providers: new Map([['first', { apiKey: 'the provider key' }]]),
} as unknown as Snapshot

const none = { user: null, session: null, tags: {} }

test('a header wins over the session of the body', () => {
  const inBody = { user: 'anna', session: 'theirs', tags: { team: 'a' } }
  assert.deepEqual(attributedTo('ours', inBody, snapshot), { ...inBody, session: 'ours' })
  assert.deepEqual(attributedTo(null, inBody, snapshot), inBody)
})

for (const secret of ['plain words as a key', 'the provider key']) {
  test(`a known secret is kept nowhere: ${secret}`, () => {
    const inBody = { user: secret, session: secret, tags: { team: secret, [secret]: 'a' } }
    assert.deepEqual(attributedTo(null, inBody, snapshot), none)
    assert.deepEqual(attributedTo(secret, none, snapshot), none)
  })
}
