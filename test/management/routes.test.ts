import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { listRoutes, putRoute } from '../../src/store/control/routes.ts'
import { ensureWorkspace } from '../../src/store/control/workspaces.ts'
import { ADMIN_KEY, type Answered, type Harness, hello, type Json, startHarness } from '../harness.ts'
import { ENGINES, testStores } from '../test-store.ts'
import { auditOf, managing } from './manage.ts'

const CONFIG = `
workspaces:
  default:
    routes:
      of-the-file: { chain: [{ provider: openai, model: gpt-sim-echo }] }
  team: {}
`
const OPENAI = { provider: 'openai', model: 'gpt-sim-echo' }
const ANTHROPIC = { provider: 'anthropic', model: 'claude-sim-echo' }

let harness: Harness
before(async () => {
  harness = await startHarness({ config: CONFIG })
})
after(() => harness.stop())

const manage = managing(() => harness)
const put = (alias: string, body: unknown, headers = {}) =>
  manage('PUT', `/routes/${encodeURIComponent(alias)}`, body, headers)
const served = (answer: Answered) => answer.headers.get('x-gateway-provider')

describe('put', () => {
  test('answers 201 with the route as it was put, and the next call uses it', async () => {
    const chain = [
      { ...OPENAI, timeout_ms: 20_000, idle_timeout_ms: 9_000, retries: 1, max_output_tokens: 900 },
      ANTHROPIC,
    ]
    const answer = await put('quick', { description: 'cheap', chain })
    assert.equal(answer.status, 201)
    const { created_at, updated_at, ...rest } = answer.json
    assert.deepEqual(rest, {
      alias: 'quick',
      workspace: 'default',
      description: 'cheap',
      chain,
      interchangeable: false,
      compaction: 'emulate',
      prompt_cache: 'keep',
      cache: null,
      defaults: null,
      shared: false,
      cache_purged_at: null,
      managed_by: null,
    })
    assert.equal(created_at, updated_at)
    const got = await manage('GET', '/routes/quick')
    assert.deepEqual([got.status, got.json], [200, answer.json])
    assert.equal(got.headers.get('etag'), answer.headers.get('etag'))
    const call = await harness.chat(hello('quick'))
    assert.deepEqual([call.status, served(call)], [200, 'openai'])
    assert.ok((await harness.get('/v1/models')).json.data.some((model: Json) => model.id === 'quick'))
    const [audit] = await auditOf(manage, 'routes/quick')
    assert.deepEqual([audit.action, audit.workspace, audit.before], ['routes.put', 'default', null])
    assert.deepEqual(audit.after, answer.json)
  })

  test('takes a group, which is got and exported as it was put, and whose members are known to be used', async () => {
    const group = {
      balance: 'least_busy',
      sticky: false,
      members: [
        { ...OPENAI, weight: 3 },
        { ...ANTHROPIC, retries: 0 },
      ],
    }
    const answer = await put('shared', { chain: [group, { provider: 'openai', model: 'gpt-other' }] })
    assert.deepEqual([answer.status, answer.json.chain[0]], [201, group])
    assert.equal((await harness.chat(hello('shared'))).status, 200)
    const using = await manage('GET', '/providers/anthropic/routes')
    assert.ok(
      using.json.data.some((route: Json) => route.alias === 'shared'),
      using.text,
    )
    const exported = await harness.get('/config/export', { authorization: `Bearer ${ADMIN_KEY}` })
    assert.match(exported.text, /balance: least_busy/)
    const models = await manage('GET', '/catalog?limit=200')
    const item = models.json.data.find((each: Json) => each.id === 'shared')
    assert.deepEqual(
      item.chain.map(({ place }: Json) => place),
      [1, 1, 2],
    )
    const unknown = await put('bad', { chain: [{ ...group, members: [OPENAI, { provider: 'nobody', model: 'm' }] }] })
    assert.equal(unknown.status, 400)
    assert.match(unknown.json.error.message, /^chain\[0\]\.members\[1\]\.provider: there is no provider 'nobody'/)
  })

  test('answers 200 when it replaces the whole of a route', async () => {
    const first = await put('changed', { description: 'old', chain: [OPENAI] })
    const second = await put('changed', { chain: [ANTHROPIC] })
    assert.deepEqual([first.status, second.status], [201, 200])
    assert.deepEqual([second.json.description, second.json.chain], [null, [ANTHROPIC]])
    assert.equal(second.json.created_at, first.json.created_at)
    assert.equal(served(await harness.chat(hello('changed'))), 'anthropic')
    const [audit] = await auditOf(manage, 'routes/changed')
    assert.deepEqual([audit.before.chain, audit.after.chain], [[OPENAI], [ANTHROPIC]])
  })

  test('of the same again changes nothing and leaves no trace', async () => {
    const first = await put('same', { chain: [OPENAI] })
    const again = await put('same', { chain: [OPENAI] })
    assert.deepEqual([again.status, again.json], [200, first.json])
    assert.equal((await auditOf(manage, 'routes/same')).length, 1)
  })

  test('takes every alias that the design allows, percent-encoded', async () => {
    for (const alias of ['team/search:v2.1', 'A', '0', `x${'y'.repeat(63)}`, 'explain']) {
      assert.equal((await put(alias, { chain: [OPENAI] })).status, 201, alias)
      assert.equal((await manage('GET', `/routes/${encodeURIComponent(alias)}`)).json.alias, alias)
      assert.equal((await harness.chat(hello(alias))).status, 200)
      assert.equal((await manage('DELETE', `/routes/${encodeURIComponent(alias)}`)).status, 204)
    }
  })

  test('belongs to its workspace', async () => {
    const answer = await manage('PUT', '/routes/theirs?workspace=team', { chain: [OPENAI] })
    assert.deepEqual([answer.status, answer.json.workspace], [201, 'team'])
    assert.equal((await manage('GET', '/routes/theirs')).status, 404)
    assert.equal((await harness.chat(hello('theirs'))).status, 404)
    const { value } = (await manage('POST', '/keys?workspace=team', { name: 'theirs' })).json
    assert.equal((await harness.chat(hello('theirs'), { authorization: `Bearer ${value}` })).status, 200)
  })
})

