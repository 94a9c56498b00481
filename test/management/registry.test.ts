import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { perClass } from '../../src/domain/pricing/classes.ts'
import { compilePrice, costOf, parsePrices } from '../../src/domain/pricing/price.ts'
import { ADMIN_KEY, type Answered, type Harness, hello, type Json, newFolder, startHarness } from '../harness.ts'

const CONFIG = `
providers:
  local: { family: openai, base_url: \${SIMULATED}, api_key: local-key }
registry:
  - { provider: local, model: filed, input_per_mtok: "1", output_per_mtok: "2" }
workspaces:
  default:
    routes:
      local-a: { chain: [{ provider: local, model: gpt-priced-a }] }
      local-b: { chain: [{ provider: local, model: gpt-priced-b }] }
`

let harness: Harness
before(async () => {
  harness = await startHarness({ config: CONFIG })
})
after(() => harness.stop())

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(harness.url + path, {
    method,
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const json: Json = text === '' ? null : JSON.parse(text)
  return { status: response.status, json, text, etag: response.headers.get('etag') ?? '' }
}

const put = (path: string, body: unknown, headers?: Record<string, string>) =>
  ask('PUT', `/registry/${path}`, body, headers)
const get = (path: string) => ask('GET', `/registry/${path}`)
const history = async (path: string): Promise<Json[]> => (await get(`${path}/history`)).json.data

async function all(query: string): Promise<Json[]> {
  const found: Json[] = []
  let cursor: string | null = null
  do {
    const { status, json, text } = await ask(
      'GET',
      `/registry?limit=7${query}${cursor === null ? '' : `&cursor=${cursor}`}`,
    )
    assert.equal(status, 200, text)
    found.push(...json.data)
    cursor = json.next_cursor
  } while (cursor !== null)
  return found
}

describe('GET /registry', () => {
  test('pages through every model once, by provider and model', async () => {
    const names = (await all('')).map(({ provider, model }) => `${provider} ${model}`)
    assert.ok(names.length > 40)
    assert.deepEqual(names, [...new Set(names)].toSorted())
  })

  test('filters by provider, capability and whether a price is known', async () => {
    const everything = await all('')
    const keep = (wanted: (model: Json) => boolean) => everything.filter(wanted).map(({ model }) => model)
    const models = async (query: string) => (await all(query)).map(({ model }) => model)
    assert.deepEqual(
      await models('&provider=anthropic'),
      keep((model) => model.provider === 'anthropic'),
    )
    assert.deepEqual(
      await models('&capability=embedding'),
      keep((model) => model.capabilities.includes('embedding')),
    )
    assert.deepEqual(await models('&capability=Embedding'), [])
    assert.deepEqual(await models('&capability=%25'), [])
    const isPriced = (model: Json) => model.input_per_mtok !== null && model.output_per_mtok !== null
    assert.deepEqual(await models('&priced=true'), keep(isPriced))
    assert.deepEqual(
      await models('&priced=false'),
      keep((model) => !isPriced(model)),
    )
    assert.ok((await models('&priced=false')).length > 0)
  })

  for (const query of ['cursor=x', 'limit=0', 'priced=yes', 'provider=A', 'unknown=1']) {
    test(`refuses ?${query} with 400`, async () => assert.equal((await ask('GET', `/registry?${query}`)).status, 400))
  }
})

describe('GET /registry/{provider}/{model}', () => {
  test('shows a shipped model with its prices and who manages it', async () => {
    const { status, json, etag } = await get('openai/gpt-4o')
    assert.equal(status, 200)
    assert.deepEqual(
      [json.input_per_mtok, json.cached_input_per_mtok, json.output_per_mtok, json.cache_write_5m_per_mtok],
      ['2.5', '1.25', '10', null],
    )
    assert.equal(json.context_window, 128000)
    assert.equal(json.managed_by, 'builtin')
    assert.match(json.price_source, /^builtin:/)
    assert.ok(etag.length > 10)
  })

  test('is 404 for a model or provider that is not there', async () => {
    assert.equal((await get('openai/nothing')).status, 404)
    assert.equal((await get('nobody/gpt-4o')).status, 404)
    assert.equal((await get('openai/nothing/history')).status, 404)
  })
})

describe('PUT /registry/{provider}/{model}', () => {
  const prices = { input_per_mtok: '0.10', output_per_mtok: '0.400000' }

  test('creates with 201, answers one spelling of every price, notes who set it', async () => {
    const answer = await put('local/new-model', { ...prices, context_window: 8192, capabilities: ['tools'] })
    assert.equal(answer.status, 201, answer.text)
    const { json } = answer
    assert.deepEqual([json.input_per_mtok, json.output_per_mtok], ['0.1', '0.4'])
    assert.deepEqual([json.context_window, json.capabilities, json.mode], [8192, ['tools'], 'chat'])
    assert.deepEqual([json.price_source, json.managed_by], ['api:ADMIN_KEY', null])
    assert.deepEqual((await get('local/new-model')).json, json)
  })

  test('unchanged prices make no new version and no audit row; changed ones keep the old', async () => {
    await put('local/versions', prices)
    await put('local/versions', { input_per_mtok: '0.1', output_per_mtok: '0.4' })
    assert.equal((await history('local/versions')).length, 1)
    await put('local/versions', { ...prices, output_per_mtok: '0.5' })
    const versions = await history('local/versions')
    assert.deepEqual(
      versions.map((version) => version.output_per_mtok),
      ['0.5', '0.4'],
    )
    assert.ok(versions[0].id > versions[1].id)
    assert.ok(Date.parse(versions[0].created_at) >= Date.parse(versions[1].created_at))
    const { json } = await ask('GET', '/audit?resource=registry/local/versions')
    assert.deepEqual(
      json.data.map((entry: Json) => [
        entry.action,
        entry.before?.output_per_mtok ?? null,
        entry.after.output_per_mtok,
      ]),
      [
        ['registry.put', '0.4', '0.5'],
        ['registry.put', null, '0.4'],
      ],
    )
  })

  test('prices that are left out altogether stay; null says unknown', async () => {
    await put('local/partly', prices)
    assert.equal((await put('local/partly', { context_window: 4096 })).json.input_per_mtok, '0.1')
    const unknown = await put('local/partly', { input_per_mtok: null, output_per_mtok: null })
    assert.deepEqual([unknown.json.input_per_mtok, unknown.json.context_window], [null, null])
  })

  test('takes tiers, in the order of their thresholds', async () => {
    const tiers = [
      { prompt_tokens_above: 400_000, input_per_mtok: '4', output_per_mtok: '8' },
      { prompt_tokens_above: 200_000, input_per_mtok: '2', output_per_mtok: '4' },
    ]
    const { json } = await put('local/tiered', { input_per_mtok: '1', output_per_mtok: '2', tiers })
    assert.deepEqual(
      json.tiers.map((tier: Json) => [tier.prompt_tokens_above, tier.input_per_mtok, tier.cached_input_per_mtok]),
      [
        [200_000, '2', null],
        [400_000, '4', null],
      ],
    )
  })

  test('a shipped model keeps its facts when only prices are set, over a restart too', async () => {
    const folder = newFolder()
    let own = await startHarness({ folder })
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' }
    const read = async (path: string) => (await own.get(`/registry/openai/${path}`, headers)).json
    const write = (path: string, body: unknown) =>
      fetch(`${own.url}/registry/openai/${path}`, { method: 'PUT', headers, body: JSON.stringify(body) })
    try {
      const shipped = await read('gpt-4o')
      assert.equal((await write('gpt-4o', { input_per_mtok: '9', output_per_mtok: '99' })).status, 200)
      assert.equal((await write('gpt-4.1', { note: 'ours now' })).status, 200)
      await own.stop()
      own = await startHarness({ folder })
      const priced = await read('gpt-4o')
      assert.deepEqual([priced.input_per_mtok, priced.output_per_mtok, priced.managed_by], ['9', '99', 'builtin'])
      assert.deepEqual([priced.capabilities, priced.context_window], [shipped.capabilities, shipped.context_window])
      const noted = await read('gpt-4.1')
      assert.deepEqual([noted.note, noted.managed_by, noted.input_per_mtok], ['ours now', null, '2'])
    } finally {
      await own.stop()
    }
  })

  test('takes an id with slashes, percent-encoded', async () => {
    assert.equal((await put('local/org%2Fmodel%3Av1', prices)).status, 201)
    assert.equal((await get('local/org%2Fmodel%3Av1')).json.model, 'org/model:v1')
    assert.equal((await history('local/org%2Fmodel%3Av1')).length, 1)
  })

  test('a stale If-Match is 412', async () => {
    const { etag } = await put('local/matched', prices)
    assert.equal((await put('local/matched', { ...prices, note: 'a' }, { 'if-match': etag })).status, 200)
    assert.equal((await put('local/matched', { ...prices, note: 'b' }, { 'if-match': etag })).status, 412)
    assert.equal((await get('local/matched')).json.note, 'a')
  })

  const bad: [title: string, path: string, body: unknown, status: number, message: RegExp][] = [
    ['a price as a number', 'local/bad', { input_per_mtok: 0.1 }, 400, /input_per_mtok/],
    ['a negative price', 'local/bad', { input_per_mtok: '-1' }, 400, /input_per_mtok/],
    ['seven decimals', 'local/bad', { input_per_mtok: '0.0000001' }, 400, /six decimals/],
    ['a price with an exponent', 'local/bad', { output_per_mtok: '1e-7' }, 400, /output_per_mtok/],
    ['an unknown field', 'local/bad', { input: '1' }, 400, /input/],
    ['a tier at zero', 'local/bad', { tiers: [{ prompt_tokens_above: 0 }] }, 400, /tiers\[0\]/],
    ['a window of text', 'local/bad', { context_window: '8192' }, 400, /context_window/],
    ['a provider in the body', 'local/bad', { provider: 'local' }, 400, /provider/],
    ['an unknown provider', 'nobody/bad', prices, 404, /no provider 'nobody'/],
    ['a row of the file', 'local/filed', prices, 409, /switchyard\.yaml/],
  ]
  for (const [title, path, body, status, message] of bad) {
    test(`refuses ${title} with ${status} and changes nothing`, async () => {
      const answer = await put(path, body)
      assert.equal(answer.status, status, answer.text)
      assert.match(answer.json.error.message, message)
      assert.equal((await get('local/bad')).status, 404)
      assert.equal((await get('local/filed')).json.input_per_mtok, '1')
    })
  }
})

describe('GET /registry/{provider}/{model}/history', () => {
  test('pages from the newest to the oldest', async () => {
    for (let price = 1; price <= 5; price++)
      await put('local/many', { input_per_mtok: `${price}`, output_per_mtok: '1' })
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const { json } = await get(`local/many/history?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`)
      seen.push(...json.data.map((version: Json) => version.input_per_mtok))
      cursor = json.next_cursor
    } while (cursor !== null)
    assert.deepEqual(seen, ['5', '4', '3', '2', '1'])
  })
})

