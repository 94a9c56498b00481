import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { keepContentRetention } from '../../src/content/expire-content.ts'
import { filesUnder } from '../files-under.ts'
import { type Answered, type Harness, type Json, KEY, startHarness } from '../harness.ts'
import { auditOf, managing } from '../management/manage.ts'

const SECRETS_KEY = 'a-key-that-encrypts-content'
const DAY_MS = 86_400_000
const CONFIG = `
workspaces:
  default:
    streaming: true
    content: { retention_days: 3, redact: [email, secret], patterns: [{ name: ticket, regex: "TICKET-[0-9]+" }] }
`
/** So unlike anything else that finding it anywhere means it was stored in the clear. */
const MARK = 'Zq7saidinaprompt91XyW'

let clock = Date.now()
let harness: Harness
const manage = managing(() => harness)
before(async () => {
  harness = await startHarness({ config: CONFIG, environment: { SECRETS_KEY }, now: () => clock })
})
after(() => harness.stop())

const say = (text: string, more: Json = {}) => ({
  model: 'gpt-sim-echo',
  messages: [{ role: 'user', content: text }],
  ...more,
})
const idOf = ({ headers }: Pick<Answered, 'headers'>) => headers.get('x-gateway-request-id') ?? ''
const contentOf = (answer: Pick<Answered, 'headers'>) => manage('GET', `/requests/${idOf(answer)}/content`)

async function post(path: string, body: unknown): Promise<Answered> {
  const response = await fetch(harness.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: null }
}

describe('with content switched on', () => {
  test('a request and its answer are read again, redacted', async () => {
    const answer = await harness.chat(say(`${MARK} mail bob@x.example about TICKET-12, key sk-abcdefghijklmnop99`))
    assert.equal(answer.status, 200)
    const { status, json } = await contentOf(answer)
    assert.equal(status, 200)
    assert.deepEqual([json.workspace, json.endpoint, json.dropped], ['default', 'chat', null])
    const said = `${MARK} mail [redacted:email] about [redacted:ticket], key [redacted:secret]`
    assert.equal(JSON.parse(json.request.text).messages[0].content, said)
    assert.match(JSON.parse(json.answer.text).choices[0].message.content, /\[redacted:email\]/)
    assert.ok(json.redacted.email >= 2)
    assert.deepEqual([json.request.is_json, json.request.truncated], [true, false])
    assert.equal(Date.parse(json.expires_at) - Date.parse(json.stored_at), 3 * DAY_MS)
  })

  for (const [path, body] of [
    ['/v1/chat/completions', say(MARK, { stream: true })],
    ['/v1/messages', { ...say(MARK, { stream: true, max_tokens: 50 }), model: 'claude-sim-echo' }],
    ['/v1/responses', { model: 'gpt-sim-echo', store: false, stream: true, input: MARK }],
  ] as const) {
    test(`a stream of ${path} is stored as the answer that it adds up to`, async () => {
      const answer = await post(path, body)
      assert.equal(answer.status, 200, answer.text)
      const { json } = await contentOf(answer)
      assert.ok(json.answer.is_json && json.answer.text.includes(MARK), json.answer.text)
      assert.ok(!json.answer.text.includes('delta"'), json.answer.text)
    })
  }

  test('a large request is stored as its beginning, with a mark', async () => {
    const { json } = await contentOf(await harness.chat(say(`${MARK} ${'word '.repeat(300_000)}`)))
    assert.deepEqual([json.request.truncated, json.request.is_json], [true, false])
    assert.ok(json.request.bytes > 1_500_000 && json.request.text.length <= 1024 * 1024)
    assert.ok(json.request.text.includes(MARK))
  })

  test('a call that failed keeps its request, also one that is no JSON', async () => {
    const failed = await harness.chat(say(MARK, { model: 'gpt-sim-400' }))
    assert.notEqual(failed.status, 200)
    const { json } = await contentOf(failed)
    assert.ok(json.request.text.includes(MARK))
    assert.equal(json.answer, null)
    const broken = await contentOf(await harness.chat(`{"model":"x","messages":"${MARK}`))
    assert.deepEqual([broken.json.request.is_json, broken.json.request.text.includes(MARK)], [false, true])
  })

  test('on disk it is encrypted, and in no export', async () => {
    await contentOf(await harness.chat(say(MARK)))
    const { db } = harness.gateway.store
    assert.ok((await db.selectFrom('request_content').select('sealed').execute()).length > 0)
    for (const path of filesUnder(join(harness.folder, 'data'))) assert.ok(!readFileSync(path).includes(MARK), path)
    for (const format of ['ndjson', 'csv']) {
      const exported = await fetch(`${harness.url}/requests/export?format=${format}`, {
        headers: {
          authorization: `Bearer ${(await manage('POST', '/admin-keys', { name: `e-${format}` })).json.value}`,
        },
      })
      assert.equal(exported.status, 200)
      assert.ok(!(await exported.text()).includes(MARK))
    }
  })

  test('only an admin reads or deletes it, and the audit list says who did', async () => {
    const answer = await harness.chat(say(MARK))
    const id = idOf(answer)
    for (const role of ['viewer', 'editor']) {
      const { value } = (await manage('POST', '/admin-keys', { name: `c-${role}`, role })).json
      for (const method of ['GET', 'DELETE']) {
        const refused = await manage(method, `/requests/${id}/content`, undefined, { authorization: `Bearer ${value}` })
        assert.equal(refused.status, 403)
        assert.ok(!refused.text.includes(MARK))
      }
    }
    const actions = async () => (await auditOf(manage, `requests/${id}`)).map(({ action }: Json) => action).sort()
    assert.deepEqual(await actions(), [])
    assert.equal((await contentOf(answer)).status, 200)
    assert.deepEqual(await actions(), ['requests.content'])
    assert.equal((await manage('DELETE', `/requests/${id}/content`)).status, 204)
    assert.deepEqual(await actions(), ['requests.content', 'requests.delete-content'])
    assert.equal((await contentOf(answer)).status, 404)
    assert.equal((await manage('DELETE', `/requests/${id}/content`)).status, 404)
    assert.equal((await harness.rowOf(answer)).status, 200)
  })

  test('metrics count what was stored', async () => {
    await contentOf(await harness.chat(say(MARK)))
    assert.match((await harness.get('/metrics')).text, /^switchyard_content_stored_total [1-9]/m)
  })
})

