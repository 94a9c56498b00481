import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { TokenUsage } from '../../src/domain/pricing/usage.ts'
import type { CloseRecord } from '../../src/request-log/record.ts'
import { addPriceVersion, newestPriceVersion } from '../../src/store/control/registry.ts'
import { type Answered, type Harness, hello, type Json, KEY, startHarness } from '../harness.ts'
import { closeRecord } from '../test-store.ts'
import { managing } from './manage.ts'

const CONFIG = `
workspaces:
  default:
    routes:
      resilient:
        chain:
          - { provider: openai, model: gpt-sim-503, retries: 0 }
          - { provider: anthropic, model: claude-sim-echo }
      broken: { chain: [{ provider: openai, model: gpt-sim-503, retries: 1 }] }
registry:
  - { provider: anthropic, model: claude-sim-echo, input_per_mtok: "2.5", output_per_mtok: "15" }
  - provider: openai
    model: gpt-sim-echo
    input_per_mtok: "1.25"
    cached_input_per_mtok: "0.125"
    output_per_mtok: "10"
    tiers: [{ prompt_tokens_above: 200000, input_per_mtok: "2.5", output_per_mtok: "15" }]
`

let harness: Harness
before(async () => {
  harness = await startHarness({ config: CONFIG })
})
after(() => harness.stop())

const manage = managing(() => harness)
const list = async (query = '') => (await manage('GET', `/requests${query}`)).json
const idOf = (answer: Answered) => answer.headers.get('x-gateway-request-id') ?? ''
const ids = (page: Json): string[] => page.data.map((request: Json) => request.id)

/** A row of the log as the gateway would write it. */
async function logged(id: string, change: Partial<CloseRecord>): Promise<void> {
  await harness.gateway.store.requestLog.close(
    closeRecord(id, { costPicodollars: null, priceVersion: null, ...change }),
  )
}

describe('get', () => {
  test('finds a request as soon as it is answered, with its attempts', async () => {
    const answer = await harness.chat(hello('resilient'))
    const { status, json } = await manage('GET', `/requests/${idOf(answer)}`)
    assert.equal(status, 200)
    assert.deepEqual(
      [json.state, json.workspace, json.key_name, json.route, json.requested_model, json.provider, json.model],
      ['closed', 'default', 'GATEWAY_KEY', 'resilient', 'resilient', 'anthropic', 'claude-sim-echo'],
    )
    assert.deepEqual([json.status, json.code, json.fallback, json.attempt_count], [200, null, true, 2])
    assert.equal(json.usage.total_tokens, answer.json.usage.total_tokens)
    assert.equal(Number(json.cost_usd).toFixed(6), answer.headers.get('x-gateway-cost-usd'))
    assert.deepEqual(
      json.attempts.map((attempt: Json) => [attempt.kind, attempt.provider, attempt.status, attempt.code]),
      [
        ['called', 'openai', 503, 'provider_overloaded'],
        ['called', 'anthropic', 200, null],
      ],
    )
    assert.match(json.attempts[0].reason, /cannot serve the call now/)
  })

  test('shows the Idempotency-Key that a call came with', async () => {
    const answer = await harness.chat(hello('gpt-sim-echo'), { 'idempotency-key': 'order-7' })
    const shown = async (id: string | null) => (await manage('GET', `/requests/${id}`)).json.idempotency_key
    assert.equal(await shown(answer.headers.get('x-gateway-request-id')), 'order-7')
    const plain = await harness.chat(hello('gpt-sim-echo'))
    assert.equal(await shown(plain.headers.get('x-gateway-request-id')), null)
  })

  test('answers 404 for an id that is not in the log', async () => {
    const { status, json } = await manage('GET', '/requests/chatcmpl_nothing')
    assert.deepEqual([status, json.error.code], [404, 'not_found'])
    assert.match(json.error.message, /chatcmpl_nothing/)
  })

  test('takes an admin key only', async () => {
    const asked = await harness.get('/requests', { authorization: `Bearer ${KEY}` })
    assert.deepEqual([asked.status, asked.json.error.code], [403, 'forbidden'])
    assert.equal((await harness.get('/requests', {})).status, 401)
  })
})

