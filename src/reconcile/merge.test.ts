import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { UNSAID } from './line.ts'
import { mergeLines, type StoredLine } from './merge.ts'
import type { OrderedLine } from './read-report.ts'

const DAY_MS = 86_400_000
const line = (more: Partial<OrderedLine> = {}): OrderedLine => ({
  ...{ ...UNSAID, start: 0, end: DAY_MS, zone: 'UTC', account: 'a', model: 'm1', class: 'input', ordinal: 0, place: 1 },
  ...{ amount: 5n, quantity: 2n },
  ...more,
})
const stored = (lines: OrderedLine[], source = 'csv'): StoredLine[] =>
  lines.map((each, index) => ({ ...each, source, lineId: String(index) }))
const merged = (before: OrderedLine[], given: OrderedLine[], replaces = false, source = 'csv') => {
  const { insert, remove, unchanged, conflicts } = mergeLines(stored(before), given, { source, replaces })
  return { insert: insert.length, remove, unchanged, conflicts: conflicts.length }
}

describe('a file against what was imported before', () => {
  const day = [line(), line({ class: 'output', amount: 7n })]
  const changed = [line(), line({ class: 'output', amount: 8n })]
  const rows: [name: string, given: Parameters<typeof merged>, expected: ReturnType<typeof merged>][] = [
    ['the same again', [day, day], { insert: 0, remove: [], unchanged: 2, conflicts: 0 }],
    [
      'another day',
      [day, [line({ start: DAY_MS, end: 2 * DAY_MS })]],
      { insert: 1, remove: [], unchanged: 0, conflicts: 0 },
    ],
    ['one amount changed', [day, changed], { insert: 1, remove: [], unchanged: 1, conflicts: 1 }],
    ['one amount changed, replacing', [day, changed, true], { insert: 1, remove: ['1'], unchanged: 1, conflicts: 0 }],
    ['a line is gone, replacing', [day, [line()], true], { insert: 0, remove: ['1'], unchanged: 1, conflicts: 0 }],
    [
      'another account, replacing',
      [day, [line({ account: 'b' })], true],
      { insert: 1, remove: [], unchanged: 0, conflicts: 0 },
    ],
    [
      'an hour of a day that is there',
      [day, [line({ end: 3_600_000 })]],
      { insert: 1, remove: [], unchanged: 0, conflicts: 1 },
    ],
    ['usage beside costs', [day, [line({ amount: null })]], { insert: 1, remove: [], unchanged: 0, conflicts: 0 }],
    [
      'costs of another source',
      [day, [line({ model: 'x' })], false, 'focus'],
      { insert: 1, remove: [], unchanged: 0, conflicts: 1 },
    ],
    [
      'costs of another source, replacing',
      [day, [line({ model: 'x' })], true, 'focus'],
      { insert: 1, remove: [], unchanged: 0, conflicts: 1 },
    ],
  ]
  for (const [name, given, expected] of rows) test(name, () => assert.deepEqual(merged(...given), expected))
})
