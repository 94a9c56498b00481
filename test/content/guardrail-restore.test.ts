import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, test } from 'node:test'
import { ASSEMBLERS } from '../../src/endpoints/assemblers.ts'
import { eventIn } from '../../src/endpoints/assembly.ts'
import { filesUnder } from '../files-under.ts'
import { type Answered, type Harness, type Json, KEY, startHarness, until } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { type GuardrailService, startGuardrail, verdict } from './guardrail-service.ts'

/** Chunks of the simulated streams end between words, and so inside of it. */
const MASK = '<MAIL NO 1>'
const API_KEY = 'AIzaSyTest0123456789abcdefghijklmnopqrst'
const MODELS = {
  openai: 'gpt-scripted',
  native: 'gpt-scripted-natively',
  anthropic: 'claude-scripted',
  google: 'gemini-3.5-flash-scripted',
}

const CONFIG = `
providers:
  native: { family: openai, base_url: "\${SIMULATED}", api_key: sk-test-native, speaks: [responses] }
  google: { family: gemini, base_url: "\${SIMULATED_GEMINI}", api_key: ${API_KEY} }
workspaces:
  default:
    streaming: true
    content: {}
    routes:
      echo: { chain: [{ provider: openai, model: gpt-sim-echo }] }
      slow: { chain: [{ provider: openai, model: gpt-sim-events-40-5 }] }
      fallen: { chain: [{ provider: openai, model: gpt-sim-500, retries: 0 }, { provider: anthropic, model: claude-sim-echo }] }
      stored: { chain: [{ provider: openai, model: gpt-sim-echo }], cache: { ttl_seconds: 600, scope: workspace } }
${Object.entries(MODELS)
  .map(([provider, model]) => `      ${provider}: { chain: [{ provider: ${provider}, model: ${model}, retries: 0 }] }`)
  .join('\n')}
`

let service: GuardrailService
let harness: Harness
const manage = managing(() => harness)

before(async () => {
  service = await startGuardrail()
  harness = await startHarness({
    config: CONFIG,
    simulator: { geminiKey: API_KEY },
    environment: { SECRETS_KEY: 'a-key-of-the-guardrail-tests' },
  })
  await set({})
})
after(async () => {
  await harness.stop()
  service.close()
})
beforeEach(() => {
  service.asked.length = 0
  harness.simulator.reset()
})

async function set(settings: object): Promise<void> {
  const guardrail = { url: service.url, timeout_ms: 30_000, ...settings }
  assert.equal((await manage('PATCH', '/workspaces/default', { guardrail })).status, 200)
}

/** Masks one address, and has it put back. */
function masks(value: string): void {
  service.respond = (asked, response) => {
    const body = JSON.parse(JSON.stringify(asked.json.body).replaceAll(value, MASK))
    const allowed = { action: 'allow', body, restore: { [MASK]: value, '<MAIL NO 12>': 'another' } }
    verdict(asked.json.type === 'guardrail.before' ? allowed : { action: 'allow' })(asked, response)
  }
}