describe('list', () => {
  before(async () => {
    const usage = {
      input: 1,
      cachedInput: 0,
      cacheWrite5m: 0,
      cacheWrite30m: 0,
      cacheWrite1h: 0,
      audioInput: 0,
      imageInput: 0,
      audioOutput: 0,
      imageOutput: 0,
      output: 1,
    }
    const common = { workspace: 'listed', usage: { ...usage, reasoning: 0, pricePercent: 100 } }
    await logged('listed-1', { ...common, startedAt: Date.parse('2026-01-01T10:00:00Z'), costPicodollars: '1' })
    await logged('listed-2', {
      ...common,
      startedAt: Date.parse('2026-01-01T11:00:00Z'),
      finishedAt: Date.parse('2026-01-01T11:00:00.250Z'),
      route: null,
      keyId: 'key-2',
      model: 'other',
    })
    await logged('listed-3', {
      ...common,
      startedAt: Date.parse('2026-01-02T00:00:00Z'),
      status: 429,
      code: 'rate_limited',
      usage: null,
      provider: 'second',
    })
    await logged('listed-4', {
      ...common,
      startedAt: Date.parse('2026-01-02T00:00:00.001Z'),
      finishedAt: Date.parse('2026-01-02T00:01:30.001Z'),
      fallback: true,
      costPicodollars: '2000000000000',
      streamed: true,
      ended: 'finished',
      firstContentMs: 320,
      eventsSent: 12,
    })
  })

  for (const [query, expected] of [
    ['', [4, 3, 2, 1]],
    ['from=2026-01-02', [4, 3]],
    ['from=2026-01-02T00:00:00.001Z', [4]],
    ['to=2026-01-02', [2, 1]],
    ['from=2026-01-01T12:30:00%2B02:00&to=2026-01-02T00:00:00.001Z', [3, 2]],
    ['route=fast', [4, 3, 1]],
    ['route=', [2]],
    ['model=other', [2]],
    ['provider=second', [3]],
    ['key=key-2', [2]],
    ['key=key-2&route=fast', []],
    ['status=429', [3]],
    ['status=200', [4, 2, 1]],
    ['status=ok', [4, 2, 1]],
    ['status=error', [3]],
    ['code=rate_limited', [3]],
    ['code=interrupted', []],
    ['fallback=true', [4]],
    ['fallback=false', [3, 2, 1]],
    ['min_cost_usd=2', [4]],
    ['min_cost_usd=0.000000000001', [4, 1]],
    ['min_cost_usd=2.000000000001', []],
    ['min_cost_usd=99999999999999999999', []],
    ['min_duration_ms=250', [4, 2]],
    ['min_duration_ms=251', [4]],
    ['max_duration_ms=250', [3, 2, 1]],
    ['min_duration_ms=1&max_duration_ms=250', [2]],
    ['sort=slowest', [4, 2, 3, 1]],
    ['sort=slowest&status=ok&to=2026-01-02', [2, 1]],
    ['sort=newest', [4, 3, 2, 1]],
    ['streamed=true', [4]],
    ['streamed=false', [3, 2, 1]],
    ['ended=finished', [4]],
    ['ended=caller_left', []],
    ['status=ok&fallback=false&route=fast', [1]],
    ['after=listed-2', [4, 3]],
    ['after=listed-4', []],
    ['after=listed-1&status=ok', [4, 2]],
    ['after=listed-1&key=key-2', [2]],
    ['after=listed-1&from=2026-01-02&to=2026-01-02T00:00:00.001Z', [3]],
  ] as const) {
    test(`with ${query || 'no filter'} shows ${expected.join(', ') || 'nothing'}`, async () => {
      const page = await list(`?workspace=listed&${query}`)
      assert.deepEqual(
        ids(page),
        expected.map((number) => `listed-${number}`),
      )
      assert.deepEqual([page.next_cursor, page.searched_to], [null, null])
    })
  }

  test('pages lead from the newest to the oldest, each request once', async () => {
    const seen: string[] = []
    let cursor = ''
    do {
      const page = await list(`?workspace=listed&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`)
      assert.ok(page.data.length <= 1)
      seen.push(...ids(page))
      cursor = page.next_cursor ?? ''
    } while (cursor !== '')
    assert.deepEqual(seen, ['listed-4', 'listed-3', 'listed-2', 'listed-1'])
  })

  test('pages lead from the slowest to the fastest, each request once', async () => {
    const seen: [string, number][] = []
    let cursor = ''
    do {
      const page = await list(`?workspace=listed&sort=slowest&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`)
      seen.push(...page.data.map((request: Json) => [request.id, request.duration_ms]))
      cursor = page.next_cursor ?? ''
    } while (cursor !== '')
    assert.deepEqual(seen, [
      ['listed-4', 90_000],
      ['listed-2', 250],
      ['listed-3', 0],
      ['listed-1', 0],
    ])
  })

  test('a workspace sees its own requests only', async () => {
    assert.deepEqual(ids(await list('?workspace=nobody')), [])
    assert.ok(!ids(await list()).includes('listed-1'))
  })

  for (const [query, named] of [
    ['from=yesterday', 'from'],
    ['to=2026-13-01', 'to'],
    ['from=2026-01-02&to=2026-01-01', 'from'],
    ['status=fine', 'status'],
    ['code=no_such_code', 'code'],
    ['fallback=yes', 'fallback'],
    ['min_cost_usd=-1', 'min_cost_usd'],
    ['min_cost_usd=1e3', 'min_cost_usd'],
    ['min_duration_ms=-1', 'min_duration_ms'],
    ['max_duration_ms=1.5', 'max_duration_ms'],
    ['sort=fastest', 'sort'],
    [`sort=slowest&cursor=${Buffer.from('[1,"y"]').toString('base64url')}`, 'cursor'],
    [`sort=slowest&cursor=${Buffer.from('[1,2,"y","z"]').toString('base64url')}`, 'cursor'],
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['after=nothing', 'after'],
    ['cursor=nonsense', 'cursor'],
    [`cursor=${Buffer.from('["x","y"]').toString('base64url')}`, 'cursor'],
    [`cursor=${Buffer.from('[1.5,"y"]').toString('base64url')}`, 'cursor'],
    ['workspace=no/name', 'workspace'],
    ['unknown=1', 'unknown'],
  ] as const) {
    test(`${query} is refused, naming ${named}`, async () => {
      const { status, json } = await manage('GET', `/requests?${query}`)
      assert.deepEqual([status, json.error.code], [400, 'invalid_request'])
      assert.ok(json.error.message.includes(named), json.error.message)
    })
  }
})

