/** What LiteLLM calls a provider, and the row that serves it here. Read in its release 1.97. */
export interface PrefixRow {
  family: string
  preset?: string
  /** Its address where the file has none. Absent: the preset's or the family's own. */
  address?: string
  /** Variables that LiteLLM reads for an address, in this order. */
  addressVariables?: readonly string[]
  /** Variables that LiteLLM reads for a key: the first that is set. */
  keyVariables: readonly string[]
  /** Works without a key. */
  isLocal?: true
  /** Every installation has its own address. */
  needsAddress?: true
  /** How it differs from what LiteLLM does. */
  note?: string
}

type Shape = Partial<PrefixRow>

function row(prefix: string, shape: Shape = {}): [string, PrefixRow] {
  return [prefix, { family: 'openai', keyVariables: [`${prefix.toUpperCase()}_API_KEY`], ...shape }]
}

const preset = (name: string, shape: Shape = {}) => row(name, { preset: name, ...shape })
const own = (prefix: string) => row(prefix, { needsAddress: true, isLocal: true })
const at = (prefix: string, address: string, shape: Shape = {}) => row(prefix, { address, ...shape })

const NATIVE = 'LiteLLM speaks its own API; here its OpenAI-compatible one is called'
const OLLAMA =
  'here its OpenAI-compatible API is called: native options such as num_ctx and keep_alive do not exist there'
const TOGETHER_KEYS = ['TOGETHER_API_KEY', 'TOGETHER_AI_API_KEY', 'TOGETHERAI_API_KEY', 'TOGETHER_AI_TOKEN']
const FIREWORKS_KEYS = ['FIREWORKS_API_KEY', 'FIREWORKS_AI_API_KEY', 'FIREWORKSAI_API_KEY', 'FIREWORKS_AI_TOKEN']
const ollama = {
  preset: 'ollama',
  address: 'http://localhost:11434',
  addressVariables: ['OLLAMA_API_BASE'],
  keyVariables: ['OLLAMA_API_KEY'],
  isLocal: true,
  note: OLLAMA,
} as const
const vllm = { preset: 'vllm', needsAddress: true, isLocal: true, addressVariables: ['HOSTED_VLLM_API_BASE'] } as const
const cohere = { preset: 'cohere', keyVariables: ['COHERE_API_KEY'], note: NATIVE }
const vertex = { family: 'vertex', keyVariables: [] }

