import assert from 'node:assert/strict'
import { after, afterEach, describe, test } from 'node:test'
import type { EachBudget } from '../../src/domain/limits.ts'
import { cliOf } from '../cli/run-cli.ts'
import { type Harness, type Json, startHarness, until } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { ask, assertVerified, CONFIG, holdOfAsk, newKey, newWorkspace, usd } from './limited.ts'

const harness: Harness = await startHarness({ config: CONFIG })
const { simulator } = harness
const manage = managing(() => harness)
afterEach(() => assertVerified(harness))
after(() => harness.stop())

const HOLD = holdOfAsk('plain')
const each = (kind: 'session' | 'agent', calls: bigint): EachBudget => ({
  ...{ each: kind, usd: usd(calls * HOLD), per: 'total', mode: 'hard' },
})

const names = (session: string, agent?: string, parent?: string) => ({
  'x-gateway-session': session,
  ...(agent !== undefined && { 'x-gateway-agent': agent }),
  ...(parent !== undefined && { 'x-gateway-parent': parent }),
})

const treeOf = async (session: string, query = '') => (await manage('GET', `/usage/sessions/${session}${query}`)).json
const picodollars = (amount: string) => BigInt(Math.round(Number(amount) * 1e12))

describe('what is left for a session', () => {
  test('and for each of its agents, with what those that it started have spent and hold', async () => {
    const key = await newKey(harness, { budgets: [each('session', 9n), each('agent', 4n)] })
    const send = (headers: Record<string, string>) => harness.chat(ask('plain'), { ...key.headers, ...headers })
    for (const headers of [names('run'), names('run', 'look', 'run'), names('run', 'deeper', 'look')]) {
      assert.equal((await send(headers)).status, 200)
    }
    simulator.hold()
    const running = send(names('run', 'deeper', 'look'))
    await until(() => harness.upstream().length === 4, 'a call is running')
    const tree = await treeOf('run')
    simulator.release()
    assert.equal((await running).status, 200)

    const [one, look, deeper] = tree.agents.map((agent: Json) => picodollars(agent.cost_usd))
    assert.ok(one > 0n && look > 0n && deeper > 0n)
    const budget = (limit: bigint, spent: bigint) => ({
      ...{ scope: 'key', key_id: key.id, per: 'total', mode: 'hard', limit_usd: usd(limit), spent_usd: usd(spent) },
      ...{ held_usd: usd(HOLD), remaining_usd: usd(limit - spent - HOLD), resets_at: null },
    })
    assert.deepEqual(tree.budgets, [budget(9n * HOLD, one + look + deeper)])
    assert.deepEqual(
      tree.agents.map((agent: Json) => [agent.agent, agent.budgets]),
      [
        [null, []],
        ['look', [budget(4n * HOLD, look + deeper)]],
        ['deeper', [budget(4n * HOLD, deeper)]],
      ],
    )
  })

  test('of a workspace counts by key, and says which; a raise adds to it', async () => {
    await newWorkspace(harness, 'left', { budgets: [each('session', 2n)] })
    const keys = [await newKey(harness, null, 'left'), await newKey(harness, null, 'left')]
    for (const { headers } of keys) {
      assert.equal((await harness.chat(ask('plain'), { ...headers, ...names('both') })).status, 200)
    }
    const raise = { key: keys[0]?.id, each: 'session', value: 'both', usd: usd(HOLD), reason: 'more' }
    assert.equal((await manage('POST', '/raises?workspace=left', raise)).status, 201)
    const { budgets, cost_usd: cost } = await treeOf('both', '?workspace=left')
    const found = new Map(budgets.map((budget: Json) => [budget.key_id, budget]))
    assert.deepEqual(
      keys.map(({ id }) => (found.get(id) as Json)?.limit_usd),
      [usd(3n * HOLD), usd(2n * HOLD)],
    )
    const spent = budgets.reduce((sum: bigint, budget: Json) => sum + picodollars(budget.spent_usd), 0n)
    assert.equal(usd(spent), cost)
    assert.ok(budgets.every(({ scope }: Json) => scope === 'workspace'))
    const one = await treeOf('both', `?workspace=left&key=${keys[1]?.id}`)
    assert.deepEqual(
      one.budgets.map((budget: Json) => budget.key_id),
      [keys[1]?.id],
    )
  })

  test('is not said where there is no such budget', async () => {
    const key = await newKey(harness, { budgets: [{ usd: '5', per: 'day', mode: 'hard' }] })
    assert.equal((await harness.chat(ask('plain'), { ...key.headers, ...names('free', 'a') })).status, 200)
    const { budgets, agents } = await treeOf('free')
    assert.deepEqual([budgets, agents.map((agent: Json) => agent.budgets)], [[], [[]]])
  })

  test('of sessions that name the root as their parent: each of their own', async () => {
    const key = await newKey(harness, { budgets: [each('agent', 3n)] })
    const sub = { ...names('twig', 'leaf', 'twig') }
    assert.equal((await harness.chat(ask('plain'), { ...key.headers, ...names('root', 'twig') })).status, 200)
    assert.equal((await harness.chat(ask('plain'), { ...key.headers, ...sub })).status, 200)
    const { agents } = await treeOf('root')
    assert.deepEqual(
      agents.map(({ agent, cost_usd: cost, budgets: [budget] }: Json) => [agent, budget.spent_usd === cost]),
      [
        ['twig', true],
        ['leaf', true],
      ],
    )
  })

  test('is on the command line', async () => {
    const { stdout } = await cliOf(() => harness.url)('usage session run')
    assert.match(stdout, /left_usd/)
    assert.match(
      stdout,
      /^Left: 0\.\d+ of 0\.\d+ USD, 0 held; hard budget of the key for each session \(total\), key limited-/m,
    )
  })
})
