import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { estimateUsage, type Uncounted } from './estimated-usage.ts'
import { NO_USAGE } from './usage.ts'

const NOTHING: Uncounted = {
  counted: null,
  prompt: { likely: 10, most: 40 },
  received: { deltas: 0, characters: 0, bytes: 0 },
  mostOutput: 100,
}
const received = (deltas: number, characters: number, bytes = characters) => ({ deltas, characters, bytes })

/** Input and output of the least, the estimate and the most; then who counted. */
type Row = [string, Partial<Uncounted>, [number, number], [number, number], [number, number], string]
const ROWS: Row[] = [
  ['nothing arrived', {}, [0, 0], [10, 0], [40, 100], 'estimated'],
  ['English: four bytes a token', { received: received(3, 81) }, [0, 3], [10, 21], [40, 100], 'estimated'],
  ['other scripts: two bytes a token', { received: received(3, 20, 60) }, [0, 3], [10, 30], [40, 100], 'estimated'],
  ['never fewer tokens than pieces', { received: received(30, 30) }, [0, 30], [10, 30], [40, 100], 'estimated'],
  ['never more than was asked for', { received: received(300, 9_000) }, [0, 100], [10, 100], [40, 100], 'estimated'],
  [
    'without a limit the bytes bound it',
    { received: received(2, 80), mostOutput: null },
    [0, 2],
    [10, 20],
    [40, 80],
    'estimated',
  ],
  [
    'without a bound of the prompt its estimate is one',
    { prompt: { likely: 10, most: null } },
    [0, 0],
    [10, 0],
    [10, 100],
    'estimated',
  ],
  [
    'a counted prompt is exact',
    { counted: { ...NO_USAGE, input: 33, output: 1 }, received: received(2, 80) },
    [33, 2],
    [33, 20],
    [33, 100],
    'provider_partial',
  ],
  [
    'a count of output is a lower bound',
    { counted: { ...NO_USAGE, input: 33, output: 50 }, received: received(2, 80) },
    [33, 50],
    [33, 50],
    [33, 100],
    'provider_partial',
  ],
  [
    'a placeholder of zero is no count of the prompt',
    { counted: { ...NO_USAGE, output: 1 }, received: received(2, 8) },
    [0, 2],
    [10, 2],
    [40, 100],
    'estimated',
  ],
]

test('a prompt that is booked as held counts so, in the estimate and in its bound; a count of the provider wins', () => {
  const prompt = { likely: 10, most: 40, held: { audioInput: 40, pricePercent: 200 } }
  const figures = (counted: Uncounted['counted']) => {
    const { usage, least, most, source } = estimateUsage({ ...NOTHING, prompt, counted })
    return [source, ...[usage, least, most].map(({ input, audioInput, pricePercent: p }) => [input, audioInput, p])]
  }
  assert.deepEqual(figures(null), ['prompt_held', [0, 40, 200], [0, 0, 100], [0, 40, 200]])
  assert.deepEqual(figures({ ...NO_USAGE, input: 7 }), ['provider_partial', [7, 0, 100], [7, 0, 100], [7, 0, 100]])
})

test('what was counted of the answer as audio stays so, the rest is text; never more than there is', () => {
  const counted = { ...NO_USAGE, input: 33, output: 50, audioOutput: 40, imageOutput: 10 }
  const parts = (mostOutput: number) => {
    const { usage, most } = estimateUsage({ ...NOTHING, counted, received: received(60, 60), mostOutput })
    return [usage, most].map(({ output, audioOutput, imageOutput }) => [output, audioOutput, imageOutput])
  }
  assert.deepEqual(parts(100), [
    [60, 40, 10],
    [100, 40, 10],
  ])
  assert.deepEqual(parts(45), [
    [45, 40, 5],
    [45, 40, 5],
  ])
})

describe('the usage of an answer that was not counted to its end', () => {
  for (const [what, known, least, likely, most, source] of ROWS)
    test(what, () => {
      const estimate = estimateUsage({ ...NOTHING, ...known })
      const figures = [estimate.least, estimate.usage, estimate.most].map(({ input, output }) => [input, output])
      assert.deepEqual(figures, [least, likely, most])
      assert.equal(estimate.source, source)
    })
})
