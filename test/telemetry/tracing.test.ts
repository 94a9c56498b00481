import assert from 'node:assert/strict'
import { after, beforeEach, describe, type TestContext, test } from 'node:test'
import { type Answered, type Harness, hello, KEY, startHarness, until } from '../harness.ts'
import { pythonSession } from '../python-session.ts'
import { type OtlpReceiver, type ReceivedSpan, startReceiver } from './otlp-receiver.ts'

/** Each is so unlike anything else that finding it anywhere means a leak. */
const CANARIES = {
  providerKey: 'Zq7otelproviderkey11XyW',
  headerSecret: 'Zq7otelheadersecret12XyW',
  wrongKey: 'Zq7otelwrongkey13XyW',
  prompt: 'Zq7otelprompt14XyW',
  system: 'Zq7otelsystem15XyW',
  user: 'Zq7oteluser16XyW',
  broken: 'Zq7otelbroken17XyW',
  baggage: 'Zq7otelbaggage18XyW',
  tag: 'Zq7oteltag19XyW',
}
const RECEIVER_KEY = 'Zq7otelreceiverkey20XyW'

const CONFIG = `
providers:
  local: { family: openai, base_url: "\${SIMULATED}", api_key: ${CANARIES.providerKey}, headers: { x-extra: ${CANARIES.headerSecret} } }
workspaces:
  default:
    routes:
      falls: { chain: [{ provider: local, model: gpt-sim-500, retries: 1 }, { provider: anthropic, model: claude-sim-echo }] }
      hedged: { chain: [{ provider: local, model: gpt-sim-hang, retries: 0, hedge_after_ms: 1 }, { provider: anthropic, model: claude-sim-echo }] }
      broken: { chain: [{ provider: local, model: gpt-sim-500, retries: 0 }] }
      stored: { chain: [{ provider: openai, model: gpt-5.4-mini }], cache: { ttl_seconds: 3600 } }
    keys:
      poor: { value: gw_live_poor0000000000000000000000000000, limits: { budget: { usd: "0.000001", per: total, mode: hard } } }
      slow: { value: gw_live_slow0000000000000000000000000000, limits: { rpm: 1 } }
`
const PARENT = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' }
const SAMPLED = `00-${PARENT.trace}-${PARENT.span}-01`
const as = (key: string) => ({ authorization: `Bearer ${key}` })

const parser = pythonSession()
const receiver: OtlpReceiver = await startReceiver(parser)
const ENVIRONMENT = {
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  OTEL_METRICS_EXPORTER: 'otlp',
  OTEL_EXPORTER_OTLP_HEADERS: `x-receiver-key=${RECEIVER_KEY}`,
  OTEL_SERVICE_NAME: 'gateway-of-a-test',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,team=a%20b',
  OTEL_BSP_SCHEDULE_DELAY: '5',
  OTEL_METRIC_EXPORT_INTERVAL: '20',
  STREAMING: 'on',
}
const harness: Harness = await startHarness({ config: CONFIG, environment: ENVIRONMENT })
beforeEach(() => harness.simulator.reset())
after(async () => {
  await harness.stop()
  await receiver.close()
})

/** The spans of one call, the call's own first, when they have arrived. */
async function spansOf(answer: Answered): Promise<ReceivedSpan[]> {
  const id = answer.headers.get('x-gateway-request-id')
  return traceOf((span) => span.attributes['switchyard.request_id'] === id)
}

