import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chainEntry } from '../domain/route.ts'
import { type EntryTerms, holdOfTerms } from './chain-hold.ts'

/** An entry whose call costs at most this much. */
function terms(money: bigint, hedge_after_ms?: number): EntryTerms {
  const entry = chainEntry({
    provider: 'a',
    model: String(money),
    ...(hedge_after_ms === undefined ? {} : { hedge_after_ms }),
  })
  const prices = { prompt: 0n, perOutputToken: money }
  return { entry, position: 0, terms: { promptTokens: 3, outputTokens: 1, answers: 1, prices } }
}

describe('the hold of a chain', () => {
  for (const [what, entries, money] of [
    ['is that of its dearest entry', [terms(5n), terms(9n), terms(2n)], 9n],
    ['of two at once where one is hedged', [terms(5n, 1), terms(9n), terms(2n)], 14n],
    ['also with one before it: it may be asked out of turn', [terms(9n), terms(5n), terms(2n, 1)], 11n],
    ['never less than of one', [terms(20n), terms(1n, 1), terms(2n)], 21n],
    ['of one where there is no other', [terms(5n, 1)], 5n],
  ] as const) {
    test(what, () => assert.equal(holdOfTerms([...entries], true).picodollars, money))
  }

  test('covers the tokens of both, too; without hedging of one', () => {
    assert.equal(holdOfTerms([terms(5n, 1), terms(9n)], true).tokens, 8)
    assert.deepEqual([holdOfTerms([terms(5n, 1), terms(9n)]).picodollars, holdOfTerms([terms(5n, 1)]).tokens], [9n, 4])
  })

  test('is unknown where one of two is', () => {
    const unknown = terms(5n)
    const pair = [terms(9n, 1), { ...unknown, terms: { ...unknown.terms, prices: null } }]
    assert.equal(holdOfTerms(pair, true).picodollars, null)
  })
})
