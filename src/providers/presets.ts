import { VENDORS } from './openai/presets/vendors.ts'

/** What is known of a vendor whose servers speak a family's format. */
export interface Preset {
  family: string
  /** Null: every installation has its own. */
  baseUrl: string | null
}

/** Every preset, by its name. */
export const PRESETS: ReadonlyMap<string, Preset> = new Map(
  [...VENDORS].map(([name, { baseUrl }]) => [name, { family: 'openai', baseUrl }]),
)

/** How people know each family and preset, and what one needs or gets there. */
const SHOWN: Readonly<Record<string, readonly [title: string, hint: string]>> = {
  openai: ['OpenAI', 'GPT models'],
  anthropic: ['Anthropic', 'Claude models'],
  gemini: ['Google Gemini', 'Gemini API key'],
  vertex: ['Google Vertex AI', 'Google Cloud service account'],
  bedrock: ['Amazon Bedrock', 'AWS credentials'],
  azure: ['Azure OpenAI', 'Microsoft deployments'],
  cerebras: ['Cerebras', 'Fast open models'],
  cohere: ['Cohere', 'Command models'],
  deepseek: ['DeepSeek', 'DeepSeek models'],
  fireworks: ['Fireworks AI', 'Open models'],
  groq: ['Groq', 'Fast open models'],
  jina: ['Jina AI', 'Embeddings and rerank'],
  lmstudio: ['LM Studio', 'Runs on your machine'],
  mistral: ['Mistral AI', 'Mistral models'],
  ollama: ['Ollama', 'Runs on your machine'],
  openrouter: ['OpenRouter', 'Many vendors, one key'],
  together: ['Together AI', 'Open models'],
  vllm: ['vLLM', 'Your own server'],
  voyage: ['Voyage AI', 'Embeddings and rerank'],
  xai: ['xAI', 'Grok models'],
}

/** One without a row shows its own name. */
export function shown(name: string): { title: string; hint: string } {
  const [title, hint] = SHOWN[name] ?? [name, '']
  return { title, hint }
}