async function traceOf(isCall: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan[]> {
  let found: ReceivedSpan[] = []
  await until(async () => {
    const all = await receiver.spans()
    const call = all.find(isCall)
    found = call === undefined ? [] : [call, ...all.filter((span) => span.parentSpanId === call.spanId)]
    return call !== undefined
  }, 'the span arrives')
  return found
}

function traced(name: string, run: (context: TestContext) => Promise<void>) {
  test(name, async (context) => {
    if (!parser.skips(context)) await run(context)
  })
}

describe('a call is a span with a child for each attempt', () => {
  traced('by the conventions, in the trace of its caller, which goes on at the provider', async () => {
    const answer = await harness.chat(hello('gpt-sim-cached-2', { user: CANARIES.user }), {
      traceparent: SAMPLED,
      tracestate: 'vendor=1',
      'x-gateway-session': 'session-1',
    })
    const [call, attempt] = await spansOf(answer)
    assert.ok(call && attempt)
    const row = await harness.rowOf(answer)
    const { attributes } = call
    assert.deepEqual([call.traceId, call.parentSpanId, call.traceState], [PARENT.trace, PARENT.span, 'vendor=1'])
    assert.deepEqual([call.name, call.kind, call.isError], ['chat gpt-sim-cached-2', 'SPAN_KIND_SERVER', false])
    assert.deepEqual(attributes, {
      'http.request.method': 'POST',
      'http.route': '/v1/chat/completions',
      'http.response.status_code': 200,
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-sim-cached-2',
      'gen_ai.request.stream': false,
      'gen_ai.response.model': 'gpt-sim-cached-2',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': row['prompt_tokens'],
      'gen_ai.usage.output_tokens': row['completion_tokens'],
      'gen_ai.usage.cache_read.input_tokens': row['cached_tokens'],
      'gen_ai.conversation.id': 'session-1',
      'switchyard.request_id': row.id,
      'switchyard.workspace': 'default',
      'switchyard.key_id': row['key_id'],
      'switchyard.provider': 'openai',
      'switchyard.fallback': false,
      'switchyard.usage_source': 'provider',
    })
    assert.deepEqual([attempt.name, attempt.kind], ['chat gpt-sim-cached-2', 'SPAN_KIND_CLIENT'])
    assert.equal(attempt.attributes['gen_ai.provider.name'], 'openai')
    assert.equal(attempt.attributes['http.response.status_code'], 200)
    assert.ok(call.startMs <= attempt.startMs && attempt.endMs <= call.endMs)
    const sent = harness.upstream().at(-1)?.headers
    assert.equal(sent?.['traceparent'], `00-${PARENT.trace}-${attempt.spanId}-01`)
    assert.equal(sent?.['tracestate'], 'vendor=1')
    assert.equal(call.resource['service.name'], 'gateway-of-a-test')
    assert.equal(call.resource['deployment.environment.name'], 'test')
    assert.equal(call.resource['team'], 'a b')
    assert.equal(call.resource['service.instance.id'], harness.gateway.store.node)
  })

  traced('whose cost is the cost of the row', async () => {
    const answer = await harness.chat(hello('gpt-5.4-mini'))
    const [call] = await spansOf(answer)
    const cost = Number((await harness.rowOf(answer))['cost_picodollars'])
    assert.ok(cost > 0)
    assert.equal(call?.attributes['switchyard.cost_usd'], cost / 1e12)
    assert.equal(call?.attributes['gen_ai.usage.cost'], cost / 1e12)
  })

  traced('and a stored answer says whose it is and what it saved', async () => {
    const [paid, hit] = [await harness.chat(hello('stored')), await harness.chat(hello('stored'))]
    const [first] = await spansOf(paid)
    assert.equal(first?.attributes['switchyard.cache'], 'miss')
    const [call, ...attempts] = await spansOf(hit)
    assert.ok(call)
    const { attributes } = call
    assert.deepEqual([attributes['switchyard.cache'], attributes['switchyard.cost_usd']], ['hit', 0])
    assert.equal(attributes['switchyard.saved_usd'], first?.attributes['switchyard.cost_usd'])
    assert.equal(attributes['switchyard.answer_of'], paid.headers.get('x-gateway-request-id'))
    assert.deepEqual([attributes['gen_ai.usage.input_tokens'], attempts], [undefined, []])
  })

  for (const traceparent of ['nonsense', `00-${'0'.repeat(32)}-${PARENT.span}-01`, `${SAMPLED}-more`, '']) {
    traced(`in a trace of its own where the caller's is '${traceparent}'`, async () => {
      const [call] = await spansOf(await harness.chat(hello('gpt-sim-echo'), { traceparent, tracestate: 'vendor=1' }))
      assert.deepEqual([call?.parentSpanId, call?.traceState], [null, ''])
      assert.notEqual(call?.traceId, PARENT.trace)
      assert.equal(harness.upstream().at(-1)?.headers['traceparent']?.slice(3, 35), call?.traceId)
    })
  }

  traced('with retries and a fallback', async () => {
    const answer = await harness.chat(hello('falls'))
    const [call, ...attempts] = await spansOf(answer)
    assert.equal(call?.attributes['switchyard.route'], 'falls')
    assert.equal(call?.attributes['switchyard.fallback'], true)
    assert.equal(call?.attributes['gen_ai.provider.name'], 'anthropic')
    const reported = attempts
      .sort((a, b) => a.startMs - b.startMs)
      .map(({ attributes, isError }) => [
        attributes['switchyard.provider'],
        attributes['http.response.status_code'],
        attributes['error.type'],
        isError,
      ])
    assert.deepEqual(reported, [
      ['local', 500, 'upstream_error', true],
      ['local', 500, 'upstream_error', true],
      ['anthropic', 200, undefined, false],
    ])
    const sent = harness.upstream().map(({ headers }) => headers['traceparent']?.slice(36, 52))
    assert.deepEqual(
      sent,
      attempts.map(({ spanId }) => spanId),
    )
  })

  traced('with the one that lost a hedge', async () => {
    const [call, ...attempts] = await spansOf(await harness.chat(hello('hedged', { max_tokens: 10 })))
    const lost = attempts.find(({ attributes }) => attributes['error.type'] === 'hedge_lost')
    assert.equal(attempts.length, 2)
    assert.deepEqual([lost?.attributes['switchyard.provider'], lost?.isError, call?.isError], ['local', false, false])
  })

  traced('that ends with the stream', async () => {
    const answer = await harness.chat(hello('gpt-sim-events-5-5', { stream: true }))
    const [call, attempt] = await spansOf(answer)
    assert.ok(call && attempt)
    const first = Number(call.attributes['gen_ai.response.time_to_first_chunk'])
    const { first_content_ms: firstMs } = await harness.rowOf(answer)
    assert.equal(first, Number(firstMs) / 1000)
    assert.equal(call.attributes['gen_ai.request.stream'], true)
    assert.ok(call.endMs - call.startMs > 1000 * first, 'it goes on after the first content')
  })

  traced('also of embeddings', async () => {
    const answer = await harness.embed({ model: 'text-embedding-sim-echo', input: 'x' })
    const [call] = await spansOf(answer)
    assert.equal(call?.name, 'embeddings text-embedding-sim-echo')
    assert.equal(call?.attributes['http.route'], '/v1/embeddings')
  })

  traced('and one that replays an earlier answer says so', async () => {
    const key = { 'idempotency-key': 'once-and-again' }
    const first = await harness.chat(hello('gpt-sim-echo'), key)
    await harness.chat(hello('gpt-sim-echo'), key)
    const [replay] = await traceOf((span) => span.attributes['switchyard.replayed'] === true)
    assert.notEqual(replay?.attributes['switchyard.request_id'], first.headers.get('x-gateway-request-id'))
    assert.equal(replay?.isError, false)
  })
})

describe('a call that fails is a span with the error code', () => {
  const cases = [
    ['a wrong key', 401, 'unauthorized', () => harness.chat(hello('gpt-sim-echo'), as(CANARIES.wrongKey))],
    ['a broken body', 400, 'invalid_request', () => harness.chat(`{"${CANARIES.broken}"`)],
    [
      'a used-up budget',
      402,
      'budget_exceeded',
      () => harness.chat(hello('gpt-5.4-mini'), as('gw_live_poor0000000000000000000000000000')),
    ],
    ['a provider that fails', 502, 'upstream_error', () => harness.chat(hello('broken'))],
  ] as const
  for (const [name, status, code, ask] of cases) {
    traced(name, async () => {
      const before = (await receiver.spans()).length
      const answer = await ask()
      assert.equal(answer.status, status, answer.text)
      let found: ReceivedSpan | undefined
      await until(async () => {
        const isCall = ({ kind, attributes }: ReceivedSpan) =>
          kind === 'SPAN_KIND_SERVER' && attributes['error.type'] === code
        found = (await receiver.spans()).slice(before).find(isCall)
        return found !== undefined
      }, 'the span arrives')
      assert.deepEqual(
        [found?.isError, found?.message, found?.attributes['http.response.status_code']],
        [true, null, status],
      )
    })
  }

  traced('a rate limit', async () => {
    const slow = as('gw_live_slow0000000000000000000000000000')
    await harness.chat(hello('gpt-sim-echo'), slow)
    const answer = await harness.chat(hello('gpt-sim-echo'), slow)
    const [call] = await spansOf(answer)
    assert.deepEqual([answer.status, call?.attributes['error.type']], [429, 'key_rate_limited'])
  })
})

traced('metrics are sent by the conventions', async () => {
  const answer = await harness.chat(hello('gpt-5.4'))
  const row = await harness.rowOf(answer)
  await harness.chat(hello('gpt-sim-made-up'))
  const pointsOf = async (name: string, model: string) =>
    ((await receiver.metrics())[name] ?? []).filter((point) => point.attributes['gen_ai.request.model'] === model)
  const failed = async () => pointsOf('gen_ai.client.operation.duration', 'other')
  await until(
    async () => (await failed()).some((point) => point.attributes['error.type'] === 'model_not_found'),
    'both',
  )
  const served = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'gpt-5.4',
    'switchyard.provider': 'openai',
    'switchyard.route': '(direct)',
  }
  const [duration] = await pointsOf('gen_ai.client.operation.duration', 'gpt-5.4')
  assert.deepEqual([duration?.attributes, Number(duration?.count)], [served, 1])
  const tokens = await pointsOf('gen_ai.client.token.usage', 'gpt-5.4')
  assert.deepEqual(
    tokens.map(({ attributes, sum }) => [attributes['gen_ai.token.type'], sum]),
    [
      ['input', row['prompt_tokens']],
      ['output', row['completion_tokens']],
    ],
  )
})

