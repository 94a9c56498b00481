import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { headersWithout, NOTHING_OMITTED, omittedHeaders, sparedFields, together } from './omissions.ts'

const SPARES = ['user', 'text.verbosity', 'tools.*.lazy', 'system.*.cache.scope', 'messages.*.content.*.cache.scope']

describe('a field that is refused by its path is one that a call can do without, or not', () => {
  const cases: [refused: string, spared: string[]][] = [
    ['user', ['user']],
    ['user.name', []],
    ['name.user', []],
    ['users', []],
    ['text.verbosity', ['text.verbosity']],
    ['text', []],
    ['verbosity', []],
    ['tools.0.lazy', ['tools.*.lazy']],
    ['tools[12].lazy', ['tools.*.lazy']],
    ['tools.0.custom.lazy', ['tools.*.lazy']],
    ['tools.0.lazy.custom', []],
    ['lazy', []],
    ['messages.0.user', []],
    ['system.2.cache.ephemeral.scope', ['system.*.cache.scope', 'messages.*.content.*.cache.scope']],
    ['system.2.scope', []],
    ['', []],
  ]
  for (const [refused, spared] of cases) {
    test(refused, () => assert.deepEqual(sparedFields(refused, SPARES), spared))
  }
})

test('refused values are left out of header fields, and reported', () => {
  const values = new Map([
    ['a', null],
    ['old', 'new'],
  ])
  const omissions = { values, fields: [] }
  const headers = [
    ['beta', 'a, b,old'],
    ['other', 'a'],
    ['plain', 'b , c'],
  ] as const
  assert.deepEqual(
    [...headersWithout(headers, omissions)],
    [
      ['beta', 'b,new'],
      ['plain', 'b , c'],
    ],
  )
  assert.deepEqual(omittedHeaders(headers, omissions), [
    { field: 'beta', value: 'a', reason: 'refused' },
    { field: 'beta', value: 'new', reason: 'renamed', from: 'old' },
    { field: 'other', value: 'a', reason: 'refused' },
  ])
  const both = together(omissions, { values: new Map([['new', null]]), fields: ['f'] })
  assert.deepEqual([...headersWithout([['beta', 'old,b']], both)], [['beta', 'b']])
  assert.deepEqual(both.fields, ['f'])
  assert.equal(together(omissions, NOTHING_OMITTED), omissions)
  assert.equal(together(NOTHING_OMITTED, omissions), omissions)
})
