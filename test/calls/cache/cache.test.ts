import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import OpenAI from 'openai'
import { KEY, type Row } from '../../harness.ts'
import { hard, newKey, statusOf } from '../../limits/limited.ts'
import { CHAT, CONFIG, fresh, KEYS, startWorld, verdict, type World } from './world.ts'

let now = Date.now()
const world: World = await startWorld({ now: () => now })
after(() => world.stop())

const upstream = () => world.upstream().length
/** Without what names the call. */
const withoutId = (text: string, id: string | null) => text.replaceAll((id ?? '').replace(/^[a-z]+_/, ''), 'ID')
const idOf = (answer: { headers: Headers }) => answer.headers.get('x-gateway-request-id')

describe('a repeated request', () => {
  test('gets the same answer at no cost, with a row and an id of its own', async () => {
    const body = fresh('own')
    const first = await world.chat(body)
    const before = upstream()
    const second = await world.chat(body)
    assert.deepEqual([verdict(first), verdict(second), upstream() - before], ['miss', 'hit', 0])
    assert.equal(second.json.id, idOf(second))
    assert.notEqual(second.json.id, first.json.id)
    assert.equal(withoutId(second.text, idOf(second)), withoutId(first.text, idOf(first)))
    for (const name of ['provider', 'model', 'fallback-used']) {
      assert.equal(second.headers.get(`x-gateway-${name}`), first.headers.get(`x-gateway-${name}`))
    }
    assert.equal(second.headers.get('x-gateway-cost-usd'), '0.000000')
    assert.equal(second.headers.get('x-gateway-latency-ms'), '0')
    const [paid, free] = [await world.rowOf(first), await world.rowOf(second)]
    assert.ok(Number(paid['cost_picodollars']) > 0)
    assert.deepEqual(pick(paid, 'cache', 'saved_picodollars', 'answer_of'), ['miss', null, null])
    assert.deepEqual(pick(free, 'cache', 'saved_picodollars', 'answer_of'), ['hit', paid['cost_picodollars'], paid.id])
    assert.deepEqual(pick(free, 'status', 'code', 'cost_picodollars', 'hold_picodollars'), [200, null, 0, 0])
    assert.deepEqual(pick(free, 'prompt_tokens', 'completion_tokens', 'attempts'), [null, null, '[]'])
    assert.deepEqual(pick(free, 'route', 'provider', 'model'), ['own', 'openai', 'gpt-plain'])
  })

  test('is not stored twice: what is given again was paid once, however often', async () => {
    const body = fresh('own')
    const first = await world.chat(body)
    for (let repeat = 0; repeat < 3; repeat++) {
      const hit = await world.rowOf(await world.chat(body))
      assert.equal(hit['answer_of'], idOf(first))
    }
  })

  test('asks again when its time is over', async () => {
    const body = fresh('long')
    await world.chat(body)
    now += 3_600_000
    assert.equal(verdict(await world.chat(body)), 'hit')
    now += 3_600_000
    assert.equal(verdict(await world.chat(body)), 'miss')
    assert.equal(verdict(await world.chat(body)), 'hit')
  })

  test('of a route without a cache says nothing of one', async () => {
    const body = fresh('plain')
    for (const answer of [await world.chat(body), await world.chat(body)]) {
      assert.equal(verdict(answer), null)
      assert.equal((await world.rowOf(answer))['cache'], null)
    }
  })

  test('asks again when its caller wants it', async () => {
    const body = fresh('own')
    const first = await world.chat(body)
    for (const headers of [{ 'cache-control': 'no-store' }, { 'x-gateway-cache': 'bypass' }]) {
      const answer = await world.chat(body, headers)
      assert.equal(verdict(answer), 'bypass')
      assert.equal((await world.rowOf(answer))['cache'], 'bypass')
    }
    assert.equal((await world.rowOf(await world.chat(body)))['answer_of'], idOf(first))
    const refreshed = await world.chat(body, { 'cache-control': 'max-age=0, no-cache' })
    assert.equal(verdict(refreshed), 'bypass')
    assert.equal((await world.rowOf(await world.chat(body)))['answer_of'], idOf(refreshed))
  })

  test('with an Idempotency-Key gets the answer of its key, and keeps one that was stored', async () => {
    const body = fresh('own')
    await world.chat(body)
    const headers = { 'idempotency-key': `cache-${body.user}` }
    const hit = await world.chat(body, headers)
    const replay = await world.chat(body, headers)
    assert.deepEqual([verdict(hit), verdict(replay)], ['hit', 'hit'])
    assert.equal(replay.headers.get('x-gateway-idempotent-replay'), 'true')
    assert.equal(idOf(replay), idOf(hit))
  })

  test('of embeddings gets the same vectors', async () => {
    const body = { model: 'vectors', input: `text ${Math.random()}` }
    const [first, second] = [await world.embed(body), await world.embed(body)]
    assert.deepEqual([verdict(first), verdict(second)], ['miss', 'hit'])
    assert.equal(second.text, first.text)
  })

  test('of a body that a worker reads is found by its bytes, too', async () => {
    const body = fresh('own', { messages: [{ role: 'user', content: 'long '.repeat(40_000) }] })
    const [first, second] = [await world.chat(body), await world.chat(body)]
    assert.deepEqual([verdict(first), verdict(second)], ['miss', 'hit'])
    assert.equal(second.json.id, idOf(second))
  })
})