describe('prices changed while calls run', () => {
  test('every row costs its tokens at the version it began with, to the picodollar; earlier rows never change', async () => {
    const models = ['gpt-priced-a', 'gpt-priced-b']
    const setPrice = (step: number) =>
      Promise.all(
        models.map((model, index) =>
          put(`local/${model}`, {
            input_per_mtok: `${step}.${String(step * 7 + index).padStart(6, '0')}`,
            output_per_mtok: `${step * 3}.00000${(step + index) % 10}`,
          }),
        ),
      )
    await setPrice(1)
    const call = (count: number): Promise<Answered[]> =>
      Promise.all(
        Array.from({ length: count }, (_, index) =>
          harness.chat(hello(index % 2 === 0 ? 'local-a' : 'local-b', { max_tokens: 5 + (index % 9) })),
        ),
      )
    const first = await call(6)
    const early = await Promise.all(first.map((answer) => harness.rowOf(answer)))

    const answers: Answered[] = []
    for (let step = 2; step <= 9; step++) {
      const [, answered] = await Promise.all([setPrice(step), call(8)])
      answers.push(...answered)
    }
    assert.ok(answers.every((answer) => answer.status === 200))

    const rows = (await harness.rows()).filter((row) => models.includes(String(row['model'])))
    const versions = await harness.gateway.store.db.selectFrom('price_versions').selectAll().execute()
    const byId = new Map(versions.map((version) => [version.id, version]))
    let expected = 0n
    let frozen = 0n
    for (const row of rows) {
      const version = byId.get(Number(row['price_version']))
      assert.equal(version?.model, row['model'])
      const tokens = (name: string) => Number(row[name] ?? 0)
      const cost = costOf(
        {
          ...perClass('name', ({ column }) => tokens(column)),
          reasoning: tokens('reasoning_tokens'),
          pricePercent: tokens('price_percent'),
        },
        compilePrice(parsePrices(version?.prices ?? '')),
      )
      expected += cost ?? 0n
      frozen += BigInt(row['cost_picodollars'] as number | bigint)
    }
    assert.equal(rows.length, 6 + 8 * 8)
    assert.equal(frozen, expected)
    assert.ok(frozen > 0n)
    assert.ok(new Set(rows.map((row) => row['price_version'])).size > 4, 'the prices did change under the calls')
    const late = await Promise.all(first.map((answer) => harness.rowOf(answer)))
    assert.deepEqual(late, early)
  })

  test('the next call after the answer has the new price', async () => {
    for (const output of ['5', '6', '7']) {
      const { json } = await put('local/gpt-priced-a', { input_per_mtok: '0', output_per_mtok: output })
      const row = await harness.rowOf(await harness.chat(hello('local-a')))
      assert.equal(row['price_version'], json.price_version)
      assert.equal(
        BigInt(row['cost_picodollars'] as number),
        BigInt(Number(row['completion_tokens'])) * BigInt(output) * 1_000_000n,
      )
    }
  })
})

