import { modelBeforeScenario } from '../scenarios.ts'

/** What a model accepts on chat completions. */
export interface OpenaiModel {
  id: string
  created: string
  window: number
  maxOutput: number
  aliases?: readonly string[]
  /** Empty: not a reasoning model. */
  efforts?: readonly string[]
  /** Function tools on chat completions. */
  tools?: 'never' | 'effort-none' | 'effort-none-or-absent'
  shutdown?: string
}

const UP_TO_XHIGH = ['low', 'medium', 'high', 'xhigh'] as const
const FROM_NONE = ['none', ...UP_TO_XHIGH] as const
const GPT_5 = ['minimal', 'low', 'medium', 'high'] as const
const WIDE = { window: 1_050_000, maxOutput: 128_000 } as const
const MIDDLE = { window: 400_000, maxOutput: 128_000 } as const
const OLD = { window: 1_047_576, maxOutput: 32_768, shutdown: '2027-01-14' } as const
const OMNI = { window: 128_000, maxOutput: 16_384, shutdown: '2027-01-14' } as const

/** The vendor's chat models in November 2026. Some creation dates are invented; nothing depends on them. */
export const OPENAI_MODELS: readonly OpenaiModel[] = [
  { id: 'gpt-6.1-sol', created: '2026-10-27', ...WIDE, efforts: UP_TO_XHIGH, tools: 'never' },
  { id: 'gpt-6.1-terra', created: '2026-10-27', ...WIDE, efforts: FROM_NONE, tools: 'effort-none' },
  { id: 'gpt-6-astra', created: '2026-09-15', ...WIDE, efforts: UP_TO_XHIGH, tools: 'never' },
  { id: 'gpt-6-sol', created: '2026-09-15', ...WIDE, efforts: FROM_NONE, tools: 'effort-none' },
  { id: 'gpt-6-luna', created: '2026-09-15', ...WIDE, efforts: FROM_NONE, tools: 'effort-none' },
  { id: 'gpt-5.6-sol', created: '2026-07-08', ...WIDE, aliases: ['gpt-5.6'], efforts: FROM_NONE, tools: 'effort-none' },
  { id: 'gpt-5.6-terra', created: '2026-07-08', ...WIDE, efforts: FROM_NONE, tools: 'effort-none' },
  { id: 'gpt-5.6-luna', created: '2026-07-08', ...WIDE, efforts: FROM_NONE, tools: 'effort-none' },
  dated('gpt-5.5', '2026-04-23', { ...WIDE, efforts: FROM_NONE, tools: 'effort-none-or-absent' }),
  dated('gpt-5.4', '2026-03-05', { ...WIDE, efforts: FROM_NONE, tools: 'effort-none-or-absent' }),
  dated('gpt-5.4-mini', '2026-03-17', { ...MIDDLE, efforts: FROM_NONE, tools: 'effort-none-or-absent' }),
  dated('gpt-5.4-nano', '2026-03-17', { ...MIDDLE, efforts: FROM_NONE, tools: 'effort-none-or-absent' }),
  dated('gpt-5.2', '2025-12-11', { ...MIDDLE, efforts: FROM_NONE }),
  dated('gpt-5.1', '2025-11-13', { ...MIDDLE, efforts: ['none', 'low', 'medium', 'high'], shutdown: '2027-04-01' }),
  dated('gpt-5', '2025-08-07', { ...MIDDLE, efforts: GPT_5, shutdown: '2026-12-11' }),
  dated('gpt-5-mini', '2025-08-07', { ...MIDDLE, efforts: GPT_5, shutdown: '2026-12-11' }),
  dated('gpt-5-nano', '2025-08-07', { ...MIDDLE, efforts: GPT_5, shutdown: '2026-12-11' }),
  dated('o3', '2025-04-16', {
    window: 200_000,
    maxOutput: 100_000,
    efforts: ['low', 'medium', 'high'],
    shutdown: '2026-12-11',
  }),
  dated('gpt-4.1', '2025-04-14', OLD),
  dated('gpt-4.1-mini', '2025-04-14', OLD),
  { id: 'gpt-4o', created: '2024-05-13', ...OMNI, aliases: ['gpt-4o-2024-08-06', 'gpt-4o-2024-11-20'] },
  dated('gpt-4o-mini', '2024-07-18', OMNI),
]

/** What a model accepts on embeddings. */
export interface EmbeddingModel {
  id: string
  created: string
  /** Of its vectors, unless the request asks for fewer. */
  dimensions: number
  takesDimensions: boolean
}

const EMBEDDING_MODELS: readonly EmbeddingModel[] = [
  { id: 'text-embedding-3-small', created: '2024-01-22', dimensions: 1536, takesDimensions: true },
  { id: 'text-embedding-3-large', created: '2024-01-22', dimensions: 3072, takesDimensions: true },
  { id: 'text-embedding-ada-002', created: '2022-12-16', dimensions: 1536, takesDimensions: false },
]

const LISTED_SCENARIOS = ['gpt-sim-echo', 'gpt-sim-tools', 'gpt-sim-slow-500', 'gpt-sim-429', 'gpt-sim-500'] as const

export interface OpenaiModelEntry {
  id: string
  object: 'model'
  created: number
  owned_by: string
  shutdown_date: string | null
}

/** The model list as the vendor sends it: dated snapshots are entries of their own. */
export const OPENAI_MODEL_LIST: readonly OpenaiModelEntry[] = [
  ...OPENAI_MODELS.flatMap((model) =>
    [model.id, ...(model.aliases ?? [])].map((id) => entry(id, model.created, model.shutdown ?? null)),
  ),
  ...EMBEDDING_MODELS.map(({ id, created }) => entry(id, created, null)),
  ...LISTED_SCENARIOS.map((id) => entry(id, '2026-11-01', null)),
]

/** The rules of the model; an unlisted id of a reasoning series gets the rules that all of the series share. */
export function openaiModel(id: string): OpenaiModel | null {
  const name = modelBeforeScenario(id)
  const listed = OPENAI_MODELS.find((model) => model.id === name || model.aliases?.includes(name))
  if (listed) return listed
  if (!/^(o\d|gpt-([5-9]|\d\d))/.test(name)) return null
  return { id: name, created: '2026-01-01', ...WIDE, efforts: ['minimal', ...FROM_NONE] }
}

/** One of the vendor's, or null. */
export function embeddingModel(id: string): EmbeddingModel | null {
  const name = modelBeforeScenario(id)
  return EMBEDDING_MODELS.find((model) => model.id === name) ?? null
}

function dated(id: string, date: string, rest: Omit<OpenaiModel, 'id' | 'created' | 'aliases'>): OpenaiModel {
  return { id, created: date, aliases: [`${id}-${date}`], ...rest }
}

function entry(id: string, created: string, shutdown: string | null): OpenaiModelEntry {
  const ownedBy = id.includes('sim-') ? 'simulator' : 'system'
  return { id, object: 'model', created: Date.parse(created) / 1000, owned_by: ownedBy, shutdown_date: shutdown }
}
