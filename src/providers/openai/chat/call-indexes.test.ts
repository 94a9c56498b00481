import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '../../../domain/request/call-request.ts'
import { CallIndexes } from './call-indexes.ts'

const start = (id: string | undefined, index?: unknown, name: string | undefined = 'wx'): JsonObject => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  function: { name, arguments: '' },
})
const more = (index?: unknown, id?: string): JsonObject => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  function: { arguments: '{}' },
})

describe('the index of a tool call', () => {
  const table: [what: string, deltas: JsonObject[][], expected: unknown[]][] = [
    ['stays', [[start('a', 0)], [more(0)], [start('b', 1)], [more(1)]], [0, 0, 1, 1]],
    ['stays in whatever order', [[start('b', 1)], [start('a', 0)], [more(1)], [more(0)]], [1, 0, 1, 0]],
    ['stays with gaps', [[start('a', 3)], [more(3)]], [3, 3]],
    [
      'stays for calls in one chunk',
      [
        [start('a', 0), start('b', 1)],
        [more(1), more(0)],
      ],
      [0, 1, 1, 0],
    ],
    ['stays where every fragment repeats id and name', [[start('a', 0)], [start('a', 0)], [start('b', 1)]], [0, 0, 1]],
    ['stays where a fragment has an id of its own', [[start('a', 0)], [more(0, 'other')]], [0, 0]],
    ['stays where calls have no id', [[start(undefined, 0)], [start(undefined, 0)], [start(undefined, 1)]], [0, 0, 1]],
    ['is given where it is missing', [[start('a')], [more()], [start('b')], [more()]], [0, 0, 1, 1]],
    ['is given by the id of a fragment', [[start('a')], [start('b')], [more(undefined, 'a')], [more()]], [0, 1, 0, 0]],
    ['is given where only names are', [[start(undefined)], [more()], [start(undefined)], [more()]], [0, 0, 1, 1]],
    [
      'peer bug 10, dynamo#4723: differs where all have 0',
      [[start('a', 0)], [more(0)], [start('b', 0)], [more(0)]],
      [0, 0, 1, 1],
    ],
    ['differs within a chunk', [[start('a', 0), start('b', 0), start('c', 0)]], [0, 1, 2]],
    [
      'is a small whole number',
      [[start('a', '0')], [start('b', -1)], [start('c', 0.5)], [start('d', 128)]],
      [0, 1, 2, 3],
    ],
  ]
  for (const [what, deltas, expected] of table)
    test(what, () => {
      const indexes = new CallIndexes()
      const before = deltas.flat().map((call) => call['index'])
      const changed = deltas.map((calls) => indexes.correct(calls))
      assert.deepEqual(
        deltas.flat().map((call) => call['index']),
        expected,
      )
      assert.equal(changed.includes(true), !before.every((index, position) => index === expected[position]))
    })

  test('what is no list of calls is left alone', () => {
    const indexes = new CallIndexes()
    assert.deepEqual([indexes.correct(undefined), indexes.correct('x'), indexes.correct([null])], [false, false, false])
  })
})
