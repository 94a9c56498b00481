import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createOwners, foreignAccounts } from './accounts.ts'

describe('whose line it is', () => {
  const owners = createOwners([
    { provider: 'main', account: 'key_a', owner: 'main' },
    { provider: 'main', account: 'key_b', owner: 'second' },
  ])
  const cases: [provider: string, account: string | null, owner: string | null][] = [
    ['main', 'key_a', 'main'],
    ['main', 'key_b', 'second'],
    ['main', 'key_x', null],
    ['main', null, 'main'],
    ['other', 'key_b', 'other'],
  ]
  for (const [provider, account, owner] of cases) {
    test(`${account} in a report of ${provider}: ${owner ?? 'nobody here'}`, () => {
      assert.equal(owners.ownerOf(provider, account), owner)
    })
  }

  test('reports are read for everyone whose keys they name', () => {
    assert.deepEqual([owners.ownersIn('main'), owners.ownersIn('other')], [['main', 'second'], []])
    assert.deepEqual(owners.reportsFor('second'), ['second', 'main'])
    assert.deepEqual(owners.reportsFor('other'), ['other'])
  })
})

describe('keys of others', () => {
  const line = { provider: 'main', account: 'key_x', class: 'input', billingModel: 'm1', period: '2026-05-04' }
  const usage = { ...line, quantity: 1_000n, amount: null, requests: 3n }
  const cost = { ...line, quantity: 1_000n, amount: 5n, requests: null }

  test('usage and costs of the same tokens count once', () => {
    const [found] = foreignAccounts([usage, cost])
    assert.deepEqual([found?.tokens, found?.requests, found?.amount], [1_000n, 3n, 5n])
  })

  test('without money there is no amount, and a credit is part of it', () => {
    assert.equal(foreignAccounts([usage])[0]?.amount, null)
    const credit = { ...cost, class: 'credit', quantity: null, amount: -7n, billingModel: null }
    assert.deepEqual(foreignAccounts([cost, credit])[0]?.amount, -2n)
  })

  test('the dearest first, each account once', () => {
    const other = { ...cost, account: 'key_y', amount: 9n, period: '2026-05-05' }
    const found = foreignAccounts([cost, other, { ...other, period: '2026-05-06' }])
    assert.deepEqual(
      found.map(({ account, amount, days }) => [account, amount, days]),
      [
        ['key_y', 18n, 2],
        ['key_x', 5n, 1],
      ],
    )
  })
})
