import assert from 'node:assert/strict'
import type { Limits } from '../../src/domain/limits.ts'
import { asPicodollars, exactUsd } from '../../src/domain/pricing/price.ts'
import type { Scope, ScopeStatus } from '../../src/limits/ledger.ts'
import { verifyLedger } from '../../src/limits/verify-ledger.ts'
import { readLoggedScopes } from '../../src/request-log/logged-scopes.ts'
import { type Answered, type Harness, hello } from '../harness.ts'
import { managing } from '../management/manage.ts'

/** One dollar a million prompt tokens, five a million answer tokens; nothing else has a price. */
export const CONFIG = `
workspaces:
  default:
    routes:
      plain: { chain: [{ provider: openai, model: gpt-plain }] }
      slow: { chain: [{ provider: openai, model: gpt-sim-slow-300, retries: 0 }] }
      falls: { chain: [{ provider: openai, model: gpt-sim-500, retries: 0 }, { provider: anthropic, model: claude-plain }] }
      fails: { chain: [{ provider: openai, model: gpt-sim-500, retries: 0 }] }
      flaky: { chain: [{ provider: openai, model: gpt-sim-flaky-40, retries: 0 }, { provider: anthropic, model: claude-plain }] }
      unpriced: { chain: [{ provider: openai, model: gpt-plain }, { provider: openai, model: gpt-unpriced }] }
registry:
${[
  'openai, model: gpt-plain',
  'openai, model: gpt-sim-slow-300',
  'openai, model: gpt-sim-500',
  'openai, model: gpt-sim-flaky-40',
  'anthropic, model: claude-plain',
]
  .map((model) => `  - { provider: ${model}, input_per_mtok: "1", output_per_mtok: "5", max_output_tokens: 4096 }`)
  .join('\n')}
`

/** What a call of `ask(model)` holds: every byte a prompt token, and a full answer. */
export function holdOfAsk(model: string): bigint {
  return BigInt(JSON.stringify(ask(model)).length) * 1_000_000n + 100n * 5_000_000n
}

export function ask(model: string): Record<string, unknown> {
  return hello(model, { max_tokens: 100 })
}

export function usd(picodollars: bigint): string {
  return exactUsd(asPicodollars(picodollars))
}

export interface LimitedKey {
  id: string
  scope: Scope
  headers: Record<string, string>
  chat(model: string): Promise<Answered>
  limit(limits: Limits | null): Promise<void>
}

let keys = 0

export async function newKey(harness: Harness, limits: Limits | null, workspace = 'default'): Promise<LimitedKey> {
  const manage = managing(() => harness)
  const made = await manage('POST', `/keys?workspace=${workspace}`, { name: `limited-${++keys}`, limits })
  assert.equal(made.status, 201, made.text)
  const { id, value } = made.json
  const headers = { authorization: `Bearer ${value}` }
  return {
    id,
    scope: { kind: 'key', id },
    headers,
    chat: (model) => harness.chat(ask(model), headers),
    async limit(changed) {
      const answer = await manage('PATCH', `/keys/${id}`, { limits: changed })
      assert.equal(answer.status, 200, answer.text)
    },
  }
}

/** Its own workspace with the routes of `default` that matter. */
export async function newWorkspace(harness: Harness, name: string, limits: Limits): Promise<void> {
  const manage = managing(() => harness)
  const made = await manage('POST', '/workspaces', { name, limits })
  assert.equal(made.status, 201, made.text)
  const chain = [{ provider: 'openai', model: 'gpt-plain' }]
  assert.equal((await manage('PUT', `/routes/plain?workspace=${name}`, { chain })).status < 300, true)
}

export const hard = (picodollars: bigint, per: 'day' | 'week' | 'month' | 'total' = 'total'): Limits => ({
  budget: { usd: usd(picodollars), per, mode: 'hard' },
})

export async function statusOf(harness: Harness, scope: Scope): Promise<ScopeStatus> {
  const [status] = await harness.gateway.ledger.status([scope])
  assert.ok(status)
  return status
}

/** Looks at a scope again and again while something happens; the most that was ever spent and held together. */
export async function mostUsed<T>(harness: Harness, scope: Scope, work: () => Promise<T>): Promise<[T, bigint]> {
  let most = 0n
  let looks = 0
  let running = true
  const look = async () => {
    const { spent, held } = (await statusOf(harness, scope)).periods.total
    if (spent + held > most) most = spent + held
    looks++
  }
  const looking = (async () => {
    while (running) {
      await look()
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  try {
    const result = await work()
    await look()
    assert.ok(looks > 2)
    return [result, most]
  } finally {
    running = false
    await looking
  }
}

/** Recomputes every counter from the rows. */
export async function assertVerified(harness: Harness): Promise<void> {
  const { ledger, store } = harness.gateway
  const { differences, busy } = await verifyLedger(ledger, async (now) => {
    await store.requestLog.caughtUp()
    return readLoggedScopes(store.db, now)
  })
  assert.deepEqual(differences, [])
  assert.deepEqual(busy, [])
}

export function statuses(answers: readonly Answered[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
