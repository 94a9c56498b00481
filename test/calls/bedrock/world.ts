import { type HarnessOptions, KEY, startHarness } from '../../harness.ts'

export const NOVA = 'amazon.nova-pro-v1:0'
export const CLAUDE = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
export const BEDROCK_KEY = 'bedrock-api-key-0123456789'

const price = (model: string, provider = 'bedrock') =>
  `  - { provider: ${provider}, model: "${model}", input_per_mtok: "1", output_per_mtok: "5", cache_write_5m_per_mtok: "2", cache_write_1h_per_mtok: "3", cached_input_per_mtok: "0.5", max_output_tokens: 4096 }`

/** A provider of the family in front of the simulator, with aliases for one model of each format and for a chain. */
export function bedrockConfig(more: { provider?: string; routes?: string; models?: string[] } = {}): string {
  const { provider = `api_key: ${BEDROCK_KEY}`, routes = '', models = [] } = more
  return `
providers:
  bedrock: { family: bedrock, base_url: "\${SIMULATED_BEDROCK}", settings: { region: us-east-1 }, ${provider} }
workspaces:
  default:
    streaming: true
    routes:
      nova: { chain: [{ provider: bedrock, model: "${NOVA}", retries: 0 }] }
      claude: { chain: [{ provider: bedrock, model: "${CLAUDE}", retries: 0 }] }
      gpt: { chain: [{ provider: openai, model: gpt-5 }] }
      three: { chain: [{ provider: bedrock, model: "${NOVA}", retries: 0 }, { provider: anthropic, model: claude-opus-5, retries: 0 }, { provider: openai, model: gpt-5, retries: 0 }] }
${routes}
registry:
${[...new Set([NOVA, CLAUDE, ...models])].map((model) => price(model)).join('\n')}
${price('claude-opus-5', 'anthropic')}
${price('gpt-5', 'openai')}
`
}

export async function startBedrock(options: HarnessOptions & { config?: string } = {}) {
  const harness = await startHarness({ config: bedrockConfig(), ...options })
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(harness.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text.startsWith('{') ? JSON.parse(text) : null,
    }
  }
  return { ...harness, post }
}

/** The objects of a stream's events. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
export function eventsIn(text: string): any[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)))
}
