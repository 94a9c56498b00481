import '../more-cores.ts'
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import { readSettings } from '../../src/app/config.ts'
import { checkTelemetry } from '../../src/doctor/machine-checks.ts'
import { type Harness, hello, startHarness, until } from '../harness.ts'
import { importsOf, sources } from '../imports.ts'
import { pythonSession } from '../python-session.ts'
import { type OtlpReceiver, startReceiver } from './otlp-receiver.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const parentOf = (flags: string) => ({ traceparent: `00-${TRACE}-b7ad6b7169203331-${flags}` })
const parser = pythonSession()
const ended: (() => Promise<void>)[] = []
after(async () => {
  for (const end of ended.reverse()) await end()
})

async function world(environment: Record<string, string>): Promise<{ harness: Harness; receiver: OtlpReceiver }> {
  const receiver = await startReceiver(parser)
  ended.push(() => receiver.close())
  const otel = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_BSP_SCHEDULE_DELAY: '5' }
  const harness = await startHarness({ environment: { ...otel, ...environment } })
  return { harness, receiver }
}

const sentBy = (harness: Harness) => harness.upstream().at(-1)?.headers['traceparent']

test('switched off, nothing is passed on, and nothing but types of its room is imported', async () => {
  const harness = await startHarness()
  ended.push(() => harness.stop())
  await harness.chat(hello('gpt-sim-echo'), parentOf('01'))
  assert.equal(sentBy(harness), undefined)
  const outside = sources.filter((file) => file.startsWith('src/') && !file.startsWith('src/telemetry/otel/'))
  const users = outside.filter((file) => importsOf(file).some(({ target }) => target.startsWith('@opentelemetry')))
  assert.deepEqual(users, [])
})

test('a call that is not sampled is passed on as such; the caller may decide', async (context: TestContext) => {
  if (parser.skips(context)) return
  const { harness, receiver } = await world({ OTEL_TRACES_SAMPLER: 'parentbased_always_off' })
  ended.push(() => harness.stop())
  await harness.chat(hello('gpt-sim-echo'))
  assert.match(sentBy(harness) ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
  await harness.chat(hello('gpt-sim-echo'), parentOf('00'))
  assert.match(sentBy(harness) ?? '', new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`))
  await harness.chat(hello('gpt-sim-echo'), parentOf('01'))
  assert.match(sentBy(harness) ?? '', new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`))
  await until(async () => (await receiver.spans()).length > 0, 'the sampled call arrives')
  assert.deepEqual(new Set((await receiver.spans()).map(({ traceId }) => traceId)), new Set([TRACE]))
  assert.equal((await receiver.spans()).length, 2)
})

test('a stop sends what is left, compressed, and no trace context where that is not wanted', async (context) => {
  if (parser.skips(context)) return
  const settings = {
    OTEL_BSP_SCHEDULE_DELAY: '600000',
    OTEL_METRIC_EXPORT_INTERVAL: '600000',
    OTEL_PROPAGATORS: 'none',
  }
  const { harness, receiver } = await world({
    ...settings,
    OTEL_METRICS_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
  })
  await harness.chat(hello('gpt-sim-echo'), parentOf('01'))
  assert.equal(sentBy(harness), undefined)
  assert.equal(receiver.bodies.length, 0)
  await harness.stop()
  assert.equal((await receiver.spans()).length, 2)
  assert.ok((await receiver.metrics())['gen_ai.client.operation.duration'])
  assert.ok(receiver.bodies.every(({ headers }) => headers['content-encoding'] === 'gzip'))
})

