import type { Dialect } from './dialect.ts'
import { PRICES } from './prices.ts'

const usdPerToken = (picodollars: bigint) => Number(picodollars) / 1e12

/** The models of the proofs; a fallback would have to be configured in its file. */
const MODELS = {
  plain: { model: 'openai/gpt-plain', family: 'openai', price: PRICES.cheap },
  claude: { model: 'anthropic/claude-plain', family: 'anthropic', price: PRICES.dear },
  dearer: { model: 'anthropic/claude-sim-length', family: 'anthropic', price: PRICES.dear },
  slow: { model: 'openai/gpt-sim-slow-150', family: 'openai', price: PRICES.cheap },
  events: { model: 'openai/gpt-sim-events-20-5', family: 'openai', price: PRICES.cheap },
} as const

/** LiteLLM's proxy with a database and `store_model_in_db`. */
export const litellm: Dialect = {
  adminPath: '/key/list',
  isRefusal: ({ status, text }) => (status === 400 || status === 429) && /budget/i.test(text),
  async addModels({ manage, simulator, tag, defer }) {
    const names = new Map<string, string>()
    for (const [name, { model, family, price }] of Object.entries(MODELS)) {
      const named = `${tag}-${name}`
      const input = usdPerToken(price.input)
      const { model_id: id = named } = await manage('POST', '/model/new', {
        model_name: named,
        litellm_params: {
          ...{ model, api_base: simulator[`${family}Url`], api_key: 'sk-simulated' },
          ...{ input_cost_per_token: input, output_cost_per_token: usdPerToken(price.output) },
          ...{ cache_read_input_token_cost: input, cache_creation_input_token_cost: input },
        },
        model_info: { id: named },
      })
      defer(() => manage('POST', '/model/delete', { id }))
      names.set(name, named)
    }
    return names
  },
  async newKey({ manage, tag, defer }, models, { budget }) {
    const limit = budget === undefined ? {} : { max_budget: Number(budget.usd) }
    const made = await manage('POST', '/key/generate', { models, ...limit, metadata: { made_by: tag } })
    defer(() => manage('POST', '/key/delete', { keys: [made.key] }))
    return { id: made.token ?? made.key, value: made.key }
  },
  async keyIds(manage) {
    const { keys = [], total_count: total = keys.length } = await manage('GET', '/key/list?size=100')
    return [String(total), ...keys.map((key: unknown) => JSON.stringify(key))]
  },
  async spent(manage, { value }) {
    const { info } = await manage('GET', `/key/info?key=${encodeURIComponent(value)}`)
    // Sums of floating-point numbers: rounded to a millionth of a cent.
    return BigInt(Math.round(Number(info?.spend ?? 0) * 1e8)) * 10_000n
  },
}