describe('who does not store', () => {
  test('another workspace has nothing, until it is switched on through the API, and again when it is off', async () => {
    await manage('POST', '/workspaces', { name: 'quiet' })
    const { value } = (await manage('POST', '/keys?workspace=quiet', { name: 'k' })).json
    const call = async () => contentOf(await harness.chat(say(MARK), { authorization: `Bearer ${value}` }))
    assert.equal((await call()).status, 404)
    const changed = await manage('PATCH', '/workspaces/quiet', { content: {} })
    assert.deepEqual(changed.json.content, { retention_days: 7, redact: ['secret', 'card'], patterns: [] })
    assert.equal((await call()).status, 200)
    assert.equal((await manage('PATCH', '/workspaces/quiet', { content: null })).json.content, null)
    assert.equal((await call()).status, 404)
    assert.equal((await manage('DELETE', '/workspaces/quiet?force=true')).status, 204)
    const { db } = harness.gateway.store
    assert.deepEqual(await db.selectFrom('request_content').select('id').where('workspace', '=', 'quiet').execute(), [])
  })

  test('a pattern that is none is refused, and so is a change of what the file sets', async () => {
    await manage('POST', '/workspaces', { name: 'odd' })
    const content = { patterns: [{ name: 'bad', regex: '(?=x)' }] }
    const refused = await manage('PATCH', '/workspaces/odd', { content })
    assert.deepEqual([refused.status, refused.json.error.code], [400, 'invalid_request'])
    assert.match(refused.json.error.message, /^content: the pattern 'bad'/)
    assert.equal((await manage('PATCH', '/workspaces/default', { content: null })).json.error.code, 'managed_by_config')
  })

  test('without SECRETS_KEY it cannot be switched on', async () => {
    const other = await startHarness()
    const ask = managing(() => other)
    const refused = await ask('PATCH', '/workspaces/default', { content: {} })
    assert.deepEqual([refused.status, refused.json.error.code], [400, 'invalid_request'])
    assert.match(refused.json.error.message, /^content: needs SECRETS_KEY.*openssl rand -hex 32.*restart\.$/)
    const planned = await ask('POST', '/config/plan', { workspaces: { default: { content: {} } } })
    assert.equal(planned.status, 400)
    assert.match(planned.json.error.message, /^workspaces\.default\.content: .*SECRETS_KEY/)
    await other.stop()
  })
})

test('after its retention it is gone, for readers at once and from the table with the next sweep', async () => {
  const answer = await harness.chat(say(MARK))
  const { db } = harness.gateway.store
  const rows = async () => (await db.selectFrom('request_content').select('id').execute()).map(({ id }) => id)
  assert.equal((await contentOf(answer)).status, 200)
  clock += 3 * DAY_MS - 60_000
  assert.equal((await contentOf(answer)).status, 200)
  clock += 120_000
  assert.equal((await contentOf(answer)).status, 404)
  assert.ok((await rows()).includes(idOf(answer)))
  const later = await harness.chat(say(MARK))
  assert.equal((await contentOf(later)).status, 200)
  const { store } = harness.gateway
  const live = { current: () => ({ workspaces: new Map() }) }
  const retention = keepContentRetention({ store, live, now: () => clock, log: null as never })
  await retention.sweep()
  await retention.stop()
  assert.deepEqual(await rows(), [idOf(later)])
})

test('it is unreadable with another SECRETS_KEY, and readable as long as the old one is kept', async () => {
  const first = await startHarness({ config: CONFIG, environment: { SECRETS_KEY } })
  const answer = await first.chat(say(MARK))
  const path = `/requests/${idOf(answer)}/content`
  assert.equal((await managing(() => first)('GET', path)).status, 200)
  await first.gateway.stop()
  const start = (keys: string) =>
    startHarness({ config: CONFIG, folder: first.folder, environment: { SECRETS_KEY: keys } })

  const other = await start(`another-key-of-somebody,${SECRETS_KEY}`)
  const ask = managing(() => other)
  assert.ok((await ask('GET', path)).text.includes(MARK))
  const rotated = await ask('POST', '/secrets/rotate')
  assert.equal(rotated.json.content_with_other_keys, 1)
  assert.ok(Date.parse(rotated.json.content_until) > Date.now())
  await other.stop()

  const last = await start('another-key-of-somebody')
  const refused = await managing(() => last)('GET', path)
  assert.deepEqual([refused.status, refused.json.error.code], [409, 'conflict'])
  assert.ok(!refused.text.includes(MARK))
  assert.match(refused.json.error.message, /another key/)
  await last.stop()
  await first.simulator.close()
})