describe('a stream', () => {
  for (const [path, more] of [
    [CHAT, { stream_options: { include_usage: true } }],
    ['/v1/messages', { max_tokens: 50 }],
    ['/v1/responses', {}],
  ] as const) {
    for (const route of ['own', 'claude']) {
      test(`of ${path} over ${route} is replayed with the same events`, async () => {
        const said = { role: 'user', content: `say ${Math.random()}` }
        const body = {
          model: route,
          ...(path === '/v1/responses' ? { input: [said] } : { messages: [said] }),
          stream: true,
          ...more,
        }
        const first = await world.post(path, body)
        const second = await world.post(path, body)
        assert.deepEqual([verdict(first), verdict(second)], ['miss', 'hit'])
        assert.match(second.headers.get('content-type') ?? '', /^text\/event-stream/)
        const neutral = (answer: typeof first) =>
          withoutId(answer.text, idOf(answer)).replace(/"latency_ms":\d+,"cost_usd":"[\d.]+"/, 'FIGURES')
        assert.equal(neutral(second), neutral(first))
        assert.match(second.text, /"latency_ms":0,"cost_usd":"0\.000000"/)
        assert.doesNotMatch(first.text, /"cost_usd":"0\.000000"/)
        const row = await world.rowOf(second)
        const paid = await world.rowOf(first)
        assert.deepEqual(pick(row, 'streamed', 'ended', 'events_sent'), [1, 'finished', paid['events_sent']])
        assert.deepEqual(pick(row, 'cost_picodollars', 'saved_picodollars'), [0, paid['cost_picodollars']])
      })
    }
  }

  test('is no answer to a request for a whole one, nor the reverse', async () => {
    const body = fresh('own')
    await world.chat(body)
    assert.equal(verdict(await world.chat({ ...body, stream: true })), 'miss')
  })

  test('is read by an official client', async () => {
    const client = new OpenAI({ apiKey: KEY, baseURL: `${world.url}/v1` })
    const ask = async () => {
      const stream = await client.chat.completions.create({
        model: 'own',
        messages: [{ role: 'user', content: 'the official client' }],
        stream: true,
      })
      const read = { said: '', id: '' }
      for await (const { id, choices } of stream) {
        read.said += choices[0]?.delta.content ?? ''
        read.id = id
      }
      return read
    }
    const [first, before] = [await ask(), upstream()]
    const second = await ask()
    assert.equal(upstream(), before)
    assert.equal(second.said, first.said)
    assert.notEqual(second.said, '')
    assert.notEqual(second.id, first.id)
  })
})