describe('prices per use', () => {
  const search = { name: 'web_search', unit: 'call', usd_per_1000: '10.50' }

  test('are part of a version; left out they are the shipped ones, and an empty list means none', async () => {
    const first = await put('local/tools', { input_per_mtok: '1', output_per_mtok: '2', unit_prices: [search] })
    assert.deepEqual(first.json.unit_prices, [{ ...search, usd_per_1000: '10.5' }])
    const { json: again } = await put('local/tools', { unit_prices: [{ ...search, usd_per_1000: '10.5' }] })
    assert.equal(again.price_version > first.json.price_version, true, 'prices are one list: tokens became unknown')
    const shipped = await put('openai/gpt-4o', { input_per_mtok: '1', output_per_mtok: '2' })
    assert.deepEqual(
      shipped.json.unit_prices.map(({ name, usd_per_1000 }: Json) => `${name} ${usd_per_1000}`),
      ['code_interpreter 30', 'file_search 2.5', 'web_search 10', 'web_search_preview 25'],
    )
    const none = await put('openai/gpt-4o', { input_per_mtok: '1', output_per_mtok: '2', unit_prices: [] })
    assert.deepEqual(none.json.unit_prices, [])
    const versions = await history('openai/gpt-4o')
    assert.deepEqual(
      versions.map(({ unit_prices }) => unit_prices.length),
      [0, 4, 4],
    )
  })

  const wrong: [unit: unknown, words: RegExp][] = [
    [{ ...search, usd_per_1000: '0.0000001' }, /six decimals/],
    [{ ...search, unit: 'fortnight' }, /unit_prices\[0\].unit/],
    [{ ...search, name: 'Web Search' }, /small letters/],
  ]
  for (const [unit, words] of wrong) {
    test(`${JSON.stringify(unit)} is refused`, async () => {
      const { status, text } = await put('local/tools', { unit_prices: [unit] })
      assert.equal(status, 400)
      assert.match(text, words)
    })
  }

  test('a name is there once', async () => {
    const { status, text } = await put('local/tools', { unit_prices: [search, search] })
    assert.equal(status, 400)
    assert.match(text, /twice/)
  })
})
