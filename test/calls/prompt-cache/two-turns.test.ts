import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { type Harness, type Json, KEY, startHarness } from '../../harness.ts'
import { managing } from '../../management/manage.ts'
import { BEDROCK_KEY, NOVA } from '../bedrock/world.ts'
import { API_KEY } from '../gemini/world.ts'

const GEMINI = 'gemini-3.5-flash'
const AT: Record<string, string> = {
  openai: 'openai, model: gpt-5',
  native: 'native, model: gpt-5',
  anthropic: 'anthropic, model: claude-sonnet-4-5',
  gemini: `google, model: ${GEMINI}`,
  bedrock: `bedrock, model: "${NOVA}"`,
}
const harness: Harness = await startHarness({
  simulator: { geminiKey: API_KEY },
  config: `
providers:
  native: { family: openai, base_url: "\${SIMULATED}", api_key: sk-native, speaks: [responses] }
  google: { family: gemini, base_url: "\${SIMULATED_GEMINI}", api_key: ${API_KEY} }
  bedrock: { family: bedrock, base_url: "\${SIMULATED_BEDROCK}", settings: { region: us-east-1 }, api_key: ${BEDROCK_KEY} }
workspaces:
  default:
    routes:
${Object.entries(AT)
  .flatMap(([name, entry]) => [
    `      at-${name}: { chain: [{ provider: ${entry} }] }`,
    `      auto-${name}: { prompt_cache: auto, chain: [{ provider: ${entry} }] }`,
  ])
  .join('\n')}
`,
})
const { simulator } = harness
const manage = managing(() => harness)
beforeEach(() => {
  simulator.reset()
  // A new one for each way: none has read what another one was asked.
  simulator.cachePrompts()
})
after(() => harness.stop())

/** Far more than the shortest prompt that is kept. */
const SYSTEM = 'Trains to the north leave from track seven. '.repeat(300)
const FIRST = 'When does the next one leave? '.repeat(20)
const SAID = 'At ten past nine.'
const SECOND = 'And the one after that?'
const TURNS: [role: 'user' | 'assistant', text: string][] = [
  ['user', FIRST],
  ['assistant', SAID],
  ['user', SECOND],
]
const MARKER = { cache_control: { type: 'ephemeral' } }
const POINT = { cachePoint: { type: 'default' } }

/** The conversation up to one of its turns of the user, in a format. */
type Body = (turns: typeof TURNS) => Json

const chat: Body = (turns) => ({
  messages: [{ role: 'system', content: SYSTEM }, ...turns.map(([role, content]) => ({ role, content }))],
})
const markedChat: Body = (turns) => ({
  messages: [
    { role: 'system', content: [{ type: 'text', text: SYSTEM, ...MARKER }] },
    ...turns.map(([role, text], at) => ({
      role,
      content: [{ type: 'text', text, ...(at === turns.length - 1 && MARKER) }],
    })),
  ],
})
const messages: Body = (turns) => ({
  max_tokens: 100,
  system: [{ type: 'text', text: SYSTEM, ...MARKER }],
  messages: turns.map(([role, text], at) => ({
    role,
    content: [{ type: 'text', text, ...(at === turns.length - 1 && MARKER) }],
  })),
})
const responses: Body = (turns) => ({
  instructions: SYSTEM,
  input: turns.map(([role, content]) => ({ role, content })),
})
const generate: Body = (turns) => ({
  systemInstruction: { parts: [{ text: SYSTEM }] },
  contents: turns.map(([role, text]) => ({ role: role === 'assistant' ? 'model' : role, parts: [{ text }] })),
})
const converse: Body = (turns) => ({
  system: [{ text: SYSTEM }, POINT],
  messages: turns.map(([role, text], at) => ({
    role,
    content: [{ text }, ...(at === turns.length - 1 ? [POINT] : [])],
  })),
})

type Door = (alias: string) => { path: string; fields: object }
const CHAT: Door = (model) => ({ path: '/v1/chat/completions', fields: { model } })
const MESSAGES: Door = (model) => ({ path: '/v1/messages', fields: { model } })
const RESPONSES: Door = (model) => ({ path: '/v1/responses', fields: { model } })
const GENERATE: Door = (model) => ({ path: `/v1beta/models/${model}:generateContent`, fields: {} })

/** How a client asks the vendor itself, and where its answer says what came from the cache. */
const DIRECT: Record<
  string,
  () => { url: string; headers: object; body: Body; fields: object; cached(json: Json): number }
> = {
  openai: () => ({
    url: `${simulator.openaiUrl}/chat/completions`,
    headers: { authorization: 'Bearer sk-any' },
    body: chat,
    fields: { model: 'gpt-5' },
    cached: (json) => json.usage.prompt_tokens_details.cached_tokens,
  }),
  native: () => ({
    url: `${simulator.openaiUrl}/responses`,
    headers: { authorization: 'Bearer sk-any' },
    body: responses,
    fields: { model: 'gpt-5' },
    cached: (json) => json.usage.input_tokens_details.cached_tokens,
  }),
  anthropic: () => ({
    url: `${simulator.anthropicUrl}/v1/messages`,
    headers: { 'x-api-key': 'sk-any', 'anthropic-version': '2023-06-01' },
    body: messages,
    fields: { model: 'claude-sonnet-4-5' },
    cached: (json) => json.usage.cache_read_input_tokens,
  }),
  gemini: () => ({
    url: `${simulator.geminiUrl}/v1beta/models/${GEMINI}:generateContent`,
    headers: { 'x-goog-api-key': API_KEY },
    body: generate,
    fields: {},
    cached: (json) => json.usageMetadata.cachedContentTokenCount ?? 0,
  }),
  bedrock: () => ({
    url: `${simulator.bedrockUrl}/model/${encodeURIComponent(NOVA)}/converse`,
    headers: { authorization: `Bearer ${BEDROCK_KEY}` },
    body: converse,
    fields: {},
    cached: (json) => json.usage.cacheReadInputTokens,
  }),
}