async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answered> {
  const response = await fetch(harness.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  return { status: response.status, headers: response.headers, text, json: isStream ? null : JSON.parse(text) }
}

/** What a stream adds up to. */
function assembled(endpoint: string, text: string): string {
  const assembly = ASSEMBLERS[endpoint]?.(Number.POSITIVE_INFINITY)
  for (const line of text.split('\n')) {
    const event = eventIn(line)
    if (event !== null) assembly?.add(event)
  }
  return JSON.stringify(assembly?.answer())
}

const say = (model: string, value: string, more: Json = {}) => ({
  model,
  messages: [{ role: 'user', content: `Write to ${value}, now` }],
  ...more,
})
const parameters = { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] }
const user = (text: string) => [{ role: 'user', content: text }]
const FORMATS: Record<string, (model: string, text: string, stream: boolean) => [path: string, body: Json]> = {
  chat: (model, text, stream) => [
    '/v1/chat/completions',
    { model, stream, messages: user(text), tools: [{ type: 'function', function: { name: 'send', parameters } }] },
  ],
  messages: (model, text, stream) => [
    '/v1/messages',
    { model, stream, max_tokens: 200, messages: user(text), tools: [{ name: 'send', input_schema: parameters }] },
  ],
  responses: (model, text, stream) => [
    '/v1/responses',
    {
      model,
      stream,
      store: false,
      input: text,
      tools: [{ type: 'function', name: 'send', parameters, strict: false }],
    },
  ],
  generate_content: (model, text, stream) => [
    `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    {
      contents: [{ role: 'user', parts: [{ text }] }],
      tools: [{ functionDeclarations: [{ name: 'send', parameters }] }],
    },
  ],
}

for (const [format, requestOf] of Object.entries(FORMATS)) {
  describe(`the answer of ${format}`, () => {
    for (const [provider, model] of Object.entries(MODELS)) {
      for (const stream of [false, true]) {
        test(`by ${provider}${stream ? ', streamed' : ''}, is restored for the caller and for nobody else`, async () => {
          const value = `ann.${format}.${provider}.${stream}@x.example`
          masks(value)
          const input = { to: MASK }
          const text = `I wrote to ${MASK} and <MAIL NO 9>, not <MAIL`
          harness.simulator.script(model, [{ tweak: { text, calls: [{ name: 'send', input }] } }])
          const [path, body] = requestOf(provider, `Write to ${value}`, stream)
          const answer = await post(path, body)
          assert.equal(answer.status, 200, answer.text)
          assert.ok(JSON.stringify(harness.sent()).includes(`Write to ${MASK}`))
          const said = stream ? assembled(format, answer.text) : answer.text
          assert.ok(said.includes(`I wrote to ${value} and <MAIL NO 9>, not <MAIL`), said)
          assert.ok(said.split(value).length >= 3, 'in the input of the tool, too')
          assert.ok(!said.includes(MASK), said)
          const row = await harness.rowOf(answer)
          const stored = await manage('GET', `/requests/${row.id}/content`)
          assert.ok(stored.json.answer.text.includes(MASK) && !stored.text.includes(value), stored.text)
          for (const file of filesUnder(join(harness.folder, 'data')))
            assert.ok(!readFileSync(file).includes(value), file)
        })
      }
    }
  })
}

test('without placeholders an answer passes byte for byte', async () => {
  const ask = () => harness.chat(say('echo', 'nobody'))
  service.respond = verdict({ action: 'allow', restore: {} })
  const restored = await ask()
  service.respond = verdict({ action: 'allow' })
  const blank = ({ text }: Answered) => text.replace(/chatcmpl_\w+/, '').replace(/"created":\d+/, '')
  assert.equal(blank(restored), blank(await ask()))
})

test('a large answer is restored, too', async () => {
  masks('max@x.example')
  const text = `${'word '.repeat(40_000)}max@x.example`
  for (const stream of [false, true]) {
    const answer = await post('/v1/chat/completions', { model: 'echo', stream, messages: user(text) })
    const said = stream ? assembled('chat', answer.text) : answer.text
    assert.ok(said.includes('word max@x.example') && !said.includes('MAIL'), said.slice(-200))
  }
})

test('the answer of a fallback is restored, too', async () => {
  masks('bob@x.example')
  for (const stream of [false, true]) {
    const answer = await post('/v1/chat/completions', say('fallen', 'bob@x.example', { stream }))
    assert.equal(answer.headers.get('x-gateway-fallback-used'), 'true')
    const said = stream ? assembled('chat', answer.text) : answer.text
    assert.ok(said.includes('Write to bob@x.example, now') && !said.includes('MAIL'), said)
  }
})

test('a stored answer is masked, and restored for each caller with their own', async () => {
  for (const stream of [false, true]) {
    for (const [value, cache] of [
      ['eve@x.example', 'miss'],
      ['dan@x.example', 'hit'],
      ['eve@x.example', 'hit'],
    ] as const) {
      masks(value)
      const answer = await post('/v1/chat/completions', say('stored', value, { stream }))
      assert.equal(answer.headers.get('x-gateway-cache'), cache)
      const said = stream ? assembled('chat', answer.text) : answer.text
      assert.ok(said.includes(`Write to ${value}, now`), said)
    }
  }
})

test('a repeat gets the same answer, restored, whether the first has ended or not', async () => {
  masks('kim@x.example')
  for (const stream of [false, true]) {
    const headers = { 'idempotency-key': `kim-${stream}` }
    const ask = () => post('/v1/chat/completions', say('echo', 'kim@x.example', { stream }), headers)
    const [first, joined] = await Promise.all([ask(), ask()])
    const later = await ask()
    const said = stream ? assembled('chat', first.text) : first.text
    assert.ok(said.includes('Write to kim@x.example, now'), said)
    assert.deepEqual([joined.text, later.text], [first.text, first.text])
    assert.equal(later.headers.get('x-gateway-idempotent-replay'), 'true')
  }
  assert.equal(harness.upstream().length, 2)
})

test('a repeat that joins a stream in the middle gets all of it, restored', async () => {
  service.respond = verdict({ action: 'allow', restore: { 'word word': 'two words' } })
  const headers = { 'idempotency-key': 'joins', authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  const body = JSON.stringify(say('slow', 'nobody', { stream: true }))
  const first = await fetch(`${harness.url}/v1/chat/completions`, { method: 'POST', headers, body })
  const reader = first.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  await until(async () => {
    text += (await reader?.read())?.value ?? ''
    return text.includes('two words')
  }, 'something restored has come')
  const joined = post('/v1/chat/completions', JSON.parse(body), { 'idempotency-key': 'joins' })
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) text += read.value
  assert.equal((await joined).text, text)
  assert.ok(assembled('chat', text).includes('two words two words') && !assembled('chat', text).includes('word word'))
  assert.equal(harness.upstream().length, 1)
})

test('what is checked after the call is what the model said', async () => {
  await set({ after: true })
  masks('lea@x.example')
  const answer = await harness.chat(say('echo', 'lea@x.example'))
  assert.ok(answer.text.includes('lea@x.example'))
  const [, checked] = service.asked
  assert.ok(checked?.text.includes(MASK) && !checked.text.includes('lea@x.example'))
  await set({})
})

test('an error keeps the placeholder, and its row has neither', async () => {
  masks('ian@x.example')
  const body = { error: { message: `No such address: ${MASK}`, type: 'invalid_request_error', code: null } }
  harness.simulator.script('gpt-scripted', [{ status: 400, body }])
  const answer = await harness.chat(say('openai', 'ian@x.example'))
  assert.equal(answer.status, 400)
  assert.ok(!answer.text.includes('ian@x.example'))
  assert.ok(!JSON.stringify(Object.values(await harness.rowOf(answer)).map(String)).includes('ian@x.example'))
})
