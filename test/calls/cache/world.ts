import { type Answered, type Harness, type HarnessOptions, hello, KEY, startHarness } from '../../harness.ts'
import { type Manage, managing } from '../../management/manage.ts'

/** Another key of the same workspace, one with a default output limit, one with a hard budget, and one of another workspace. */
export const KEYS = {
  first: KEY,
  second: 'gw_live_second00000000000000000000000000',
  short: 'gw_live_short000000000000000000000000000',
  strict: 'gw_live_strict00000000000000000000000000',
  other: 'gw_live_other000000000000000000000000000',
}

const ROUTES = `
      own: { chain: [{ provider: openai, model: gpt-plain }], cache: { ttl_seconds: 60 } }
      twin: { chain: [{ provider: openai, model: gpt-plain }], cache: { ttl_seconds: 60 } }
      shared: { chain: [{ provider: openai, model: gpt-plain }], cache: { ttl_seconds: 60, scope: workspace } }
      acts: { chain: [{ provider: openai, model: gpt-sim-tools }], cache: { ttl_seconds: 60, tools: true } }
      claude: { chain: [{ provider: anthropic, model: claude-plain }], cache: { ttl_seconds: 60, scope: workspace } }
      vectors: { chain: [{ provider: openai, model: text-embedding-3-small }], cache: { ttl_seconds: 60 } }
      falls: { chain: [{ provider: openai, model: gpt-sim-500, retries: 0 }, { provider: anthropic, model: claude-plain }], cache: { ttl_seconds: 60 } }
      fails: { chain: [{ provider: openai, model: gpt-sim-500, retries: 0 }], cache: { ttl_seconds: 60 } }
      cut: { chain: [{ provider: openai, model: gpt-sim-stream-cut, retries: 0 }], cache: { ttl_seconds: 60 } }
      long: { chain: [{ provider: openai, model: gpt-plain }], cache: { ttl_seconds: 7200 } }
      plain: { chain: [{ provider: openai, model: gpt-plain }] }
      fitted: { chain: [{ provider: openai, model: gpt-sim-length }], cache: { ttl_seconds: 60, scope: workspace } }`

export const CONFIG = `
workspaces:
  default:
    routes:${ROUTES}
    keys:
      second: { value: ${KEYS.second} }
      short: { value: ${KEYS.short}, limits: { max_output_tokens: 7 } }
      strict: { value: ${KEYS.strict}, limits: { budget: { usd: "1000", per: total, mode: hard } } }
  other:
    routes:${ROUTES}
    keys:
      other: { value: ${KEYS.other} }
registry:
${[
  'openai, model: gpt-plain',
  'openai, model: gpt-sim-tools',
  'openai, model: gpt-sim-length',
  'anthropic, model: claude-plain',
  'openai, model: gpt-sim-500',
]
  .map((model) => `  - { provider: ${model}, input_per_mtok: "1", output_per_mtok: "5", max_output_tokens: 4096 }`)
  .join('\n')}
`

/** For tests of what is stored, however slow the machine is. */
export const LONG_LIVED = CONFIG.replaceAll('ttl_seconds: 60', 'ttl_seconds: 7200')

export interface World extends Harness {
  manage: Manage
  /** To any endpoint, with any key. */
  post(path: string, body: unknown, key?: string, headers?: Record<string, string>): Promise<Answered>
}

export async function startWorld(options: HarnessOptions = {}): Promise<World> {
  const harness = await startHarness({
    config: CONFIG,
    ...options,
    environment: { STREAMING: 'on', ...options.environment },
  })
  return {
    ...harness,
    manage: managing(() => harness),
    async post(path, body, key = KEY, headers = {}) {
      const response = await fetch(harness.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
      const text = await response.text()
      const json = text.startsWith('{') ? JSON.parse(text) : null
      return { status: response.status, headers: response.headers, text, json }
    },
  }
}

export const CHAT = '/v1/chat/completions'
export const verdict = (answer: Answered) => answer.headers.get('x-gateway-cache')

/** A call waits so long for a store that does not answer, and the next ones do not ask it for so long. */
const WAITS_MS = 2_000
const RESTS_MS = 5_000

/** On a stalled machine, a shared store answers too late: then, and only then, a stored answer is not used. */
export class Lateness {
  #restsUntil = 0

  /** `mayMiss`: it was late, or is left in peace. */
  async ask(call: () => Promise<Answered>): Promise<{ answer: Answered; mayMiss: boolean }> {
    const asked = performance.now()
    const answer = await call()
    const answered = performance.now()
    const isLate = answered - asked >= WAITS_MS
    const mayMiss = isLate || asked < this.#restsUntil
    if (isLate) this.#restsUntil = answered + RESTS_MS
    return { answer, mayMiss }
  }
}

let asked = 0
/** A request that has not been made before. */
export const fresh = (model: string, more: Record<string, unknown> = {}) => ({
  ...hello(model, more),
  user: `u${++asked}`,
})
