import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { problemText } from './problem-text.ts'
import { chainOf, definedEntries, mixedEmbeddings, RouteSchema } from './route.ts'

const a = { provider: 'a', model: 'm' }
const b = { provider: 'b', model: 'm' }
const group = {
  balance: 'weighted',
  members: [
    { ...a, weight: 3 },
    { ...b, retries: 0 },
  ],
}

describe('a place of a chain', () => {
  for (const chain of [
    [a],
    [group],
    [group, { provider: 'c', model: 'x', timeout_ms: 5 }],
    [
      { ...a, hedge_after_ms: 500 },
      { ...group, hedge_after_ms: 500 },
    ],
    [{ ...group, sticky: false, balance: 'least_busy' }],
    [{ balance: 'fastest', members: [a, { ...b, weight: 0 }] }],
  ]) {
    test(`may be ${JSON.stringify(chain)}`, () => assert.deepEqual(RouteSchema.parse({ chain }).chain, chain))
  }

  for (const [chain, problem] of [
    [[], 'chain: expected at least 1 item'],
    [[{ provider: 'a' }], 'chain[0].model: is missing; expected a string'],
    [[{ provider: 'a', modle: 'm' }], 'chain[0]: unknown field "modle"'],
    [[{ ...group, balance: 'random' }], 'chain[0].balance: expected one of weighted, least_busy, fastest'],
    [[{ members: [a, b] }], 'chain[0].balance: expected one of weighted, least_busy, fastest'],
    [[{ balance: 'weighted' }], 'chain[0].members: is missing; expected an array'],
    [[{ ...group, members: [a] }], 'chain[0].members: expected at least 2 items'],
    [[{ ...group, members: [a, { ...b, weight: -1 }] }], 'chain[0].members[1].weight: expected at least 0'],
    [[{ ...group, members: [a, { ...b, weight: 1.5 }] }], 'chain[0].members[1].weight: expected a whole number'],
    [[{ ...group, members: [a, { ...b, wieght: 1 }] }], 'chain[0].members[1]: unknown field "wieght"'],
    [[a, { ...group, members: [a, b, a] }], 'chain[1].members[2]: a/m is a member already'],
    [[{ ...group, members: [a, { ...b, hedge_after_ms: 5 }] }], 'chain[0].members[1]: unknown field "hedge_after_ms"'],
    [[{ ...a, hedge_after_ms: 0 }], 'chain[0].hedge_after_ms: expected at least 1'],
    [[{ ...a, weight: 2 }], 'chain[0]: unknown field "weight"'],
    [[{ ...group, members: [a, group] }], 'chain[0].members[1]: unknown fields "balance", "members"'],
    ['a/m', 'chain: expected an array, not a string'],
  ] as const) {
    test(`is refused with "${problem}"`, () => {
      const { error } = RouteSchema.safeParse({ chain })
      assert.ok(error !== undefined)
      assert.equal(problemText(error), problem)
    })
  }

  test('counts with its members', () => {
    const members = Array.from({ length: 7 }, (_, index) => ({ provider: `p${index}`, model: 'm' }))
    const chain = Array.from({ length: 3 }, () => ({ balance: 'weighted', members }))
    assert.match(problemText(RouteSchema.safeParse({ chain }).error!), /at most 20 entries, members included/)
  })
})

describe('a chain', () => {
  const { chain } = RouteSchema.parse({ chain: [group, { provider: 'c', model: 'x' }] })

  test('is read with its defaults, with its groups where it has one', () => {
    const read = chainOf(chain)
    assert.deepEqual(
      read.chain.map(({ provider, retries }) => [provider, retries]),
      [
        ['a', 2],
        ['b', 0],
        ['c', 2],
      ],
    )
    const [first, last] = read.places ?? []
    assert.ok(first !== undefined && 'members' in first)
    assert.deepEqual([first.isSticky, first.members.map(({ weight }) => weight)], [true, [3, 1]])
    assert.equal(last, read.chain[2])
    assert.equal(chainOf([a]).places, null)
  })

  test('names its entries by where they stand', () => {
    assert.deepEqual(
      definedEntries(chain).map(({ path }) => path),
      ['chain[0].members[0]', 'chain[0].members[1]', 'chain[1]'],
    )
  })

  test('does not mix embeddings in a group either', () => {
    const mixed = { chain: [{ ...group, members: [a, { provider: 'b', model: 'n' }] }] }
    assert.match(mixedEmbeddings(RouteSchema.parse(mixed), () => 'embedding') ?? '', /of m and n cannot be compared/)
  })
})
