import assert from 'node:assert/strict'
import { test } from 'node:test'
import '../../test/built-program.ts'
import { builtProgram } from '../run/gateway.ts'
import { type Figures, GATE, measureBytes, SCENARIO_NAMES } from './bytes.ts'
import { nextRecord, problemsOf, type Recorded, readRecorded, risen } from './recorded.ts'

test('a call allocates as many bytes as recorded', { timeout: 300_000 }, async () => {
  const recorded = readRecorded()
  const measured = await measureBytes(builtProgram(), GATE, (least) => risen(least, recorded).length === 0)
  const problems = problemsOf(measured, recorded)
  assert.deepEqual(problems, [], problems.join('\n'))
})

const CHAT = 'chat, OpenAI family'
const all = (bytes: number) => Object.fromEntries(SCENARIO_NAMES.map((name) => [name, bytes])) as Record<string, number>
const recorded = { how: '', node: 'v24.0.0', bytesPerCall: all(10_000), reasons: {} } as unknown as Recorded
const measured = (chat: number | null) => ({ ...all(10_000), [CHAT]: chat }) as Figures

test('5 % more or less than recorded is allowed', () => {
  assert.deepEqual(problemsOf(measured(10_500), recorded), [])
  assert.deepEqual(problemsOf(measured(9_500), recorded), [])
})

for (const [bytes, expected] of [
  [10_501, /^chat, OpenAI family: 10501 bytes a call; .* v24\.0\.0: 10000, and 5 % more is the limit\..* --because/],
  [9_499, /^chat, OpenAI family: 9499 bytes a call; .* 10000\..* record the new figure.* --record\.$/],
  [null, /^chat, OpenAI family: no bytes a call; .* 10000, and 5 % more/],
] as const) {
  test(`${bytes ?? 'no answer'} instead of 10000 is a problem, and the message says what to do`, () => {
    const problems = problemsOf(measured(bytes), recorded)
    assert.equal(problems.length, 1)
    assert.match(problems[0] ?? '', expected)
  })
}

test('a recorded figure falls by itself, and rises only with a reason', () => {
  assert.equal(nextRecord(measured(9_900), recorded).bytesPerCall[CHAT], 9_900)
  assert.equal(nextRecord(measured(10_400), recorded).bytesPerCall[CHAT], 10_000)
  assert.throws(() => nextRecord(measured(12_000), recorded), /chat, OpenAI family: more than recorded.*--because/)
  const risen = nextRecord(measured(12_000), recorded, 'a feature')
  assert.deepEqual([risen.bytesPerCall[CHAT], risen.reasons], [12_000, { [CHAT]: 'a feature' }])
})
