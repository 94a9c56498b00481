import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonInTurns } from './json-in-turns.ts'

const many = (item: unknown) => Array.from({ length: 200 }, () => item)

const ANSWERS: Record<string, object> = {
  'an empty one': {},
  'one without lists': { a: 1, 'b"\n': 'é"\u2028', c: null, d: { e: [1, 2] } },
  'a short list': { data: [1, 'x', null, undefined], next: null },
  'a long list': { before: true, data: many({ id: 'x', cost: '0.000001', nested: [1, { y: undefined }] }), next: 'c' },
  'a long list of what JSON has no word for': { data: many(undefined), more: many(Number.NaN) },
  'fields that are left out': { a: undefined, b: () => 1, c: many(Symbol('s')) },
  'what writes itself': new Date(0),
  'a list': [1, 2, 3],
}

for (const [title, answer] of Object.entries(ANSWERS)) {
  test(`${title} is written as JSON.stringify writes it`, async () => {
    assert.equal(await jsonInTurns(answer), JSON.stringify(answer))
  })
}

test('others get their turn while a long list is written', async () => {
  let turns = 0
  const count = setInterval(() => turns++, 1)
  const slow = { toJSON: () => until(performance.now() + 0.5) }
  await jsonInTurns({ data: many(slow) })
  clearInterval(count)
  assert.ok(turns > 10, `${turns} turns`)
})

function until(moment: number): number {
  while (performance.now() < moment);
  return moment
}
