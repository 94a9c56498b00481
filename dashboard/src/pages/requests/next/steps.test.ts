import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isAllowed, nextSteps, raisedTo, type Step } from './steps.ts'

const FAILED = {
  key_id: 'k1',
  code: null,
  figures: {},
  requested_model: 'fast',
  provider: null,
  route: null,
  session: null,
}
const money = { limit_usd: '5', spent_usd: '4.9', held_usd: '0.05', hold_usd: '0.1' }
const unknown = { scope: 'key', provider: 'openai', model: 'gpt-x' }

const TABLE: [what: string, failed: Partial<Parameters<typeof nextSteps>[0]>, steps: Step[]][] = [
  ['a call that was served', {}, []],
  ['streaming is off', { code: 'not_implemented' }, [{ kind: 'streaming' }]],
  [
    'a used-up budget of a workspace',
    { code: 'budget_exceeded', figures: { scope: 'workspace', scope_id: 'team', ...money } },
    [
      { kind: 'while', name: 'this workspace', usd: '5', of: {} },
      { kind: 'raise', scope: 'workspace', id: 'team', what: 'budget', needed: '5.05' },
      { kind: 'key' },
    ],
  ],
  [
    'a used-up budget of a session',
    {
      code: 'budget_exceeded',
      figures: { scope: 'workspace', scope_id: 'team', each: 'session', value: 'nightly', ...money },
    },
    [
      { kind: 'while', name: 'session nightly', usd: '5', of: { key: 'k1', each: 'session', value: 'nightly' } },
      { kind: 'key' },
    ],
  ],
  ['a budget of an earlier version, without its figures', { code: 'budget_exceeded' }, [{ kind: 'key' }]],
  [
    'a rate limit',
    { code: 'key_rate_limited', figures: { scope: 'key', scope_id: 'k', kind: 'tpm', limit: 9, used: 8, needed: 4 } },
    [{ kind: 'raise', scope: 'key', id: 'k', what: 'tpm', needed: '12' }, { kind: 'key' }],
  ],
  [
    'memory for bodies, which no key setting raises',
    { code: 'key_rate_limited', figures: { scope: 'key', scope_id: 'k', kind: 'buffered_bytes' } },
    [{ kind: 'key' }],
  ],
  ['a session stopped as a loop', { code: 'loop_stopped', session: 's1' }, [{ kind: 'resume', session: 's1' }]],
  ['a session slowed down as a loop', { code: 'loop_slowed', session: 's1' }, [{ kind: 'resume', session: 's1' }]],
  ['a loop of calls that name no session', { code: 'loop_stopped' }, []],
  [
    'an unknown price',
    { code: 'price_unknown', figures: { ...unknown, unknown: 'price' } },
    [{ kind: 'model', provider: 'openai', model: 'gpt-x', unknown: 'price' }, { kind: 'key' }],
  ],
  ['a model that the key may not use', { code: 'forbidden' }, [{ kind: 'allow', model: 'fast' }, { kind: 'key' }]],
  ['a name that means nothing', { code: 'model_not_found' }, [{ kind: 'new-route', alias: 'fast' }]],
  ['a name that no route can have', { code: 'model_not_found', requested_model: 'a/b' }, []],
  ['a model unknown to its provider', { code: 'model_not_found', provider: 'openai' }, []],
  [
    'a provider that fails behind a route',
    { code: 'upstream_timeout', provider: 'openai', route: 'fast' },
    [
      { kind: 'test', provider: 'openai' },
      { kind: 'route', alias: 'fast' },
    ],
  ],
]

describe('what helps', () => {
  for (const [what, failed, steps] of TABLE) {
    test(what, () => assert.deepEqual(nextSteps({ ...FAILED, ...failed }), steps))
  }
})

test('a limit is doubled until the call fits', () => {
  assert.equal(raisedTo('5', '5.05'), '10')
  assert.equal(raisedTo('0.000001', '0.0000051'), '0.000008')
})

test('a star allows every name that begins so', () => {
  assert.ok(isAllowed(null, 'fast'))
  assert.ok(isAllowed(['gpt-*'], 'gpt-4o'))
  assert.ok(!isAllowed(['gpt-4o'], 'gpt-4o-mini'))
})
