import { type Harness, type Json, KEY, startHarness } from '../../harness.ts'

export const API_KEY = 'AIzaSyTest0123456789abcdefghijklmnopqrst'
const PRICE = 'input_per_mtok: "1", cached_input_per_mtok: "0.25", output_per_mtok: "10", max_output_tokens: 4096'

/** One way through the gateway for each family, by the scenario of the simulator. */
const WAYS: Readonly<Record<string, [provider: string, model: (scenario: string) => string]>> = {
  native: ['google', (scenario) => `gemini-3.5-flash-sim-${scenario}`],
  chat: ['openai', (scenario) => `gpt-sim-${scenario}`],
  messages: ['anthropic', (scenario) => `claude-sim-${scenario}`],
}
export const NAMES = Object.keys(WAYS)
const SCENARIOS = ['echo', 'tools', 'tools-2', 'cached-30', 'reasoning-16', 'length', 'refusal', 'events-40-0']

const rows = NAMES.flatMap((way) =>
  SCENARIOS.map((scenario) => {
    const [provider, model] = WAYS[way] ?? ['', String]
    return { alias: `${way}-${scenario}`, provider, model: model(scenario) }
  }),
)

export const CONFIG = `
providers:
  google: { family: gemini, base_url: "\${SIMULATED_GEMINI}", api_key: ${API_KEY} }
workspaces:
  default:
    streaming: true
    routes:
${rows.map(({ alias, provider, model }) => `      ${alias}: { chain: [{ provider: ${provider}, model: ${model}, retries: 0 }] }`).join('\n')}
      scripted: { chain: [{ provider: google, model: gemini-3.5-flash-scripted, retries: 0 }] }
      scripted-chat: { chain: [{ provider: openai, model: gpt-scripted, retries: 0 }] }
      scripted-messages: { chain: [{ provider: anthropic, model: claude-scripted, retries: 0 }] }
      native-embed: { chain: [{ provider: google, model: gemini-embedding-001-sim-echo, retries: 0 }] }
      scripted-embed: { chain: [{ provider: google, model: gemini-embedding-scripted, retries: 0 }] }
      chat-embed: { chain: [{ provider: openai, model: text-embedding-sim-echo, retries: 0 }] }
      two-accounts: { chain: [{ provider: google, model: gemini-3.5-flash-sim-echo }, { provider: google, model: gemini-3.5-flash-scripted }] }
      limited: { chain: [{ provider: google, model: gemini-3.5-flash-sim-echo, max_output_tokens: 50 }] }
registry:
  - { provider: google, model: gemini-embedding-001-sim-echo, mode: embedding, input_per_mtok: "1", output_per_mtok: "0" }
${[...new Set(rows.map(({ provider, model }) => `  - { provider: ${provider}, model: ${model}, ${PRICE} }`))].join('\n')}
`

export function startWorld(environment: Record<string, string> = {}): Promise<Harness> {
  return startHarness({ config: CONFIG, simulator: { geminiKey: API_KEY }, environment })
}

export interface Said {
  status: number
  headers: Headers
  text: string
  json: Json
}

/** Posts to a method of a model. `text`: the body as it is sent. */
export async function post(
  url: string,
  path: string,
  body: object | string,
  headers: Record<string, string> = { 'x-goog-api-key': KEY },
): Promise<Said> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  let json: Json = null
  try {
    json = JSON.parse(text)
  } catch {
    // A stream.
  }
  return { status: response.status, headers: response.headers, text, json }
}

export const ask = (text: string): Json => ({ contents: [{ role: 'user', parts: [{ text }] }] })

export const generate = (model: string) => `/v1beta/models/${model}:generateContent`
export const stream = (model: string) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`

/** The objects of a stream's frames. */
export function framesOf(text: string): Json[] {
  return text
    .split('\r\n\r\n')
    .filter((frame) => frame.startsWith('data: '))
    .map((frame) => JSON.parse(frame.slice('data: '.length)))
}

export const WEATHER = {
  functionDeclarations: [
    {
      name: 'weather',
      description: 'The weather',
      parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } }, required: ['city'] },
    },
  ],
}
