import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { ADMIN_KEY, type Harness, hello, type Json, startHarness } from '../harness.ts'

const CONFIG = `
providers:
  local: { family: openai, base_url: \${SIMULATED}, api_key: local-key }
registry:
  - { provider: local, model: filed, input_per_mtok: "1", output_per_mtok: "2" }
workspaces:
  default:
    routes:
      listed: { chain: [{ provider: local, model: gpt-listed }] }
`
const LIMIT = 200_000

let harness: Harness
before(async () => {
  harness = await startHarness({ config: CONFIG, environment: { MAX_BODY_BYTES: String(LIMIT) } })
})
after(() => harness.stop())

async function ask(method: string, path: string, body?: unknown) {
  const response = await fetch(harness.url + path, {
    method,
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const json: Json = text === '' ? null : JSON.parse(text)
  return { status: response.status, json, text }
}

const send = (query: string, body: unknown) => ask('POST', `/registry/import?${query}`, body)
const get = async (path: string): Promise<Json> => (await ask('GET', `/registry/${path}`)).json
const versions = async () =>
  (await harness.gateway.store.db.selectFrom('price_versions').selectAll().orderBy('id').execute()) as Json[]
const whole = async () => JSON.stringify((await ask('GET', '/registry?limit=500')).json)
const names = (list: Json[]) => list.map(({ provider, model }) => `${provider}/${model}`)

const litellm = {
  sample_spec: { litellm_provider: 'one of https://example.com', mode: 'one of: chat', input_cost_per_token: 0 },
  'gpt-4o': {
    litellm_provider: 'openai',
    mode: 'chat',
    input_cost_per_token: 2.5e-6,
    output_cost_per_token: 1.1e-5,
    cache_read_input_token_cost: 1.25e-6,
    max_input_tokens: 128000,
    max_output_tokens: 16384,
    supports_vision: true,
  },
  'openai/gpt-4o': { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: 1, output_cost_per_token: 1 },
  'local/gpt-listed': {
    litellm_provider: 'local',
    mode: 'chat',
    input_cost_per_token: 1.5e-7,
    output_cost_per_token: 3e-8,
    max_input_tokens: 8192,
    supports_function_calling: true,
  },
  'local/filed': { litellm_provider: 'local', mode: 'chat', input_cost_per_token: 9e-6, output_cost_per_token: 9e-6 },
  'azure/eu/gpt-4o': {
    litellm_provider: 'azure',
    mode: 'chat',
    input_cost_per_token: 3e-6,
    output_cost_per_token: 3e-6,
  },
  'azure/gpt-4o': { litellm_provider: 'azure', mode: 'chat', input_cost_per_token: 3e-6, output_cost_per_token: 3e-6 },
  'local/odd': { litellm_provider: 'local', mode: 'chat', input_cost_per_token: 1e-13, output_cost_per_token: 1e-6 },
}

describe('a dry run', () => {
  test('is the default, shows what would change field by field, and changes nothing', async () => {
    const before = [await whole(), (await versions()).length]
    const { status, json, text } = await send('format=litellm', litellm)
    assert.equal(status, 200, text)
    assert.equal(json.dry_run, true)
    assert.deepEqual(names(json.added), ['local/gpt-listed'])
    assert.deepEqual([json.added[0].input_per_mtok, json.added[0].output_per_mtok], ['0.15', '0.03'])
    assert.deepEqual([json.added[0].context_window, json.added[0].capabilities], [8192, ['tools']])
    assert.deepEqual(json.changed, [
      {
        provider: 'openai',
        model: 'gpt-4o',
        changes: [
          { field: 'output_per_mtok', before: '10', after: '11' },
          { field: 'max_input_tokens', before: null, after: 128000 },
        ],
      },
    ])
    assert.deepEqual([await whole(), (await versions()).length], before)
  })

  test('gathers what is skipped by reason, with counts', async () => {
    const { json } = await send('format=litellm&dry_run=true', litellm)
    const reasons = new Map<string, Json>(json.skipped.map((entry: Json) => [entry.reason, entry]))
    assert.deepEqual(reasons.get("there is no provider 'azure'")?.names, ['azure/eu/gpt-4o', 'azure/gpt-4o'])
    assert.equal(reasons.get("there is no provider 'azure'")?.count, 2)
    assert.deepEqual(reasons.get('the configuration file manages it')?.names, ['local/filed'])
    assert.deepEqual(reasons.get('the list has this model twice; the first is used')?.names, ['openai/gpt-4o'])
    assert.ok([...reasons.keys()].some((reason) => /six decimals/.test(reason)))
    const skipped = json.skipped.reduce((sum: number, entry: Json) => sum + entry.count, 0)
    assert.equal(skipped + json.added.length + json.changed.length + json.unchanged, Object.keys(litellm).length)
  })

  test("takes the list's names for providers as pairs", async () => {
    const { json } = await send('format=litellm&providers=azure:local', litellm)
    assert.deepEqual(names(json.added).sort(), ['local/eu/gpt-4o', 'local/gpt-4o', 'local/gpt-listed'])
  })
})

describe('an applied import', () => {
  test('is one dated set of versions with its source, effective for the next call', async () => {
    const before = (await versions()).length
    const { json } = await send('format=litellm&dry_run=false', litellm)
    assert.equal(json.dry_run, false)
    assert.match(json.source, /^import:litellm:[0-9a-f]{12}$/)
    const made = (await versions()).slice(before)
    assert.deepEqual(
      made.map(({ model, source }) => [model, source]),
      [
        ['gpt-listed', json.source],
        ['gpt-4o', json.source],
      ],
    )
    assert.equal(new Set(made.map(({ created_at }) => created_at)).size, 1)
    assert.equal((await get('local/filed')).input_per_mtok, '1')
    const row = await harness.rowOf(await harness.chat(hello('listed')))
    assert.equal(row['price_version'], made[0].id)
    const tokens = [BigInt(Number(row['input_tokens'])), BigInt(Number(row['completion_tokens']))] as const
    assert.equal(BigInt(row['cost_picodollars'] as number), tokens[0] * 150_000n + tokens[1] * 30_000n)
  })

  test('again is unchanged: no version, no audit row', async () => {
    const before = [(await versions()).length, (await ask('GET', '/audit?resource=registry')).json.data.length]
    assert.equal(before[1], 1)
    const { json } = await send('format=litellm&dry_run=false', litellm)
    assert.deepEqual([json.added, json.changed, json.unchanged], [[], [], 2])
    const now = [(await versions()).length, (await ask('GET', '/audit?resource=registry')).json.data.length]
    assert.deepEqual(now, before)
  })

  test('is audited with what it changed', async () => {
    const { json } = await ask('GET', '/audit?resource=registry')
    assert.equal(json.data[0].action, 'registry.import')
    assert.deepEqual(names(json.data[0].after.added), ['local/gpt-listed'])
    assert.deepEqual(names(json.data[0].after.changed), ['openai/gpt-4o'])
  })

  test('of models.dev', async () => {
    const list = {
      local: {
        models: {
          'from-dev': {
            cost: { input: 0.29, output: 1.1, cache_read: 0.029 },
            limit: { context: 32768, output: 4096 },
            tool_call: true,
          },
        },
      },
      elsewhere: { models: { x: { cost: { input: 1, output: 1 } } } },
    }
    const { json } = await send('format=models.dev&dry_run=false', list)
    assert.deepEqual(names(json.added), ['local/from-dev'])
    const model = await get('local/from-dev')
    assert.deepEqual(
      [model.input_per_mtok, model.output_per_mtok, model.cached_input_per_mtok, model.context_window],
      ['0.29', '1.1', '0.029', 32768],
    )
    assert.deepEqual(model.capabilities, ['tools', 'prompt_caching'])
    assert.match(model.price_source, /^import:models\.dev:/)
  })
})

describe('our own formats', () => {
  const entries = [
    { provider: 'local', model: 'own-1', input_per_mtok: '0.10', output_per_mtok: '1' },
    { provider: 'local', model: 'own-2', context_window: 4096 },
    { provider: 'nobody', model: 'own-3', input_per_mtok: '1', output_per_mtok: '1' },
  ]

  test('the registry of switchyard.yaml as JSON', async () => {
    const { json } = await send('dry_run=false', entries)
    assert.deepEqual(names(json.added), ['local/own-1', 'local/own-2'])
    assert.equal(json.skipped[0].reason, "there is no provider 'nobody'")
    assert.equal((await get('local/own-1')).input_per_mtok, '0.1')
    assert.equal((await get('local/own-2')).input_per_mtok, null)
    assert.equal((await send('', entries)).json.unchanged, 2)
  })

  test('the list that the gateway is shipped with, dated as it is', async () => {
    const facts = JSON.parse(readFileSync('src/store/control/model-facts.json', 'utf8')) as Json
    const { status, json, text } = await send('dry_run=true', facts)
    assert.equal(status, 200, text)
    assert.equal(json.source, `import:switchyard:${facts.as_of}`)
    assert.deepEqual(json.added, [])
    assert.deepEqual(names(json.changed), ['openai/gpt-4o'], 'changed above; it would go back')
    assert.equal(json.unchanged, facts.models.length - 1)
  })

  const bad: [title: string, query: string, body: unknown, message: RegExp][] = [
    ['a price as a number', '', [{ provider: 'local', model: 'm', input_per_mtok: 1 }], /\[0\]\.input_per_mtok/],
    ['seven decimals', '', [{ provider: 'local', model: 'm', input_per_mtok: '0.0000001' }], /six decimals/],
    ['an unknown field', '', [{ provider: 'local', model: 'm', price: '1' }], /price/],
    ['text', '', '"a list"', /expected an array/i],
    ['facts without models', '', { as_of: '2026-01-01' }, /models/],
    ['a float in the facts', '', factsWith(1e-7), /not a price/],
    ['a list of the other kind', 'format=litellm', [], /format litellm/],
    ['a number', 'format=models.dev', '7', /format models\.dev/],
    ['an unknown format', 'format=csv', [], /format/],
    ['a bad dry_run', 'dry_run=maybe', [], /dry_run/],
    ['pairs that are none', 'format=litellm&providers=azure', {}, /providers/],
    ['a pair with an unknown provider', 'format=litellm&providers=azure:nobody', {}, /no provider 'nobody'/],
    ['no JSON', '', '{', /not valid JSON/],
  ]
  for (const [title, query, body, message] of bad) {
    test(`refuses ${title} with 400 and changes nothing`, async () => {
      const before = await whole()
      const answer = await send(`${query.includes('dry_run') ? '' : 'dry_run=false&'}${query}`, body)
      assert.equal(answer.status, 400, answer.text)
      assert.match(answer.json.error.message, message)
      assert.equal(await whole(), before)
    })
  }

  test('a body over MAX_BODY_BYTES is 413', async () => {
    assert.equal((await send('format=litellm', { a: 'x'.repeat(LIMIT) })).status, 413)
  })
})

function factsWith(price: number): unknown {
  const model = {
    provider: 'local',
    id: 'm',
    mode: 'chat',
    capabilities: [],
    deprecated: false,
    input_per_mtok: price,
    output_per_mtok: 1,
  }
  return { as_of: '2026-01-01', models: [model] }
}
