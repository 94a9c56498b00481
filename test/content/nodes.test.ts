import '../more-cores.ts'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Harness, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { type PostgresServer, startPostgres } from '../postgres.ts'

const MARK = 'Zq7saidonanode92XyW'
const CONFIG = `
workspaces:
  default: { streaming: true, content: {} }
`
let server: PostgresServer
let first: Harness
let second: Harness

before(async () => {
  server = await startPostgres()
  const shared = { DATABASE_URL: await server.createDatabase(), SECRETS_KEY: 'one-key-for-both-of-them' }
  first = await startHarness({ config: CONFIG, environment: { ...shared, SERVING_THREADS: '2' } })
  second = await startHarness({ config: CONFIG, environment: shared })
})
after(async () => {
  await first.stop()
  await second.stop()
  await server.stop()
})

test('what a serving thread of one node has stored is read there, and on the other node', async () => {
  const ids: string[] = []
  for (const stream of [false, true, false, true]) {
    const answer = await first.chat({ model: 'gpt-sim-echo', stream, messages: [{ role: 'user', content: MARK }] })
    assert.equal(answer.status, 200)
    ids.push(answer.headers.get('x-gateway-request-id') ?? '')
  }
  for (const harness of [first, second]) {
    for (const id of ids) {
      const { status, json } = await managing(() => harness)('GET', `/requests/${id}/content`)
      assert.equal(status, 200)
      assert.ok(json.request.text.includes(MARK) && json.answer.text.includes(MARK))
    }
  }
  const { db } = second.gateway.store
  const rows = await db.selectFrom('request_content').selectAll().execute()
  assert.equal(rows.length, ids.length)
  assert.ok(!JSON.stringify(rows).includes(MARK))
})