test('prompts and answers are part of spans only where that is asked for, and of refused calls never', async (context) => {
  if (parser.skips(context)) return
  const prompt = 'Zq7askedforprompt21XyW'
  const value = 'gw_live_wrong000000000000000000000000000'
  for (const [asked, isIn] of Object.entries({
    true: true,
    SPAN_ONLY: true,
    false: false,
    NO_CONTENT: false,
    '': false,
  })) {
    const variable = asked === '' ? {} : { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: asked }
    const { harness, receiver } = await world({ STREAMING: 'on', ...variable })
    const body = { ...hello('gpt-sim-echo'), messages: [{ role: 'user', content: prompt }] }
    const answer = await harness.chat(body)
    await harness.chat({ ...body, stream: true })
    await harness.chat(body, { authorization: `Bearer ${value}` })
    const large = 'x'.repeat(200_000)
    await harness.chat({ ...body, messages: [{ role: 'user', content: large }] })
    await harness.stop()
    const sent = Buffer.concat(receiver.bodies.map((each) => each.body)).toString('latin1')
    assert.equal(sent.includes(prompt), isIn, asked)
    for (const secret of [value, 'sk-test-openai-key', large.slice(0, 5_000)]) assert.ok(!sent.includes(secret), asked)
    const calls = (await receiver.spans()).filter(({ kind }) => kind === 'SPAN_KIND_SERVER')
    assert.equal(calls.length, 4)
    if (!isIn) continue
    const reported = (attributes: Record<string, unknown>) =>
      ['input', 'output'].map((side) => JSON.parse(String(attributes[`gen_ai.${side}.messages`] ?? 'null')))
    const [input, output] = reported(
      calls.find(({ attributes }) => !attributes['gen_ai.request.stream'])?.attributes ?? {},
    )
    assert.deepEqual(input, [{ role: 'user', parts: [{ type: 'text', content: prompt }] }])
    assert.equal(output[0].parts[0].content, answer.json.choices[0].message.content)
    const [, streamed] = reported(calls.find(({ attributes }) => attributes['gen_ai.request.stream'])?.attributes ?? {})
    assert.deepEqual(streamed[0].parts, output[0].parts)
  }
})

test('every serving thread sends its own', async (context) => {
  if (parser.skips(context)) return
  const { harness, receiver } = await world({ SERVING_THREADS: '2' })
  const keyed = (key: string) => harness.chat(hello('gpt-sim-echo'), { 'idempotency-key': key, connection: 'close' })
  // Keys choose the thread.
  await Promise.all(Array.from({ length: 16 }, (_, number) => keyed(`threads-${number}`)))
  await harness.stop()
  const calls = (await receiver.spans()).filter(({ kind }) => kind === 'SPAN_KIND_SERVER')
  assert.equal(calls.length, 16)
  const instances = new Set(calls.map(({ resource }) => String(resource['service.instance.id']).split('/').at(-1)))
  assert.deepEqual([...instances].sort(), ['1', '2'])
})

for (const [name, answer] of [
  ['refuses', 503],
  ['never answers', null],
] as const) {
  test(`a receiver that ${name} keeps no call and no stop`, async () => {
    let asked = 0
    const server = createServer((_request, response) => {
      asked += 1
      if (answer !== null) response.writeHead(answer).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    ended.push(async () => {
      server.closeAllConnections()
      server.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const harness = await startHarness({
      environment: {
        OTEL_EXPORTER_OTLP_ENDPOINT: url,
        OTEL_METRICS_EXPORTER: 'otlp',
        OTEL_BSP_SCHEDULE_DELAY: '5',
        OTEL_BSP_MAX_QUEUE_SIZE: '4',
        OTEL_EXPORTER_OTLP_TIMEOUT: '600000',
      },
    })
    for (let call = 0; call < 10; call++) assert.equal((await harness.chat(hello('gpt-sim-echo'))).status, 200)
    await until(() => asked > 0, 'it is asked')
    assert.equal((await harness.chat(hello('gpt-sim-echo'))).status, 200)
    await harness.stop()
  })
}

test('of what waits for a slow receiver only so much is kept', async (context) => {
  if (parser.skips(context)) return
  const held = Promise.withResolvers<number>()
  let asked = 0
  const receiver = await startReceiver(parser, () => {
    asked += 1
    return held.promise
  })
  ended.push(() => receiver.close())
  const harness = await startHarness({
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_BSP_SCHEDULE_DELAY: '5',
      OTEL_BSP_MAX_QUEUE_SIZE: '6',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '2',
    },
  })
  await harness.chat(hello('gpt-sim-echo'))
  await until(() => asked > 0, 'the first batch is on its way')
  for (let call = 0; call < 20; call++) assert.equal((await harness.chat(hello('gpt-sim-echo'))).status, 200)
  held.resolve(200)
  await harness.stop()
  assert.equal((await receiver.spans()).length, 2 + 6)
})

test('the doctor says where it sends, without a login', () => {
  const settings = readSettings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://me:secret@collector:4318/v1/traces' })
  const [check] = checkTelemetry(settings)
  assert.match(JSON.stringify(check), /traces: https:\/\/collector:4318\/v1\/traces, metrics: off/)
  assert.deepEqual(checkTelemetry(readSettings({})), [])
})
