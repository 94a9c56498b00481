import { type Harness, KEY, startHarness } from '../../harness.ts'

export const API_KEY = 'AIzaSyTest0123456789abcdefghijklmnopqrst'

const PRICE = 'input_per_mtok: "1", cached_input_per_mtok: "0.25", output_per_mtok: "10", max_output_tokens: 4096'
const MODELS = ['echo', 'tools', 'tools-2', 'cached-30', 'reasoning-16', 'length', 'refusal', 'events-40-0'].map(
  (scenario) => `gemini-3.5-flash-sim-${scenario}`,
)
/** Others are scripted: each test has its own, so that no circuit opens for the next one. */
export const SCRIPTED = Array.from({ length: 30 }, (_, at) => `gemini-3.5-flash-${at}`)

const route = (model: string) => `      ${model}: { chain: [{ provider: google, model: ${model}, retries: 1 }] }`
const price = (model: string) => `  - { provider: google, model: ${model}, ${PRICE} }`
const three = SCRIPTED.map(
  (model, at) =>
    `      three-${at}: { chain: [${['openai, model: gpt', 'anthropic, model: claude'].map((each) => `{ provider: ${each}-${at}, retries: 0 }`).join(', ')}, { provider: google, model: ${model}, retries: 0 }] }`,
)

export const CONFIG = `
providers:
  google: { family: gemini, base_url: "\${SIMULATED_GEMINI}", api_key: ${API_KEY} }
workspaces:
  default:
    streaming: true
    routes:
      gemini-2.5: { chain: [{ provider: google, model: gemini-2.5-flash-sim-tools }] }
      lite: { chain: [{ provider: google, model: gemini-3.5-flash-lite-sim-echo }] }
      embed: { chain: [{ provider: google, model: gemini-embedding-001 }] }
${[...MODELS, ...SCRIPTED].map(route).join('\n')}
${three.join('\n')}
registry:
${[...MODELS, ...SCRIPTED].map(price).join('\n')}
  - { provider: google, model: gemini-embedding-001, input_per_mtok: "1", output_per_mtok: "0", mode: embedding }
`

export function startGemini(): Promise<Harness> {
  return startHarness({ config: CONFIG, simulator: { geminiKey: API_KEY } })
}

/** Posts to any endpoint. */
export async function post(url: string, path: string, body: object) {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}`, 'x-api-key': KEY },
    body: JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

export const WEATHER = {
  type: 'function',
  function: {
    name: 'weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}
