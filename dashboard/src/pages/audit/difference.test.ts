import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { changesOf, differencesOf } from './difference.ts'

const reported = (before: unknown, after: unknown) =>
  changesOf(before, after).map(({ field, kind, before: old, after: now }) => [field, kind, old, now])

describe('what two versions of an object differ in', () => {
  test('a changed, an added and a removed field, in the order of the newer version', () => {
    assert.deepEqual(reported({ a: 1, gone: 'x', same: true }, { fresh: 2, a: 3, same: true }), [
      ['fresh', 'added', null, 2],
      ['a', 'changed', 1, 3],
      ['gone', 'removed', 'x', null],
    ])
  })

  test('fields within fields are named by their way', () => {
    const before = { limits: { budget: { usd: '600', per: 'month' } } }
    const after = { limits: { rpm: 300, budget: { usd: '900', per: 'month' } } }
    assert.deepEqual(reported(before, after), [
      ['limits.rpm', 'added', null, 300],
      ['limits.budget.usd', 'changed', '600', '900'],
    ])
  })

  test('an object in place of nothing is told in its parts', () => {
    assert.deepEqual(reported({ limits: null }, { limits: { rpm: 5 } }), [['limits.rpm', 'added', null, 5]])
    assert.deepEqual(reported({ limits: {} }, { limits: { rpm: 5 } }), [['limits.rpm', 'added', null, 5]])
    assert.deepEqual(reported({ limits: { rpm: 5 } }, { limits: null }), [['limits.rpm', 'removed', 5, null]])
  })

  test('a list of plain values is one field', () => {
    assert.deepEqual(reported({ tags: ['a', 'b'] }, { tags: ['b', 'c'] }), [
      ['tags', 'changed', ['a', 'b'], ['b', 'c']],
    ])
    assert.deepEqual(reported({ tags: null }, { tags: ['a'] }), [['tags', 'added', null, ['a']]])
  })

  test('entries of a list are matched by name: one that moved has moved', () => {
    const entry = (model: string, more = {}) => ({ provider: 'p', model, ...more })
    const before = { chain: [entry('one'), entry('two', { retries: 1 })] }
    const after = { chain: [entry('two', { retries: 2 }), entry('one'), entry('three')] }
    assert.deepEqual(reported(before, after), [
      ['chain[p/two] position', 'changed', 2, 1],
      ['chain[p/two].retries', 'changed', 1, 2],
      ['chain[p/one] position', 'changed', 1, 2],
      ['chain[p/three].provider', 'added', null, 'p'],
      ['chain[p/three].model', 'added', null, 'three'],
    ])
  })

  test('entries without names of their own are matched by place', () => {
    assert.deepEqual(reported({ tiers: [{ above: 1 }] }, { tiers: [{ above: 2 }, { above: 3 }] }), [
      ['tiers[1].above', 'changed', 1, 2],
      ['tiers[2].above', 'added', null, 3],
    ])
  })

  test('the same twice has no change, but all its fields', () => {
    const value = { a: 1, b: { c: [1] }, d: null, e: {}, f: [] }
    assert.deepEqual(changesOf(value, structuredClone(value)), [])
    assert.deepEqual(
      differencesOf(value, value).map(({ field }) => field),
      ['a', 'b.c', 'd', 'e', 'f'],
    )
  })

  test('what was created has every field added, what was deleted every field removed', () => {
    assert.deepEqual(reported(null, { a: 1, b: null }), [['a', 'added', null, 1]])
    assert.deepEqual(reported({ a: 1 }, null), [['a', 'removed', 1, null]])
  })

  test('a plain value that becomes an object is told as both', () => {
    assert.deepEqual(reported({ a: 1 }, { a: { b: 2 } }), [
      ['a', 'removed', 1, null],
      ['a.b', 'added', null, 2],
    ])
  })
})
