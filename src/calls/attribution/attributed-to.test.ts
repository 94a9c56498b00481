import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Attribution, NO_ATTRIBUTION, NO_NAMES } from '../../domain/attribution.ts'
import { hashKey } from '../../domain/key.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { attributedTo } from './attributed-to.ts'

const snapshot = {
  valuesByHash: new Map([[hashKey('plain words as a key'), {}]]),
  providers: new Map([['first', { apiKey: 'the provider key' }]]),
} as unknown as Snapshot

const none = NO_ATTRIBUTION
const main = { agent: null, parent: null, kind: 'main' as const, project: null }

test('a header wins over the session of the body', () => {
  const inBody: Attribution = { ...main, user: 'anna', session: 'theirs', tags: { team: 'a' } }
  assert.deepEqual(attributedTo({ ...NO_NAMES, session: 'ours' }, inBody, snapshot), { ...inBody, session: 'ours' })
  assert.deepEqual(attributedTo(NO_NAMES, inBody, snapshot), inBody)
})

for (const secret of ['plain words as a key', 'the provider key']) {
  test(`a known secret is kept nowhere: ${secret}`, () => {
    const inBody = { ...none, user: secret, session: secret, tags: { team: secret, [secret]: 'a' } }
    assert.deepEqual(attributedTo(NO_NAMES, inBody, snapshot), none)
    const everywhere = { session: secret, agent: secret, parent: secret, kind: null, project: secret }
    assert.deepEqual(attributedTo(everywhere, none, snapshot), none)
    // The rest of what was said is kept.
    const half = attributedTo({ ...everywhere, session: 's', agent: 'a' }, none, snapshot)
    assert.deepEqual(half, { ...none, session: 's', agent: 'a', parent: 's', kind: 'subagent' })
  })
}