describe('what is not stored', () => {
  const again = async (body: unknown, path = CHAT, key = KEY) => {
    await world.post(path, body, key)
    return world.post(path, body, key)
  }

  test('an error', async () => {
    const answer = await again(fresh('fails'))
    assert.deepEqual([answer.status >= 500, verdict(answer)], [true, 'miss'])
  })

  test('the answer of a fallback', async () => {
    const answer = await again(fresh('falls'))
    assert.deepEqual([answer.headers.get('x-gateway-fallback-used'), verdict(answer)], ['true', 'miss'])
  })

  test('a stream that was cut', async () => {
    const body = { ...fresh('cut'), stream: true }
    world.simulator.script('gpt-sim-stream-cut', [
      { stream: { steps: [{ play: 'first' }, 'reset'] } },
      { stream: { steps: [{ play: 'first' }, 'reset'] } },
    ])
    assert.equal(verdict(await again(body)), 'miss')
  })

  test('an answer that the rest of a budget has shortened', async () => {
    const { headers } = await newKey(world, { budget: { usd: '0.01', per: 'total', mode: 'hard', when_tight: 'fit' } })
    const body = fresh('fitted')
    const short = await world.chat(body, headers)
    assert.match(short.headers.get('x-gateway-adjusted') ?? '', /fitted_to_budget/)
    assert.equal(verdict(await world.chat(body, headers)), 'miss')
  })

  const tool = { type: 'function', function: { name: 'act', parameters: { type: 'object', properties: {} } } }
  test('a request with tools, unless its route says so', async () => {
    assert.equal(verdict(await again({ ...fresh('own'), tools: [tool] })), 'bypass')
    assert.equal(verdict(await again({ ...fresh('acts'), tools: null })), 'hit')
    const acted = await again({ ...fresh('acts'), tools: [tool] })
    assert.equal(verdict(acted), 'hit')
    assert.equal(acted.json.choices[0].message.tool_calls[0].function.name, 'act')
  })

  test('a large request with tools, wherever they are declared', async () => {
    const long = 'long '.repeat(40_000)
    const input = [{ role: 'user', content: long }]
    const declared = { type: 'function', name: 'act', parameters: { type: 'object', properties: {} } }
    assert.equal(verdict(await again({ model: 'own', input, tools: [declared] }, '/v1/responses')), 'bypass')
    assert.equal(
      verdict(await again({ model: 'own', input, tools: [{ type: 'web_search' }] }, '/v1/responses')),
      'bypass',
    )
    const later = [...input, { type: 'additional_tools', tools: [declared] }]
    assert.equal(verdict(await again({ model: 'own', input: later }, '/v1/responses')), 'bypass')
  })

  test('a request that depends on what the provider keeps', async () => {
    for (const state of [{ previous_response_id: 'resp_1' }, { conversation: 'conv_1' }, { prompt: { id: 'p' } }]) {
      assert.equal(verdict(await again({ model: 'own', input: 'hi', ...state }, '/v1/responses')), 'bypass')
    }
  })
})

describe('limits', () => {
  test('a hit holds and spends nothing, and passes a budget that is used up', async () => {
    const { headers, scope } = await newKey(world, { budget: { usd: '0.003', per: 'total', mode: 'hard' } })
    const body = { ...fresh('shared'), max_tokens: 500 }
    await world.chat(body, headers)
    const { periods } = await statusOf(world, scope)
    assert.ok(periods.total.spent > 0n)
    assert.equal(verdict(await world.chat(body, headers)), 'hit')
    assert.deepEqual((await statusOf(world, scope)).periods, periods)
    const refused = await world.chat({ ...fresh('shared'), max_tokens: 4000 }, headers)
    assert.equal(refused.status, 402)
  })

  test('a hit counts as a request of its minute', async () => {
    const { headers } = await newKey(world, { rpm: 2 })
    const body = fresh('own')
    assert.equal(verdict(await world.chat(body, headers)), 'miss')
    assert.equal(verdict(await world.chat(body, headers)), 'hit')
    const refused = await world.chat(body, headers)
    assert.deepEqual([refused.status, refused.json.error.code], [429, 'key_rate_limited'])
  })
})

