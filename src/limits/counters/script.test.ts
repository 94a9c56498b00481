import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figuresOf, LISTS, toList } from './fields.ts'
import { defineScript } from './script.ts'

const DEFINED = { name: 'script', takes: ['node'], answers: ['kind', 'at'] } as const

test('names of fields become places, arguments become variables, and everything else stays', () => {
  const { text } = defineScript(
    { ...DEFINED, uses: ['local scope = {}'] },
    `scope.day_ends = SCOPE.leased + before.calls + limit.tpm -- redis.call, math.floor, scopes.day
answer.at = node`,
  )
  assert.equal(
    text,
    `local scope = {}
local node = ARGV[1]
local answer = {}
scope[1] = 14 + before[3] + limit[2] -- redis.call, math.floor, scopes.day
answer[2] = node`,
  )
})

test('a script that names no field of a list does not load', () => {
  for (const written of ['scope.requsets', 'LEASE.day_ends', 'answer.number'])
    assert.throws(() => defineScript(DEFINED, `return ${written}`), { message: new RegExp(written) })
})

test('a list is written and read by the same names', () => {
  const named = { rpm: 1, tpm: 2, parallel: 3, period: 4, is_hard: 5, budget: 6, budget_rest: 7 }
  assert.deepEqual(toList('limits', named), [1, 2, 3, 4, 5, 6, 7])
  assert.deepEqual(figuresOf('limits', toList('limits', named)), named)
})

test('no list names two of its places alike', () => {
  for (const [name, fields] of Object.entries(LISTS)) assert.equal(new Set(fields).size, fields.length, name)
})