traced('no prompt, no key and no message of an error is in anything that is sent', async () => {
  const body = {
    model: 'falls',
    messages: [
      { role: 'system', content: CANARIES.system },
      { role: 'user', content: CANARIES.prompt },
    ],
    user: CANARIES.user,
    metadata: { tag: CANARIES.tag },
  }
  const headers = { baggage: `secret=${CANARIES.baggage}`, traceparent: SAMPLED }
  await harness.chat(body, headers)
  await harness.chat({ ...body, stream: true }, headers)
  await harness.chat({ ...body, model: 'broken' }, headers)
  await harness.chat({ ...body, temperature: CANARIES.broken }, headers)
  const last = await harness.chat({ ...body, model: 'gpt-sim-echo' }, headers)
  await spansOf(last)
  const sent = Buffer.concat(receiver.bodies.map((each) => each.body)).toString('latin1')
  for (const [name, canary] of Object.entries(CANARIES)) assert.ok(!sent.includes(canary), name)
  for (const key of [KEY, RECEIVER_KEY, 'sk-test-openai-key', 'sk-ant-test-key', 'gw_live_poor'])
    assert.ok(!sent.includes(key), key)
  assert.ok(receiver.bodies.every(({ headers: got }) => got['x-receiver-key'] === RECEIVER_KEY))
  assert.equal(harness.upstream().at(-1)?.headers['baggage'], undefined)
})