describe('who may not have it', () => {
  test('another key, unless the route shares it within its workspace; never another workspace', async () => {
    for (const route of ['own', 'shared']) {
      const body = fresh(route)
      await world.post(CHAT, body, KEYS.first)
      const second = await world.post(CHAT, body, KEYS.second)
      assert.equal(verdict(second), route === 'shared' ? 'hit' : 'miss')
      assert.equal(verdict(await world.post(CHAT, body, KEYS.other)), 'miss')
    }
  })

  test('a key with an output limit of its own', async () => {
    const body = fresh('shared')
    await world.post(CHAT, body, KEYS.first)
    assert.equal(verdict(await world.post(CHAT, body, KEYS.short)), 'miss')
  })

  test('a key that is paused or may not use the model', async () => {
    const { headers, id } = await newKey(world, {})
    const body = fresh('shared')
    await world.chat(body, headers)
    await world.manage('PATCH', `/keys/${id}`, { allowed_models: ['plain'] })
    assert.equal((await world.chat(body, headers)).status, 403)
    await world.manage('PATCH', `/keys/${id}`, { allowed_models: null, paused: true })
    assert.equal((await world.chat(body, headers)).status, 403)
  })
})

describe('a route that changes', () => {
  const put = (more: object) =>
    world.manage('PUT', '/routes/moving?workspace=default', {
      chain: [{ provider: 'openai', model: 'gpt-plain' }],
      cache: { ttl_seconds: 60 },
      ...more,
    })

  test('does not answer as it did before: neither changed, purged nor deleted and made again', async () => {
    const body = fresh('moving')
    const stays = async () => verdict(await world.chat(body))
    assert.equal((await put({})).status, 201)
    assert.deepEqual([await stays(), await stays()], ['miss', 'hit'])
    await put({ description: 'the same' })
    assert.equal(await stays(), 'hit')
    await put({ chain: [{ provider: 'anthropic', model: 'claude-plain' }] })
    assert.deepEqual([await stays(), await stays()], ['miss', 'hit'])
    await put({ chain: [{ provider: 'anthropic', model: 'claude-plain' }], cache: { ttl_seconds: 61 } })
    assert.deepEqual([await stays(), await stays()], ['miss', 'hit'])
    const purged = await world.manage('DELETE', '/routes/moving/cache?workspace=default')
    assert.equal(purged.status, 200)
    assert.ok(Date.parse(purged.json.cache_purged_at) > 0)
    assert.deepEqual([await stays(), await stays()], ['miss', 'hit'])
    await world.manage('DELETE', '/routes/moving?workspace=default')
    now += 1
    await put({ chain: [{ provider: 'anthropic', model: 'claude-plain' }], cache: { ttl_seconds: 61 } })
    assert.equal(await stays(), 'miss')
    const { json } = await world.manage('GET', '/routes/moving?workspace=default')
    assert.deepEqual([json.cache, json.cache_purged_at], [{ ttl_seconds: 61 }, null])
    await put({ cache: undefined })
    assert.equal(await stays(), null)
  })

  test('as its provider does', async () => {
    const provider = { family: 'openai', base_url: world.simulator.openaiUrl, api_key: 'sk-one' }
    await world.manage('PUT', '/providers/moved', provider)
    await put({ chain: [{ provider: 'moved', model: 'gpt-plain' }] })
    const body = fresh('moving')
    assert.deepEqual([verdict(await world.chat(body)), verdict(await world.chat(body))], ['miss', 'hit'])
    await world.manage('PUT', '/providers/moved', { ...provider, headers: { 'x-tenant': 'another' } })
    assert.equal(verdict(await world.chat(body)), 'miss')
  })

  test('as what is known of its model does, but for its price', async () => {
    const know = (facts: object) => world.manage('PUT', '/registry/anthropic/claude-moving', facts)
    const known = { input_per_mtok: '1', output_per_mtok: '5', max_output_tokens: 900 }
    await know(known)
    await put({ chain: [{ provider: 'anthropic', model: 'claude-moving', max_output_tokens: 1000 }] })
    const body = fresh('moving')
    const twice = async () => [verdict(await world.chat(body)), verdict(await world.chat(body))]
    assert.deepEqual(await twice(), ['miss', 'hit'])
    assert.equal(world.sent().max_tokens, 900)
    await know({ ...known, input_per_mtok: '2' })
    assert.deepEqual(await twice(), ['hit', 'hit'])
    for (const facts of [{ max_output_tokens: 800 }, { context_window: 50_000 }, { efforts: ['low'] }]) {
      assert.equal((await know({ ...known, ...facts })).status, 200)
      assert.deepEqual(await twice(), ['miss', 'hit'], JSON.stringify(facts))
      assert.equal(world.sent().max_tokens, facts.max_output_tokens ?? 900)
    }
    await know({ ...known, mode: 'embedding' })
    assert.equal((await world.chat(body)).status, 400)
  })

  test('as what its provider charges does, under a hard budget', async () => {
    const strict = await newKey(world, hard(10n ** 12n))
    await put({ cache: { ttl_seconds: 60, scope: 'workspace' } })
    const body = fresh('moving')
    const verdicts = async () => [verdict(await world.chat(body)), verdict(await world.chat(body, strict.headers))]
    assert.deepEqual(await verdicts(), ['miss', 'miss'])
    assert.deepEqual(await verdicts(), ['hit', 'hit'])
    const charges = (percent: number | null) =>
      world.manage('PUT', '/providers/openai/price-percent', { price_percent: percent })
    assert.equal((await charges(200)).status, 200)
    assert.deepEqual(await verdicts(), ['hit', 'miss'])
    await charges(null)
    assert.deepEqual(await verdicts(), ['hit', 'hit'])
  })

  test('one of the file is purged, too', async () => {
    const body = fresh('own')
    await world.chat(body)
    assert.equal((await world.manage('DELETE', '/routes/own/cache?workspace=default')).status, 200)
    assert.equal(verdict(await world.chat(body)), 'miss')
  })
})

