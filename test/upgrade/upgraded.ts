import assert from 'node:assert/strict'
import { ADMIN_KEY, type Harness, hello } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { headersOf, type Witness } from './life.ts'

/** Everything the older version had promised still holds under this one. */
export async function assertKept(harness: Harness, { answers, spent, ownPrice }: Witness): Promise<void> {
  const manage = managing(() => harness)
  const rows = new Map((await harness.rows()).map((row) => [row.id, row]))
  const known = answers.map(({ id }) => [id, rows.get(id)?.status, usdOf(rows.get(id)?.['cost_picodollars'])])
  assert.deepEqual(
    known,
    answers.map(({ id, status, costUsd }) => [id, status, costUsd ?? usdOf(null)]),
    'every answered call is in the log, at its cost',
  )
  const left = [...rows.values()].filter(({ state }) => state !== 'closed')
  assert.deepEqual(left, [], 'a call that the kill left open has been closed')
  assert.ok(
    [...rows.values()].some(({ code }) => code === 'interrupted'),
    'the open call is in the log as interrupted',
  )

  const verified = (await manage('POST', '/verify')).json
  assert.deepEqual([verified.differences, verified.rows.differences], [[], []], 'verify finds nothing')
  assert.ok(verified.rows.checked >= answers.filter(({ status }) => status === 200).length)

  const body = JSON.stringify(hello('gpt-4o-mini'))
  const again = await fetch(`${harness.url}/v1/chat/completions`, {
    method: 'POST',
    headers: headersOf(spent.value),
    body,
  })
  assert.equal(again.status, 402, 'a budget that was used up stays so')
  assert.equal(
    (await harness.chat(hello('steady'))).headers.get('x-gateway-fallback-used'),
    'true',
    'the route is there',
  )
  const { json: model } = await manage('GET', `/registry/${ownPrice.provider}/${ownPrice.model}`)
  assert.equal(Number(model.input_per_mtok), Number(ownPrice.inputUsd), "the operator's own price is there")
  const sessions = await harness.get('/keys', { authorization: `Bearer ${ADMIN_KEY}` })
  assert.equal(sessions.status, 200, 'the admin key opens the management API')
}

/** As the header says a cost: six decimals, half a millionth upwards, or nothing. */
function usdOf(picodollars: unknown): string | null {
  if (picodollars === null || picodollars === undefined) return null
  const micros = (BigInt(String(picodollars)) + 500_000n) / 1_000_000n
  return `${micros / 1_000_000n}.${String(micros % 1_000_000n).padStart(6, '0')}`
}