describe('explain', () => {
  const explain = async (id: string) => (await manage('GET', `/requests/${id}/explain`)).json

  test('says in words why each next step was taken, and how the cost came about', async () => {
    const answer = await harness.chat(hello('resilient'))
    const { steps, cost, cost_lines: lines } = await explain(idOf(answer))
    assert.equal(steps.length, 4)
    assert.match(steps[0], /^Key 'GATEWAY_KEY' of workspace 'default' asked for 'resilient': a route alias/)
    assert.match(
      steps[1],
      /^1\. openai\/gpt-sim-503 was called .* answered 503 .*: provider_overloaded, which it calls server_is_overloaded\. Then: .*/,
    )
    assert.match(steps[2], /^2\. anthropic\/claude-sim-echo was called .* answered 200 .*: it served the call\.$/)
    assert.match(steps[3], /^The caller got 200, served by anthropic\/claude-sim-echo, a fallback/)
    const { usage, cost_usd, price_version } = (await manage('GET', `/requests/${idOf(answer)}`)).json
    assert.deepEqual([cost.total_usd, cost.price_version], [cost_usd, price_version])
    assert.match(lines[0], /^price version \d+ of anthropic\/claude-sim-echo, in force since .* \(config\)$/)
    assert.ok(lines[1].startsWith(`input: ${usage.prompt_tokens} tokens × 2.5 USD per million = `), lines[1])
    assert.ok(lines[2].startsWith(`output: ${usage.completion_tokens} tokens × 15 USD per million = `), lines[2])
    assert.equal(lines[3], `total: ${cost_usd} USD`)
  })

  test('a stream says when its first content came, how it ended and between which bounds its cost lies', async () => {
    const ended = { streamed: true, firstContentMs: 320, eventsSent: 12, route: null, requestedModel: 'model-1' }
    const cut = { ...ended, status: 200, code: 'upstream_error' as const, ended: 'failed_mid_stream' }
    await logged('cut-stream', cut)
    const left = { ...ended, status: 499, code: 'caller_left' as const, ended: 'caller_left', eventsSent: 1 }
    await logged('left-stream', left)
    const bound = { costPicodollars: '7000000000', costLeastPicodollars: '0', costMostPicodollars: '7000000000' }
    const given = { ...ended, ...bound, usageSource: 'estimated', ended: 'interrupted' }
    await logged('given-up-stream', { ...given, status: 0, code: 'interrupted' })
    const last = async (id: string) => (await explain(id)).steps.slice(-2)
    const first = 'The first content was sent after 320 ms.'
    assert.deepEqual(await last('cut-stream'), [
      first,
      'The stream was cut by the provider after 12 events; the caller got an error as its last event.',
    ])
    assert.deepEqual(await last('left-stream'), [first, 'The caller left after 1 event.'])
    const { cost, cost_lines: lines } = await explain('given-up-stream')
    assert.equal(cost, null)
    assert.match(lines[0], /what was held for it is booked, 0\.007 USD; it cost at least 0 USD$/)
  })

  test('a retry, a failed end and no cost are explained', async () => {
    const answer = await harness.chat(hello('broken'))
    const { steps, cost, cost_lines: lines } = await explain(idOf(answer))
    assert.match(steps[1], /asked again after \d+ ms/)
    assert.match(
      steps.at(-1),
      /^The caller got 503 provider_overloaded\. The provider is overloaded\. The provider answered HTTP 503; its message is not stored/,
    )
    assert.deepEqual([cost, lines], [null, ['no provider served the call, so it has no cost']])
  })

  test('a request that reached no provider says so', async () => {
    const { steps } = await explain(idOf(await harness.chat({ messages: [] })))
    assert.match(steps[0], /no model could be read/)
    assert.match(steps.at(-1), /400 invalid_request, before any provider was called/)
  })

  test('tier and percentage are named, and the sum equals the frozen cost to the picodollar', async () => {
    const version = await newestPriceVersion(harness.gateway.store.db, 'openai', 'gpt-sim-echo')
    const usage: TokenUsage = {
      input: 150_001,
      cachedInput: 50_000,
      cacheWrite5m: 0,
      cacheWrite30m: 0,
      cacheWrite1h: 0,
      audioInput: 0,
      imageInput: 0,
      audioOutput: 0,
      imageOutput: 0,
      output: 7,
      reasoning: 0,
      pricePercent: 110,
    }
    // (150001 × 2.5 + 50000 × 2.5 (the tier lists no cached price) + 7 × 15) × 110 %, in millionths of a dollar.
    const cost = BigInt((150_001 * 2.5 + 50_000 * 2.5 + 7 * 15) * 10) * 11n * 10_000n
    await logged('tiered', {
      provider: 'openai',
      model: 'gpt-sim-echo',
      usage,
      priceVersion: version?.id ?? null,
      costPicodollars: String(cost),
    })
    const explained = await explain('tiered')
    const shown = (await manage('GET', '/requests/tiered')).json
    assert.equal(explained.cost.total_usd, shown.cost_usd)
    assert.deepEqual([explained.cost.tier_above, explained.cost.price_percent], [200_000, 110])
    assert.match(explained.cost_lines[1], /longer than 200000 tokens/)
    assert.match(explained.cost_lines[3], /no price of its own: priced as input/)
    assert.match(explained.cost_lines.at(-2), /110 % of the list price/)
  })

  test('a cost frozen under an old price is explained with that price', async () => {
    const answer = await harness.chat(hello('resilient'))
    const before = await explain(idOf(answer))
    const { db } = harness.gateway.store
    const model = { provider: 'anthropic', model: 'claude-sim-echo' }
    const prices = JSON.parse((await newestPriceVersion(db, model.provider, model.model))?.prices ?? '')
    await addPriceVersion(db, { ...model, prices: { ...prices, input_per_mtok: '9' }, source: 'test' }, Date.now())
    assert.deepEqual(await explain(idOf(answer)), before)
  })

  test('answers 404 for an id that is not in the log', async () => {
    assert.equal((await manage('GET', '/requests/nothing/explain')).status, 404)
  })
})
