import assert from 'node:assert/strict'
import { get, type IncomingMessage } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { logCalls } from '../calls/any-call.ts'
import { ADMIN_KEY, type Harness, startHarness, until } from '../harness.ts'
import { closeRecord } from '../test-store.ts'

const MANY = 30_000
const PAGES = MANY / 200

let harness: Harness
let queries = 0
before(async () => {
  harness = await startHarness()
  const { db, reads, requestLog } = harness.gateway.store
  await logCalls(
    db,
    'many',
    Array.from({ length: MANY }, (_, index) => ({ startedAt: 1_000 * index })),
  )
  const attempt = { kind: 'called', provider: 'first', model: 'model-1', startedAfterMs: 1, durationMs: 2 } as const
  const rest = { status: 200, code: null, upstreamRequestId: null, reason: 'served' }
  await requestLog.close(
    closeRecord('odd', {
      workspace: 'odd',
      requestedModel: '=say "hi", please\r\nnow',
      attempts: [{ ...attempt, ...rest }],
      ignoredParams: ['seed'],
      costPicodollars: '9007199254740993',
    }),
  )
  const executor = reads.getExecutor()
  const executeQuery = executor.executeQuery.bind(executor)
  executor.executeQuery = (...query) => {
    queries++
    return executeQuery(...query)
  }
})
after(() => harness.stop())

async function exported(query: string): Promise<{ type: string | null; text: string }> {
  const response = await fetch(`${harness.url}/requests/export?${query}`, {
    headers: { authorization: `Bearer ${ADMIN_KEY}` },
  })
  return { type: response.headers.get('content-type'), text: await response.text() }
}

test('of a node whose clock is behind has the calls of those whose clock is not', async () => {
  const late = await startHarness({ now: () => Date.now() - 150_000 })
  try {
    const { requestLog } = late.gateway.store
    for (let call = 0; call < 20; call++) await requestLog.close(closeRecord(`call-${call}`, { startedAt: Date.now() }))
    const headers = { authorization: `Bearer ${ADMIN_KEY}` }
    const text = await (await fetch(`${late.url}/requests/export`, { headers })).text()
    assert.equal(text.trim().split('\n').length, 20)
  } finally {
    await late.stop()
  }
})

/** An answer whose body is not read yet. */
function unread(query: string): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${ADMIN_KEY}` }
  return new Promise((resolve, reject) => {
    get(`${harness.url}/requests/export?${query}`, { headers, agent: false }, resolve).once('error', reject)
  })
}

async function untilQuiet(): Promise<void> {
  let seen = -1
  await until(async () => {
    const before = seen
    seen = queries
    await new Promise((resolve) => setTimeout(resolve, 150))
    return before === queries
  }, 'no more pages are read')
}

describe('NDJSON', () => {
  test('has every request once, newest first', async () => {
    const { type, text } = await exported('workspace=many')
    assert.equal(type, 'application/x-ndjson; charset=utf-8')
    const ids = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).id)
    assert.equal(ids.length, MANY)
    assert.deepEqual([ids[0], ids.at(-1)], [`many-0${MANY - 1}`, 'many-000000'])
    assert.equal(new Set(ids).size, MANY)
  })

  test('keeps values as they are', async () => {
    const row = JSON.parse((await exported('workspace=odd')).text)
    assert.equal(row.requested_model, '=say "hi", please\r\nnow')
    assert.deepEqual([row.cost_usd, row.ignored_params, row.attempts.length], ['9007.199254740993', ['seed'], 1])
    assert.equal(row.started_at, '1970-01-01T00:00:01.000Z')
  })

  test('is empty when nothing matches', async () => {
    assert.equal((await exported('workspace=nobody')).text, '')
  })

  test('takes the filters of the list', async () => {
    const { text } = await exported('workspace=many&from=1970-01-01T00:00:10Z&to=1970-01-01T00:00:20Z&status=ok')
    assert.equal(text.trimEnd().split('\n').length, 10)
  })
})

describe('CSV', () => {
  test('has a header, quotes as RFC 4180 says and lets no formula through', async () => {
    const { type, text } = await exported('workspace=odd&format=csv')
    assert.equal(type, 'text/csv; charset=utf-8')
    const [header = '', ...rest] = text.split('\r\n')
    assert.ok(header.startsWith('id,state,workspace,key_id,route,endpoint,requested_model,'))
    const line = rest.join('\r\n')
    assert.ok(line.startsWith(`odd,closed,odd,key-1,fast,,"'=say ""hi"", please\r\nnow",first,`), line)
    assert.ok(line.includes(',"[""seed""]",[],"[{""kind"":""called"",'), line)
    assert.ok(
      line.endsWith(
        '""reason"":""served"",""phase"":null,""cost_usd"":null,""usage_source"":null,""unconfirmed"":null}]",false,,,0,,,,,,{},,,,,,{},,,,{},,,,,,,,,,,,,\r\n',
      ),
      line,
    )
  })

  test('is only the header when nothing matches', async () => {
    assert.equal((await exported('workspace=nobody&format=csv')).text.split('\r\n').length, 2)
  })
})

describe('a reader', () => {
  test('who is slow holds up the reading, so that nothing piles up', async () => {
    queries = 0
    const response = await unread('workspace=many')
    await untilQuiet()
    assert.ok(queries < PAGES, `${queries} pages read for nobody`)
    let bytes = 0
    for await (const piece of response) bytes += piece.length
    assert.ok(bytes > MANY * 300)
    assert.ok(queries >= PAGES)
  })

  test('who leaves ends the reading', async () => {
    queries = 0
    const response = await unread('workspace=many')
    await new Promise((resolve) => response.once('readable', resolve))
    response.destroy()
    await untilQuiet()
    assert.ok(queries < PAGES, `${queries} pages read for nobody`)
  })
})

for (const query of ['format=xml', 'limit=5', 'from=2026-01-02&to=2026-01-01']) {
  test(`${query} is refused before anything is written`, async () => {
    const response = await fetch(`${harness.url}/requests/export?${query}`, {
      headers: { authorization: `Bearer ${ADMIN_KEY}` },
    })
    assert.equal(response.status, 400)
    assert.equal(((await response.json()) as { error: { code: string } }).error.code, 'invalid_request')
  })
}
