import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeRecord, openRecord } from '../../../test/test-store.ts'
import type { LogField } from '../../domain/log/log-field.ts'
import { NO_USAGE } from '../../domain/pricing/usage.ts'
import {
  closeLine,
  commitLine,
  joinLines,
  openedId,
  openLine,
  placed,
  readClose,
  readOpen,
  recordsOf,
  SPOOLED_FIELDS,
} from './record-lines.ts'

const ATTEMPT = {
  kind: 'called',
  provider: 'first',
  model: 'model-1',
  startedAfterMs: 1,
  durationMs: 399,
  status: 200,
  code: null,
  upstreamRequestId: 'req_1',
  reason: 'served',
} as const

const OPENED = openRecord('call-1', {
  holdPicodollars: '123456789012345678901',
  holdTokens: 4_096,
  idempotencyKey: 'once\t"and"\nonly once\u0000',
  bodyHash: 'abc',
})
const CLOSED = closeRecord('call-1', {
  ...OPENED,
  code: 'rate_limited',
  fallback: true,
  usage: {
    ...NO_USAGE,
    input: 11,
    cachedInput: 12,
    cacheWrite5m: 13,
    cacheWrite30m: 14,
    output: 15,
    reasoning: 16,
    audioOutput: 4,
    imageOutput: 5,
  },
  ignoredParams: ['seed', 'user'],
  adjustments: [{ field: 'max_tokens', value: 800, reason: 'fitted_to_budget' }],
  attempts: [{ ...ATTEMPT, reason: 'a tab\tand a line\nbreak' }, ATTEMPT],
})

/** The values of a line by the names of their fields. */
function named(values: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(values.map((value, index) => [SPOOLED_FIELDS[index]?.name ?? index, value]))
}

function closed(line: string): Record<string, unknown> {
  const { values, attempts } = readClose(line)
  return { ...named(values), attempts }
}

test('a record comes back as it was, with its attempts as the request table has them', () => {
  assert.deepEqual(named(readOpen(openLine(OPENED))), OPENED)
  for (const record of [CLOSED, closeRecord('call-2', { usage: NO_USAGE })]) {
    const { usage, ...others } = record
    // These two have fields of their own.
    const { uses: _uses, stated: _stated, ...tokens } = usage ?? {}
    const expected = { ...others, ...tokens, attempts: JSON.stringify(record.attempts) }
    assert.deepEqual(closed(closeLine(record)), expected)
  }
  const { usage: _, ...refused } = closeRecord('call-3', { requestedModel: null, provider: null, model: null })
  const { uses: _uses, stated: _stated, ...tokens } = NO_USAGE
  const nothing = Object.fromEntries(Object.keys(tokens).map((name) => [name, null]))
  assert.deepEqual(closed(closeLine({ ...refused, usage: null })), { ...refused, ...nothing, attempts: '[]' })
})

test('the records of a group have a number each, the last one that of the row', () => {
  const mark = commitLine({ ...CLOSED, usage: null })
  const lines = [openLine(OPENED), openLine(openRecord('call-2')), mark, closeLine(CLOSED)]
  const records = recordsOf({ seq: 42, payload: joinLines(lines) })
  assert.deepEqual(
    records.map(({ seq, kind, text }) => [seq, kind, text]),
    [
      [39, 'open', lines[0]],
      [40, 'open', lines[1]],
      [41, 'commit', lines[2]],
      [42, 'close', lines[3]],
    ],
  )
})

test('the id of an open record and of a commit mark can be told without reading it', () => {
  assert.equal(openedId(openLine(OPENED)), 'call-1')
  assert.equal(openedId(commitLine(CLOSED)), 'call-1')
})

test('a text of megabytes where a name belongs is cut, and nothing is copied where there is none', () => {
  const long = 'x'.repeat(1_000_000)
  const attempts = [{ ...ATTEMPT, upstreamRequestId: long }, ATTEMPT]
  const record = closeRecord('call-1', { requestedModel: long, finishReason: long, attempts })
  assert.ok(closeLine(record).length < 3_000)
  assert.equal(closed(closeLine(record))['finishReason'], 'x'.repeat(512))
  assert.ok(openLine(openRecord('call-1', { requestedModel: long })).length < 1_000)
})

test('a line of before a class of tokens was added has no count of it, and all else', () => {
  const isNew = (place: number) => SPOOLED_FIELDS[place]?.since !== undefined
  const { values, attempts } = readClose(closeLine(CLOSED))
  const before = values.filter((_value, place) => !isNew(place))
  assert.ok(before.length < values.length)
  const read = readClose(`c${JSON.stringify(before)}\t${attempts}`)
  assert.deepEqual(
    read.values,
    values.map((value, place) => (isNew(place) ? null : value)),
  )
})

const LATER: LogField[] = [
  { column: 'a', name: 'a', from: 'open', kind: 'id', doc: '' },
  { column: 'b', name: 'b', from: 'open', kind: 'flag', doc: '', since: 3 },
  { column: 'c', name: 'c', from: 'usage', kind: 'whole', doc: '', since: 2 },
  { column: 'd', name: 'd', from: 'close', kind: 'text', doc: '' },
]

for (const [line, expected] of [
  ['c["x","end"]', ['x', false, null, 'end']],
  ['c["x","end","a value that is gone"]', ['x', false, null, 'end']],
  ['c2["x",7,"end"]', ['x', false, 7, 'end']],
  ['c3["x",true,7,"end"]', ['x', true, 7, 'end']],
] as const) {
  test(`a line of an earlier version has its values in their places: ${line}`, () => {
    assert.deepEqual(placed(line, JSON.parse(line.slice(line.indexOf('['))), LATER, 3), expected)
  })
}

for (const line of ['c["x"]', 'c4["x",true,7,"end",1]']) {
  test(`a line that is cut, or of a later version, is no line: ${line}`, () => {
    assert.throws(() => placed(line, JSON.parse(line.slice(line.indexOf('['))), LATER, 3))
  })
}