async function post(url: string, headers: object, body: object): Promise<Response> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  assert.equal(answer.status, 200, `${url}: ${await answer.clone().text()}`)
  return answer
}

async function cachedDirectly(vendor: string): Promise<number[]> {
  const { url, headers, body, fields, cached } = DIRECT[vendor]?.() ?? assert.fail(vendor)
  simulator.cachePrompts()
  const found: number[] = []
  for (const turns of [TURNS.slice(0, 1), TURNS]) {
    const answer = await post(url, headers, { ...fields, ...body(turns) })
    found.push(cached(await answer.json()))
  }
  return found
}

async function cachedBehind(alias: string, door: Door, body: Body): Promise<number[]> {
  const { path, fields } = door(alias)
  const headers = { authorization: `Bearer ${KEY}`, 'x-gateway-session': 'turns' }
  simulator.cachePrompts()
  const found: number[] = []
  for (const turns of [TURNS.slice(0, 1), TURNS]) {
    const answer = await post(harness.url + path, headers, { ...fields, ...body(turns) })
    const id = answer.headers.get('x-gateway-request-id')
    const row = (await harness.rows()).find((each) => each.id === id)
    found.push(Number(row?.['cached_tokens']))
  }
  return found
}

const unmarkedMessages: Body = (turns) => ({
  max_tokens: 100,
  system: SYSTEM,
  messages: turns.map(([role, content]) => ({ role, content })),
})

describe('two turns are read from the cache as they are without the gateway', () => {
  const table: [what: string, vendor: string, Door, Body][] = [
    ['chat at a server of this format', 'openai', CHAT, chat],
    ['responses at a server of this format', 'native', RESPONSES, responses],
    ['messages at a server of this format', 'anthropic', MESSAGES, messages],
    ['contents at a server of this format', 'gemini', GENERATE, generate],
    ['messages translated to chat', 'openai', MESSAGES, messages],
    ['responses translated to chat', 'openai', RESPONSES, responses],
    ['contents translated to chat', 'openai', GENERATE, generate],
    ['chat with markers translated to messages', 'anthropic', CHAT, markedChat],
    ['chat translated to contents', 'gemini', CHAT, chat],
    ['messages translated to contents', 'gemini', MESSAGES, messages],
    ['responses translated to contents', 'gemini', RESPONSES, responses],
    ['chat with markers translated to Converse', 'bedrock', CHAT, markedChat],
    ['messages translated to Converse', 'bedrock', MESSAGES, messages],
  ]
  for (const [what, vendor, door, body] of table) {
    test(what, async () => {
      const [first, second = 0] = await cachedDirectly(vendor)
      assert.equal(first, 0)
      assert.ok(second >= 1024, `the vendor keeps ${second} tokens`)
      assert.deepEqual(await cachedBehind(`at-${vendor}`, door, body), [first, second])
    })
  }
})

describe('a route with prompt_cache: auto has the prompts of others cached, too', () => {
  const table: [what: string, vendor: string, Door, Body][] = [
    ['chat', 'anthropic', CHAT, chat],
    ['messages', 'anthropic', MESSAGES, unmarkedMessages],
    ['responses', 'anthropic', RESPONSES, responses],
    ['contents', 'anthropic', GENERATE, generate],
    ['chat', 'bedrock', CHAT, chat],
    ['messages', 'bedrock', MESSAGES, unmarkedMessages],
    ['responses', 'bedrock', RESPONSES, responses],
  ]
  for (const [what, vendor, door, body] of table) {
    test(`${what} at ${vendor}`, async () => {
      const [first, second = 0] = await cachedDirectly(vendor)
      assert.deepEqual(await cachedBehind(`at-${vendor}`, door, body), [0, 0])
      const cached = await cachedBehind(`auto-${vendor}`, door, body)
      assert.equal(cached[0], first)
      // The vendor's own marker stands on the last block: what comes before it is found again.
      assert.ok(Number(cached[1]) >= 1024 && Number(cached[1]) <= second, `${cached[1]} of ${second}`)
    })
  }

  test('a body with a marker of its own passes as it came, one without is told of', async () => {
    const [path, headers] = [`${harness.url}/v1/messages`, { authorization: `Bearer ${KEY}` }]
    const own = { model: 'auto-anthropic', ...messages(TURNS.slice(0, 1)) }
    const kept = await post(path, headers, own)
    assert.equal(kept.headers.get('x-gateway-adjusted'), null)
    const sent = simulator.calls.at(-1)?.body as Json
    assert.deepEqual(sent, { ...own, model: 'claude-sonnet-4-5' })
    const marked = await post(path, headers, { model: 'auto-anthropic', ...unmarkedMessages(TURNS.slice(0, 1)) })
    assert.equal(marked.headers.get('x-gateway-adjusted'), 'cache_control;route_cache')
    const explained = await manage('POST', '/routes/auto-anthropic/explain', chat(TURNS.slice(0, 1)))
    assert.deepEqual(explained.json.entries[0].wire.body.cache_control, MARKER.cache_control, explained.text)
  })
})