describe('refused with 400, naming the place, and nothing is there', () => {
  const entry = (more: Record<string, unknown>) => ({ chain: [OPENAI, { ...OPENAI, ...more }] })
  const bodies: [what: string, body: unknown, words: RegExp][] = [
    ['an unknown provider', entry({ provider: 'nobody' }), /^chain\[1\]\.provider: .*'nobody'.*anthropic, openai/],
    ['a provider name that cannot be', entry({ provider: 'No Body' }), /^chain\[1\]\.provider: /],
    ['an empty model', entry({ model: '' }), /^chain\[1\]\.model: /],
    ['an unknown field of an entry', entry({ timeout: 5 }), /^chain\[1\]: .*"timeout"/],
    ['an idle timeout of zero', entry({ idle_timeout_ms: 0 }), /^chain\[1\]\.idle_timeout_ms: /],
    ['a timeout of zero', entry({ timeout_ms: 0 }), /^chain\[1\]\.timeout_ms: /],
    ['no output at all', entry({ max_output_tokens: 0 }), /^chain\[1\]\.max_output_tokens: /],
    ['too many retries', entry({ retries: 11 }), /^chain\[1\]\.retries: /],
    ['half a retry', entry({ retries: 0.5 }), /^chain\[1\]\.retries: /],
    ['an empty chain', { chain: [] }, /^chain: /],
    ['eleven entries', { chain: Array.from({ length: 11 }, () => OPENAI) }, /^chain: /],
    ['no chain', { description: 'x' }, /^chain: /],
    ['a chain of names', { chain: ['gpt-4o'] }, /^chain\[0\]: /],
    ['an unknown field', { chain: [OPENAI], alias: 'other' }, /"alias"/],
    ['a description that is a number', { chain: [OPENAI], description: 1 }, /^description: /],
    ['what is no JSON', '{', /not valid JSON/],
    ['nothing', undefined, /^chain: /],
  ]
  for (const [what, body, words] of bodies) {
    test(what, async () => {
      const answer = await put('bad', body)
      assert.deepEqual([answer.status, answer.json.error.code], [400, 'invalid_request'], answer.text)
      assert.match(answer.json.error.message, words)
      assert.equal((await manage('GET', '/routes/bad')).status, 404)
    })
  }

  for (const alias of [' ', ' a', 'a ', 'a*', 'a\tb', '\u2028', `x${'y'.repeat(256)}`]) {
    test(`the alias '${alias.slice(0, 12)}'`, async () => {
      const answer = await put(alias, { chain: [OPENAI] })
      assert.equal(answer.status, 400)
      assert.match(answer.json.error.message, /^alias: an alias is/)
    })
  }

  test('a bad change leaves the route as it was', async () => {
    const { json } = await put('kept', { chain: [OPENAI] })
    assert.equal((await put('kept', { chain: [ANTHROPIC, { provider: 'nobody', model: 'x' }] })).status, 400)
    assert.deepEqual((await manage('GET', '/routes/kept')).json, json)
    assert.equal(served(await harness.chat(hello('kept'))), 'openai')
  })
})

