import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMoveProgress, progressLine } from './move-progress.ts'

for (const [title, figures, line] of [
  [
    'rows, share, pace and time left',
    { rows: 350_000, total: 1_000_000, rowsOfRun: 200_000, ms: 10_000 },
    '350,000 of 1,000,000 rows (35 %), 20,000 rows/s, 33 s left, requests',
  ],
  [
    'minutes and hours where seconds say nothing',
    { rows: 1_000_000, total: 100_000_000, rowsOfRun: 200_000, ms: 10_000 },
    '1,000,000 of 100,000,000 rows (1 %), 20,000 rows/s, 83 min left, requests',
  ],
  [
    'no pace before there is one',
    { rows: 2_000, total: 10_000, rowsOfRun: 0, ms: 0 },
    '2,000 of 10,000 rows (20 %), requests',
  ],
  [
    'nothing left at the end',
    { rows: 10_000, total: 10_000, rowsOfRun: 8_000, ms: 1_000 },
    '10,000 of 10,000 rows (100 %), 8,000 rows/s, requests',
  ],
] as const) {
  test(title, () => assert.equal(progressLine({ table: 'requests', ...figures }), line))
}

/** What is written when a tenth of the rows arrives each second. */
function tenSeconds(isTerminal: boolean) {
  const notes: string[] = []
  const drawn: (string | null)[] = []
  let time = 0
  const output = { note: (text: string) => notes.push(text), progress: (text: string | null) => drawn.push(text) }
  const progress = createMoveProgress(output, { isTerminal, now: () => time })
  progress.begin(10_000)
  for (let rows = 1_000; rows <= 10_000; rows += 1_000, time += 1_000) progress.at('requests', rows)
  progress.at('requests', 10_000)
  progress.end()
  return { notes, drawn }
}

test('without a terminal there is a line every few seconds, and one at the end', () => {
  const { notes } = tenSeconds(false)
  assert.deepEqual(
    notes.map((line) => line.split(' ', 1)[0]),
    ['1,000', '6,000', '10,000'],
  )
})

test('a terminal has one line that changes and is gone at the end', () => {
  const { notes, drawn } = tenSeconds(true)
  assert.deepEqual([notes.length, drawn.length, drawn.at(-1)], [0, 11, null])
})