export const PREFIXES: ReadonlyMap<string, PrefixRow> = new Map([
  row('openai', { addressVariables: ['OPENAI_BASE_URL', 'OPENAI_API_BASE'] }),
  ...['openai_like', 'custom_openai', 'litellm_proxy', 'aiohttp_openai', 'llamafile'].map(own),
  ...['xinference', 'docker_model_runner', 'infinity'].map(own),
  row('azure', { preset: 'azure', needsAddress: true, addressVariables: ['AZURE_API_BASE'] }),
  row('azure_ai', { needsAddress: true, addressVariables: ['AZURE_AI_API_BASE'] }),
  row('anthropic', { family: 'anthropic', addressVariables: ['ANTHROPIC_API_BASE', 'ANTHROPIC_BASE_URL'] }),
  row('bedrock', { family: 'bedrock', keyVariables: ['AWS_BEARER_TOKEN_BEDROCK'], isLocal: true }),
  row('vertex_ai', vertex),
  row('vertex_ai_beta', vertex),
  row('gemini', { family: 'gemini', keyVariables: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'] }),
  ...['groq', 'mistral', 'xai', 'cerebras', 'openrouter'].map((name) => preset(name)),
  preset('deepseek', { note: 'LiteLLM calls the address …/beta' }),
  row('together_ai', { preset: 'together', keyVariables: TOGETHER_KEYS }),
  row('fireworks_ai', { preset: 'fireworks', keyVariables: FIREWORKS_KEYS }),
  row('cohere', cohere),
  row('cohere_chat', cohere),
  row('ollama', ollama),
  row('ollama_chat', ollama),
  row('hosted_vllm', vllm),
  row('vllm', vllm),
  row('lm_studio', { preset: 'lmstudio', needsAddress: true, isLocal: true, addressVariables: ['LM_STUDIO_API_BASE'] }),
  at('perplexity', 'https://api.perplexity.ai', { keyVariables: ['PERPLEXITYAI_API_KEY', 'PERPLEXITY_API_KEY'] }),
  at('nvidia_nim', 'https://integrate.api.nvidia.com/v1'),
  at('deepinfra', 'https://api.deepinfra.com/v1/openai'),
  at('sambanova', 'https://api.sambanova.ai/v1'),
  at('nebius', 'https://api.studio.nebius.ai/v1'),
  at('novita', 'https://api.novita.ai/v3/openai'),
  at('moonshot', 'https://api.moonshot.ai/v1'),
  at('dashscope', 'https://dashscope.aliyuncs.com/compatible-mode/v1'),
  at('zai', 'https://api.z.ai/api/paas/v4'),
  at('volcengine', 'https://ark.cn-beijing.volces.com/api/v3'),
  at('baseten', 'https://inference.baseten.co/v1'),
  at('hyperbolic', 'https://api.hyperbolic.xyz/v1'),
  at('featherless_ai', 'https://api.featherless.ai/v1'),
  at('lambda_ai', 'https://api.lambda.ai/v1'),
  at('nscale', 'https://inference.api.nscale.com/v1'),
  at('friendliai', 'https://api.friendli.ai/serverless/v1'),
  at('wandb', 'https://api.inference.wandb.ai/v1'),
  at('meta_llama', 'https://api.llama.com/compat/v1'),
  at('codestral', 'https://codestral.mistral.ai/v1'),
  at('vercel_ai_gateway', 'https://ai-gateway.vercel.sh/v1'),
  at('github', 'https://models.inference.ai.azure.com'),
  at('huggingface', 'https://router.huggingface.co/v1', { keyVariables: ['HF_TOKEN', 'HUGGINGFACE_API_KEY'] }),
  row('databricks', { needsAddress: true, addressVariables: ['DATABRICKS_API_BASE'] }),
])

const TRANSLATED =
  'LiteLLM translates for this vendor, the gateway does not; if it has an OpenAI-compatible address, add a row'
const NO_COMPLETIONS = 'there is no completions endpoint here'
const ROUTER = 'routes are not chosen by what a prompt says'

/** Prefixes without a row, and why. */
export const WITHOUT_ROW: ReadonlyMap<string, string> = new Map([
  ...['azure_text', 'text-completion-openai', 'text-completion-codestral'].map(
    (name) => [name, NO_COMPLETIONS] as const,
  ),
  ...['auto_router', 'complexity_router', 'quality_router', 'adaptive_router'].map((name) => [name, ROUTER] as const),
  ...[
    ...['replicate', 'sagemaker', 'sagemaker_chat', 'watsonx', 'watsonx_text', 'cloudflare', 'oci', 'snowflake'],
    ...['triton', 'predibase', 'nlp_cloud', 'ai21', 'ai21_chat', 'voyage', 'jina_ai', 'github_copilot', 'chatgpt'],
    ...['custom', 'langgraph', 'deepgram', 'elevenlabs', 'assemblyai', 'stability', 'recraft', 'fal_ai', 'runwayml'],
  ].map((name) => [name, TRANSLATED] as const),
])

export const MANTLE = 'bedrock_mantle'

/** A model without a prefix belongs to the vendor whose names look like it. */
const BARE_NAMES: readonly (readonly [RegExp, string])[] = [
  [/^(gpt-|o[1-4](-|$)|chatgpt-|ft:gpt|text-embedding-)/, 'openai'],
  [/^claude/, 'anthropic'],
  [/^gemini-/, 'vertex_ai'],
  [/^command/, 'cohere'],
]

export interface NamedModel {
  /** Null: LiteLLM would refuse it, too. */
  prefix: string | null
  model: string
}

/** `custom_llm_provider`, else what is before the first slash, else the vendor of the name or of the address. */
export function namedModel(model: string, custom: unknown, address: unknown): NamedModel {
  if (typeof custom === 'string' && custom !== '') {
    return { prefix: custom, model: model.startsWith(`${custom}/`) ? model.slice(custom.length + 1) : model }
  }
  const slash = model.indexOf('/')
  const first = model.slice(0, Math.max(0, slash))
  if (PREFIXES.has(first) || WITHOUT_ROW.has(first) || first === MANTLE) {
    return { prefix: first, model: model.slice(slash + 1) }
  }
  const prefix = BARE_NAMES.find(([pattern]) => pattern.test(model))?.[1] ?? prefixOfAddress(address)
  return { prefix, model }
}

function prefixOfAddress(address: unknown): string | null {
  const host = typeof address === 'string' ? URL.parse(address)?.host : undefined
  const known = [...PREFIXES].find(([, { address: own }]) => own !== undefined && URL.parse(own)?.host === host)
  return host === undefined ? null : (known?.[0] ?? null)
}

/** Rows whose models are known here without the row's name before them, too. */
export const BARE_PREFIX_ROWS: ReadonlySet<string> = new Set(['openai', 'anthropic'])