describe('versions', () => {
  test('a stale one is 412 for put and delete, and nothing is changed', async () => {
    const first = await put('versioned', { chain: [OPENAI] })
    const etag = first.headers.get('etag') ?? ''
    const second = await put('versioned', { chain: [ANTHROPIC] }, { 'if-match': etag })
    assert.equal(second.status, 200)
    const stale = await put('versioned', { chain: [OPENAI] }, { 'if-match': etag })
    assert.deepEqual([stale.status, stale.json.error.code], [412, 'precondition_failed'])
    assert.equal((await manage('DELETE', '/routes/versioned', undefined, { 'if-match': etag })).status, 412)
    assert.deepEqual((await manage('GET', '/routes/versioned')).json, second.json)
    const newest = second.headers.get('etag') ?? ''
    assert.equal((await manage('DELETE', '/routes/versioned', undefined, { 'if-match': newest })).status, 204)
  })

  test('If-Match for what is not there is 412: it may only be changed, not made', async () => {
    assert.equal((await put('absent', { chain: [OPENAI] }, { 'if-match': '*' })).status, 412)
    assert.equal((await manage('GET', '/routes/absent')).status, 404)
  })

  test('If-None-Match: * makes a route and never replaces one', async () => {
    const created = await put('only-new', { chain: [OPENAI] }, { 'if-none-match': '*' })
    assert.equal(created.status, 201)
    const again = await put('only-new', { chain: [ANTHROPIC] }, { 'if-none-match': '*' })
    assert.deepEqual([again.status, again.json.error.code], [412, 'precondition_failed'])
    assert.deepEqual((await manage('GET', '/routes/only-new')).json.chain, created.json.chain)
  })
})

describe('list', () => {
  test('pages by alias, one workspace at a time', async () => {
    await manage('POST', '/workspaces', { name: 'paged' })
    const aliases = ['a', 'b', 'c', 'd', 'e']
    for (const alias of aliases) await manage('PUT', `/routes/${alias}?workspace=paged`, { chain: [OPENAI] })
    const seen: string[] = []
    let cursor = ''
    do {
      const { json } = await manage('GET', `/routes?workspace=paged&limit=2${cursor}`)
      seen.push(...json.data.map((route: Json) => route.alias))
      cursor = json.next_cursor === null ? '' : `&cursor=${json.next_cursor}`
    } while (cursor !== '')
    assert.deepEqual(seen, aliases)
  })

  for (const query of ['cursor=nonsense', 'limit=0', 'page=2']) {
    test(`${query} is 400`, async () => assert.equal((await manage('GET', `/routes?${query}`)).status, 400))
  }
})

