import assert from 'node:assert/strict'
import { test } from 'node:test'
import { targetOf } from './target.ts'

const NONE = { key: null, route: null, provider: null, model: null }

for (const [identity, expected] of [
  ['budget key k1 month 7 100 80', { key: 'k1' }],
  ['budget workspace team month 7 100 80', {}],
  ['error_rate default fast', { route: 'fast' }],
  ['error_rate default ', {}],
  ['latency openai gpt 5', { provider: 'openai', model: 'gpt 5' }],
  ['circuit_open openai gpt-5', { provider: 'openai', model: 'gpt-5' }],
  ['unpriced local llama', { provider: 'local', model: 'llama' }],
  ['provider_account openai provider_auth_error', { provider: 'openai' }],
  ['log_backlog node', {}],
  ['reconciliation_drift p 2026-05-04 m', { provider: 'p', model: 'm' }],
  ['reconciliation_drift p 2026-05-04', { provider: 'p' }],
  ['loop k1 default same_tool_call run 7', { key: 'k1' }],
  ['prompt_cache default fast', { route: 'fast' }],
  ['stated_cost p m', { provider: 'p', model: 'm' }],
] as const) {
  test(identity, () => assert.deepEqual(targetOf(identity), { ...NONE, ...expected }))
}
