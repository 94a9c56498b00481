import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { type Harness, hello, type Json, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'

const CONFIG = `
workspaces:
  default:
    routes:
      everywhere: { shared: true, chain: [{ provider: openai, model: gpt-sim-echo }] }
      Größe 2 (fast): { chain: [{ provider: openai, model: gpt-sim-echo }] }
      careful:
        defaults: { temperature: 0.2, seed: 7 }
        chain:
          - { provider: openai, model: gpt-sim-503, retries: 0 }
          - { provider: anthropic, model: claude-sim-echo, defaults: { temperature: 0.9, stop: ["END"] } }
      listed: { defaults: { stop: ["END"] }, chain: [{ provider: openai, model: gpt-sim-echo }] }
  team:
    direct_models: false
    routes:
      own: { chain: [{ provider: anthropic, model: claude-sim-echo }] }
  other:
    routes:
      everywhere: { chain: [{ provider: anthropic, model: claude-sim-echo }] }
`

let harness: Harness
const keys: Record<string, string> = {}
before(async () => {
  harness = await startHarness({ config: CONFIG })
  for (const workspace of ['team', 'other']) {
    const made = await manage('POST', `/keys?workspace=${workspace}`, { name: 'app' })
    keys[workspace] = made.json.value
  }
})
after(() => harness.stop())

const manage = managing(() => harness)
const as = (workspace: string) => ({ authorization: `Bearer ${keys[workspace]}` })
const served = (answer: { headers: Headers }) => answer.headers.get('x-gateway-provider')
const idsOf = async (headers?: Record<string, string>) =>
  (await harness.get('/v1/models', headers)).json.data.map(({ id }: Json) => id)

describe('a workspace that serves routes only', () => {
  test('refuses models by their ids, and lists none', async () => {
    for (const model of ['gpt-sim-echo', 'openai/gpt-sim-echo', 'claude-sim-echo[1m]']) {
      const refused = await harness.chat(hello(model), as('team'))
      assert.equal(refused.status, 404)
      assert.equal(refused.json.error.code, 'model_not_found')
      assert.match(refused.json.error.message, /workspace 'team' serves routes only\. See GET \/v1\/models\.$/)
    }
    assert.match((await harness.chat(hello('onw'), as('team'))).json.error.message, /Did you mean 'own'\?$/)
    assert.equal(served(await harness.chat(hello('own'), as('team'))), 'anthropic')
    assert.deepEqual(await idsOf(as('team')), ['everywhere', 'own'])
  })

  test('says so in the management API, where the file does not', async () => {
    const { json } = await manage('GET', '/workspaces/team')
    assert.deepEqual([json.direct_models, json.direct_models_managed_by], [false, 'config'])
    assert.equal(
      (await manage('PATCH', '/workspaces/team', { direct_models: null })).json.error.code,
      'managed_by_config',
    )
    assert.equal((await manage('PATCH', '/workspaces/other', { direct_models: false })).json.direct_models, false)
    assert.equal((await harness.chat(hello('gpt-sim-echo'), as('other'))).status, 404)
    assert.equal((await manage('PATCH', '/workspaces/other', { direct_models: null })).json.direct_models, null)
    assert.equal((await harness.chat(hello('gpt-sim-echo'), as('other'))).status, 200)
  })
})

describe('a shared route', () => {
  test('is called from every workspace that has none of its name', async () => {
    assert.equal(served(await harness.chat(hello('everywhere'), as('team'))), 'openai')
    assert.equal(served(await harness.chat(hello('everywhere'), as('other'))), 'anthropic')
  })

  test('is listed there, with the workspace that it belongs to', async () => {
    const { data } = (await manage('GET', '/routes?workspace=team')).json
    assert.deepEqual(
      data.map(({ alias, workspace, shared }: Json) => [alias, workspace, shared]),
      [
        ['everywhere', 'default', true],
        ['own', 'team', false],
      ],
    )
    assert.equal((await manage('GET', '/routes/everywhere?workspace=team')).json.workspace, 'default')
    assert.equal((await manage('GET', '/routes/everywhere?workspace=other')).json.workspace, 'other')
    assert.equal((await manage('DELETE', '/routes/everywhere?workspace=team')).status, 404)
  })

  test('has one owner, and only those change it who have access to every workspace', async () => {
    const body = { shared: true, chain: [{ provider: 'openai', model: 'gpt-sim-echo' }] }
    const twice = await manage('PUT', '/routes/everywhere?workspace=team', body)
    assert.equal(twice.status, 409)
    assert.match(twice.json.error.message, /^shared: workspace 'default' already shares a route 'everywhere'\.$/)
    const scoped = await manage('POST', '/admin-keys', { name: 'team', role: 'editor', workspaces: ['team'] })
    const headers = { authorization: `Bearer ${scoped.json.value}` }
    assert.equal((await manage('PUT', '/routes/mine?workspace=team', body, headers)).status, 403)
    assert.equal((await manage('PUT', '/routes/mine?workspace=team', { ...body, shared: false }, headers)).status, 201)
    assert.equal((await manage('PUT', '/routes/mine?workspace=team', body)).status, 200)
    assert.equal((await manage('DELETE', '/routes/mine?workspace=team', undefined, headers)).status, 403)
    assert.equal((await manage('DELETE', '/routes/mine?workspace=team')).status, 204)
  })
})

describe('default parameters', () => {
  test('are sent where the caller sends none, in the bytes as received', async () => {
    const answer = await harness.chat(hello('listed'))
    assert.equal(answer.status, 200)
    assert.deepEqual(harness.sent().stop, ['END'])
    assert.equal(answer.headers.get('x-gateway-adjusted'), 'stop;route_default')
    await harness.chat({ ...hello('listed'), stop: ['MINE'] })
    assert.deepEqual(harness.sent().stop, ['MINE'])
    const large = [{ role: 'user', content: 'long '.repeat(100_000) }]
    assert.equal((await harness.chat({ model: 'listed', messages: large })).status, 200)
    assert.deepEqual([harness.sent().stop, harness.sent().messages], [['END'], large], 'of a body in a worker, too')
  })

  test('of the entry win over those of the route, and the caller over both', async () => {
    const answer = await harness.chat({ ...hello('careful'), seed: 1 })
    assert.equal(served(answer), 'anthropic')
    const [first, second] = harness
      .upstream()
      .slice(-2)
      .map(({ body }) => body as Json)
    assert.deepEqual([first.temperature, first.seed, first.stop], [0.2, 1, undefined])
    assert.deepEqual([second.temperature, second.stop_sequences], [0.9, ['END']])
    assert.match(answer.headers.get('x-gateway-adjusted') ?? '', /temperature=0\.9;route_default, stop;route_default/)
    await harness.chat({ ...hello('careful'), temperature: null })
    assert.equal(harness.sent().temperature, 0.9, 'null is no choice')
  })

  test('count in what a hard budget holds', async () => {
    const chain = [{ provider: 'openai', model: 'gpt-sim-echo' }]
    const schema = { type: 'json_schema', json_schema: { name: 'long', schema: { description: 'x'.repeat(4_000) } } }
    await manage('PUT', '/routes/plain', { chain })
    await manage('PUT', '/routes/formed', { chain, defaults: { response_format: schema } })
    await manage('PUT', '/registry/openai/gpt-sim-echo', {
      ...{ input_per_mtok: '1', output_per_mtok: '1', max_output_tokens: 10, context_window: 100_000 },
    })
    const hold = async (model: string) => {
      const body = { ...hello(model), max_tokens: 10 }
      return Number((await manage('POST', '/explain', body)).json.hold_usd)
    }
    const [plain, formed] = [await hold('plain'), await hold('formed')]
    assert.ok(formed - plain >= 0.004, `${formed} holds the schema on top of ${plain}`)
  })

  test('cannot decide what the route or the caller decides', async () => {
    const chain = [{ provider: 'openai', model: 'gpt-sim-echo' }]
    for (const [name, problem] of [
      ['stream', 'it cannot have a default'],
      ['messages', 'it cannot have a default'],
      ['max_tokens', 'set max_output_tokens of the entry instead'],
    ] as const) {
      const refused = await manage('PUT', '/routes/wrong', { chain, defaults: { [name]: 1 } })
      assert.equal(refused.status, 400)
      assert.equal(refused.json.error.message, `defaults.${name}: ${problem}`)
    }
    const large = await manage('PUT', '/routes/wrong', { chain, defaults: { note: 'x'.repeat(9_000) } })
    assert.equal(large.json.error.message, 'defaults: at most 8192 bytes of JSON')
  })
})

test('an alias is any printable text', async () => {
  const alias = 'Größe 2 (fast)'
  const answer = await harness.chat(hello(alias))
  assert.deepEqual([answer.status, answer.json.model], [200, alias])
  assert.ok((await idsOf()).includes(alias))
  assert.equal((await manage('GET', `/routes/${encodeURIComponent(alias)}`)).json.alias, alias)
  const chain = [{ provider: 'openai', model: 'gpt-sim-echo' }]
  for (const wrong of [' fast', 'fast ', 'fa*', 'a\nb', 'x'.repeat(257)]) {
    assert.equal((await manage('PUT', `/routes/${encodeURIComponent(wrong)}`, { chain })).status, 400, wrong)
  }
  const key = await manage('POST', '/keys', { name: 'bounded', allowed_models: [alias, 'Größe*'] })
  const headers = { authorization: `Bearer ${key.json.value}` }
  assert.equal((await harness.chat(hello(alias), headers)).status, 200)
  assert.equal((await harness.chat(hello('careful'), headers)).status, 403)
})

test('a key is adopted with the value that its holder has', async () => {
  const value = 'sk-moved-in-0001'
  const hash = createHash('sha256').update(value).digest('hex')
  const note = { litellm: { user_id: 'ada', tags: ['a'] } }
  const made = await manage('POST', '/keys/adopt', { name: 'moved', hash, prefix: 'sk-...0001', note })
  assert.equal(made.status, 201)
  assert.deepEqual([made.json.prefix, made.json.note, 'value' in made.json], ['sk-...0001', note, false])
  assert.equal((await harness.chat(hello('everywhere'), { authorization: `Bearer ${value}` })).status, 200)
  assert.equal((await harness.chat(hello('everywhere'), { authorization: `Bearer ${hash}` })).status, 401)
  const twice = await manage('POST', '/keys/adopt?workspace=team', { name: 'moved', hash })
  assert.deepEqual([twice.status, twice.json.error.message], [409, 'hash: a key with this value already exists.'])
  assert.equal((await manage('POST', '/keys/adopt', { name: 'wrong', hash: hash.toUpperCase() })).status, 400)
  const large = await manage('PATCH', `/keys/${made.json.id}`, { note: { text: 'x'.repeat(9_000) } })
  assert.deepEqual([large.status, large.json.error.message], [400, 'note: at most 8192 bytes of JSON'])
  assert.equal((await manage('PATCH', `/keys/${made.json.id}`, { note: null })).json.note, null)
  const rotated = await manage('POST', `/keys/${made.json.id}/rotate`, {})
  assert.match(rotated.json.value, /^gw_live_/)
  assert.equal((await harness.chat(hello('everywhere'), { authorization: `Bearer ${value}` })).status, 401)
})

describe('opening spend', () => {
  const PRICES = { input_per_mtok: '1', output_per_mtok: '1000', max_output_tokens: 100, context_window: 100_000 }
  /** At 1000 USD a million, 100 tokens of output are 0.1 USD; the prompt is less than 0.001. */
  const call = async (value: string) =>
    harness.chat({ ...hello('openai/gpt-sim-echo'), max_tokens: 100 }, { authorization: `Bearer ${value}` })

  test('counts in the budget of a key and of its workspace, in no sum of usage, and verify is clean', async () => {
    assert.ok((await manage('PUT', '/registry/openai/gpt-sim-echo', PRICES)).status < 300)
    const limits = { budget: { usd: '5', per: 'month' } }
    const made = (await manage('POST', '/keys?workspace=other', { name: 'opened', limits })).json
    const opening = await manage('PUT', `/keys/${made.id}/opening-spend`, { usd: '4.95', note: 'as LiteLLM had it' })
    assert.deepEqual([opening.status, opening.json.opening_spend.usd], [200, '4.95'])
    const refused = await call(made.value)
    assert.deepEqual([refused.status, refused.json.error.code], [402, 'budget_exceeded'])
    assert.match(refused.json.error.message, /4\.95/)
    await manage('PUT', `/keys/${made.id}/opening-spend`, { usd: '4.8' })
    assert.equal((await call(made.value)).status, 200)
    const key = (await manage('GET', `/keys/${made.id}`)).json
    const spent = Number(key.spent_usd)
    assert.ok(spent > 0 && spent < 0.2, 'the sum of the log is without it')
    const { data } = (await manage('GET', '/budgets?workspace=other')).json
    const { limits: stated, periods } = data.find(({ id }: Json) => id === made.id)
    assert.deepEqual(stated, { budget: { ...limits.budget, mode: 'hard' } })
    assert.deepEqual([periods.month.opening_usd, periods.total.opening_usd], ['4.8', '0'])
    assert.equal(Number(periods.month.spent_usd).toFixed(9), (4.8 + spent).toFixed(9))
    const workspace = await manage('PATCH', '/workspaces/other', { limits: { budget: { usd: '10', per: 'total' } } })
    assert.equal(workspace.json.opening_spend, null)
    await manage('PUT', '/workspaces/other/opening-spend', { usd: '10.5' })
    assert.equal((await call(made.value)).status, 402)
    await manage('PUT', '/workspaces/other/opening-spend', { usd: '0' })
    assert.equal((await call(made.value)).status, 200)
    const own = await harness.get('/v1/key', { authorization: `Bearer ${made.value}` })
    assert.deepEqual([own.status, own.json.name, own.json.workspace], [200, 'opened', 'other'])
    const [ofKey, ofWorkspace] = own.json.budgets
    assert.deepEqual(
      [ofKey.scope, ofKey.limit_usd, ofWorkspace.scope, ofWorkspace.per],
      ['key', '5', 'workspace', 'total'],
    )
    assert.equal((5 - Number(ofKey.spent_usd)).toFixed(9), Number(ofKey.remaining_usd).toFixed(9))
    assert.ok(Number(ofKey.spent_usd) > 4.8)
    assert.equal((await harness.get('/v1/key', { authorization: 'Bearer gw_live_unknown' })).status, 401)
    const verified = (await manage('POST', '/verify')).json
    assert.deepEqual(verified.differences, [])
  })

  test('is an admin’s to set, and stays when limits are changed', async () => {
    const editor = await manage('POST', '/admin-keys', { name: 'editor', role: 'editor', workspaces: ['other'] })
    const headers = { authorization: `Bearer ${editor.json.value}` }
    const made = (await manage('POST', '/keys?workspace=other', { name: 'kept' })).json
    const path = `/keys/${made.id}/opening-spend`
    assert.equal((await manage('PUT', path, { usd: '1' }, headers)).status, 403)
    assert.equal((await manage('PUT', path, { usd: '1,5' })).json.error.message.slice(0, 4), 'usd:')
    await manage('PUT', path, { usd: '1' })
    await manage('PATCH', `/keys/${made.id}`, { limits: { budget: { usd: '1', per: 'total' } } }, headers)
    assert.equal((await call(made.value)).status, 402)
  })
})