describe('not there: 404', () => {
  const asked: [method: string, path: string, body?: unknown][] = [
    ['GET', '/routes/nothing'],
    ['DELETE', '/routes/nothing'],
    ['GET', '/routes?workspace=nowhere'],
    ['GET', '/routes/quick?workspace=nowhere'],
    ['PUT', '/routes/quick?workspace=nowhere', { chain: [OPENAI] }],
    ['DELETE', '/routes/quick?workspace=nowhere'],
  ]
  for (const [method, path, body] of asked) {
    test(`${method} ${path}`, async () => {
      const answer = await manage(method, path, body)
      assert.deepEqual([answer.status, answer.json.error.code], [404, 'not_found'])
      assert.match(answer.json.error.message, /nothing|nowhere/)
    })
  }
})

test('a route of the configuration file is 409 managed_by_config', async () => {
  const before = (await manage('GET', '/routes/of-the-file')).json
  assert.equal(before.managed_by, 'config')
  for (const answer of [
    await put('of-the-file', { chain: [ANTHROPIC] }),
    await manage('DELETE', '/routes/of-the-file'),
  ]) {
    assert.deepEqual([answer.status, answer.json.error.code], [409, 'managed_by_config'])
    assert.match(answer.json.error.message, /switchyard\.yaml/)
  }
  assert.deepEqual((await manage('GET', '/routes/of-the-file')).json, before)
})

describe('under load', () => {
  test('a route that changes all the time fails no call, and each call is served by one of its chains', async () => {
    const versions = [[OPENAI], [ANTHROPIC], [{ provider: 'openai', model: 'gpt-sim-slow-30' }]]
    await put('busy', { chain: versions[0] })
    const statuses: number[] = []
    let isDone = false
    const callers = Array.from({ length: 10 }, async () => {
      while (!isDone) statuses.push((await harness.chat(hello('busy'))).status)
    })
    for (let count = 1; count <= 30; count++) {
      const chain = versions[count % versions.length] ?? []
      assert.equal((await put('busy', { chain })).status, 200)
      const expected = chain[0]?.model
      assert.equal((await harness.chat(hello('busy'))).headers.get('x-gateway-model'), expected)
    }
    isDone = true
    await Promise.all(callers)
    assert.ok(statuses.length >= 30)
    assert.deepEqual(new Set(statuses), new Set([200]))
  })

  test('a call that is out is served by the chain it began with, though the route is gone', async () => {
    await put('doomed', { chain: [{ provider: 'openai', model: 'gpt-sim-503', retries: 0 }, ANTHROPIC] })
    harness.simulator.hold()
    const before = harness.upstream().length
    const call = harness.chat(hello('doomed'))
    while (harness.upstream().length === before) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal((await manage('DELETE', '/routes/doomed')).status, 204)
    assert.equal((await harness.chat(hello('doomed'))).status, 404)
    harness.simulator.release()
    const answer = await call
    assert.deepEqual([answer.status, served(answer)], [200, 'anthropic'])
  })
})

describe('the pages of the store', async () => {
  const stores = await testStores()
  for (const engine of ENGINES) {
    test(`are in order and complete on ${engine}`, async () => {
      const { db } = await stores.openNew(engine)
      const aliases = ['B', 'a', 'a-1', 'a/1', 'a1', 'b', 'c.d', 'c:d']
      for (const workspace of ['default', 'other']) {
        await ensureWorkspace(db, workspace, 1)
        for (const alias of aliases) {
          await putRoute(db, { workspace, alias, definition: { chain: [OPENAI] }, managedBy: null }, 2)
        }
      }
      const seen: string[] = []
      for (let after: string | null = null; ; after = seen.at(-1) ?? null) {
        const rows = await listRoutes(db, { workspace: 'default', after, limit: 3 })
        assert.ok(rows.every((row) => row.workspace === 'default'))
        seen.push(...rows.map((row) => row.alias))
        if (rows.length < 3) break
      }
      assert.deepEqual(seen.toSorted(), aliases.toSorted())
    })
  }
})
