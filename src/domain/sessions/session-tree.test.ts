import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { type Agent, treeOf } from './session-tree.ts'

const agent = (name: string | null, parent: string | null, cost = 1n): Agent => ({
  agent: name,
  parent,
  requests: 1,
  costPicodollars: cost,
})

const shown = (agents: readonly Agent[]) =>
  treeOf(agents).map(({ agent, depth, withChildren }) => [agent.agent, depth, Number(withChildren.costPicodollars)])

describe('the agents of a session', () => {
  for (const [name, agents, expected] of [
    ['the main one alone', [agent(null, null)], [[null, 0, 1]]],
    [
      'children are below those that started them, with their costs',
      [agent(null, null, 1n), agent('a', 'session', 10n), agent('b', 'session', 100n), agent('c', 'a', 1000n)],
      [
        [null, 0, 1111],
        ['a', 1, 1010],
        ['c', 2, 1000],
        ['b', 1, 100],
      ],
    ],
    [
      'no call of the main agent',
      [agent('a', 's'), agent('b', 'a')],
      [
        ['a', 1, 2],
        ['b', 2, 1],
      ],
    ],
    [
      'a parent that nothing is known of',
      [agent(null, null), agent('a', 'forged')],
      [
        [null, 0, 2],
        ['a', 1, 1],
      ],
    ],
    [
      'an agent that started itself',
      [agent(null, null), agent('a', 'a')],
      [
        [null, 0, 2],
        ['a', 1, 1],
      ],
    ],
    [
      'agents that started each other',
      [agent(null, null), agent('a', 'b'), agent('b', 'a')],
      [
        [null, 0, 3],
        ['a', 1, 1],
        ['b', 1, 1],
      ],
    ],
  ] as const) {
    test(name, () => assert.deepEqual(shown(agents), expected))
  }

  test('whatever callers claim, each agent has one place and no cost is lost', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
    const claims = fc.uniqueArray(fc.record({ name, parent: fc.option(name), cost: fc.bigInt(0n, 9n) }), {
      selector: (claim) => claim.name,
    })
    fc.assert(
      fc.property(claims, fc.boolean(), (claims, hasMain) => {
        const agents = claims.map(({ name, parent, cost }) => agent(name, parent, cost))
        if (hasMain) agents.push(agent(null, null, 7n))
        const tree = treeOf(agents)
        assert.deepEqual(new Set(tree.map(({ agent }) => agent)), new Set(agents))
        assert.equal(tree.length, agents.length)
        const top = Math.min(...tree.map(({ depth }) => depth))
        const sum = tree
          .filter(({ depth }) => depth === top)
          .reduce((s, { withChildren }) => s + withChildren.costPicodollars, 0n)
        assert.equal(
          sum,
          agents.reduce((s, { costPicodollars }) => s + costPicodollars, 0n),
        )
      }),
    )
  })
})
