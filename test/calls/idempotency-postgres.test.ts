import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { hello, startHarness, until } from '../harness.ts'
import { startPostgres } from '../postgres.ts'

const server = await startPostgres()
const harness = await startHarness({ environment: { DATABASE_URL: await server.createDatabase() } })
const { chat } = harness
after(async () => {
  await harness.stop()
  await server.stop()
})

test('with PostgreSQL away a call with an unknown Idempotency-Key is not made; known ones and those without go on', async () => {
  const body = hello('gpt-any')
  const known = { 'idempotency-key': 'known' }
  const unknown = { 'idempotency-key': 'unknown' }
  const first = await chat(body, known)
  assert.equal(first.status, 200)
  await server.halt()
  const refused = await chat(body, unknown)
  assert.equal(refused.status, 503)
  assert.equal(refused.json.error.code, 'database_unavailable')
  assert.match(refused.json.error.message, /Idempotency-Key.*Nothing was sent/)
  assert.equal(harness.upstream().length, 1)
  const replayed = await chat(body, known)
  assert.equal(replayed.headers.get('x-gateway-idempotent-replay'), 'true')
  assert.equal(replayed.text, first.text)
  assert.equal((await chat(body)).status, 200)
  await server.resume()
  // A gateway may need a moment to see that it is back.
  let again = await chat(body, unknown)
  await until(async () => {
    if (again.status === 503) again = await chat(body, unknown)
    return again.status !== 503
  }, 'it is asked again')
  assert.deepEqual([again.status, again.headers.get('x-gateway-idempotent-replay')], [200, null])
  assert.equal(harness.upstream().length, 3)
})