test('what was saved is summed, found and explained', async () => {
  const { headers, id } = await newKey(world, {})
  const body = fresh('shared')
  const paid = await world.chat(body, headers)
  const hit = await world.chat(body, headers)
  const cost = (await world.manage('GET', `/requests/${idOf(paid)}`)).json.cost_usd
  const { total } = (await world.manage('GET', `/usage?key=${id}&from=${new Date(now - 60_000).toISOString()}`)).json
  assert.deepEqual([total.requests, total.cache_hits, total.saved_usd, total.cost_usd], [2, 1, cost, cost])
  const { data } = (await world.manage('GET', `/requests?key=${id}&cache=hit`)).json
  assert.deepEqual(
    data.map((row: Row) => [row.id, row['saved_usd'], row['answer_of']]),
    [[idOf(hit), cost, idOf(paid)]],
  )
  const explained = (await world.manage('GET', `/requests/${idOf(hit)}/explain`)).json
  assert.match(explained.steps.join('\n'), new RegExp(`had the answer of request ${idOf(paid)}`))
  assert.deepEqual(explained.cost_lines, [`a stored answer costs nothing: it had cost ${cost} USD`])
  const future = (await world.manage('POST', '/routes/shared/explain?workspace=default', body)).json
  assert.match(future.note, /same bytes gets the answer of an earlier one of its workspace, for 60 s/)
  const metrics = (await world.get('/metrics')).text
  assert.match(metrics, /switchyard_cache_lookups_total\{route="shared",verdict="hit"\} [1-9]/)
})

test('nothing of an answer or a prompt is on disk, and a restart begins empty', async () => {
  const secret = 'a-sentence-that-nobody-else-says'
  const echo = await startWorld({ config: CONFIG.replaceAll('gpt-plain', 'gpt-sim-echo') })
  const body = { model: 'own', messages: [{ role: 'user', content: secret }] }
  await echo.chat(body)
  const hit = await echo.chat(body)
  assert.equal(verdict(hit), 'hit')
  assert.ok(hit.text.includes(secret))
  await echo.rows()
  for (const file of filesUnder(echo.folder)) assert.ok(!readFileSync(file).includes(secret), file)
  await echo.gateway.stop()
  const again = await startWorld({ config: CONFIG.replaceAll('gpt-plain', 'gpt-sim-echo'), folder: echo.folder })
  assert.equal(verdict(await again.chat(body)), 'miss')
  await again.stop()
  await echo.stop()
})

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
}

function pick(row: Row, ...names: string[]): unknown[] {
  return names.map((name) => row[name])
}
