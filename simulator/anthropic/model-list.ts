import type { Answer } from '../answer.ts'
import { errorAnswer, unknownModel } from './errors.ts'
import { ANTHROPIC_MODELS, type AnthropicModel, anthropicModel, EFFORTS, THINKING_TYPES } from './models.ts'

const DEFAULT_LIMIT = 20
const LARGEST_LIMIT = 1000

const LISTED_SCENARIOS = [
  'claude-sim-echo',
  'claude-sim-tools',
  'claude-sim-slow-500',
  'claude-sim-429',
  'claude-sim-500',
  'claude-sim-529',
  'claude-sim-hang',
  'claude-sim-refusal',
] as const

/** More than one default page, so that a client that forgets to turn the page is found out. */
const ENTRIES = [
  ...ANTHROPIC_MODELS.flatMap((model) => [model.id, ...model.aliases].map((id) => entry(id, model))),
  ...LISTED_SCENARIOS.map(scenarioEntry),
]

type Entry = ReturnType<typeof entry>

/** `after_id` and `before_id` are cursors of the page to come, not of the page before. */
export function listModels(query: URLSearchParams): Answer {
  const limit = Number(query.get('limit') ?? DEFAULT_LIMIT)
  if (!Number.isInteger(limit) || limit < 1) {
    return errorAnswer({ message: 'limit: Input should be greater than or equal to 1' })
  }
  if (limit > LARGEST_LIMIT) {
    return errorAnswer({ message: `limit: Input should be less than or equal to ${LARGEST_LIMIT}` })
  }
  const after = query.get('after_id')
  const before = query.get('before_id')
  if (after !== null && before !== null) {
    return errorAnswer({ message: 'before_id and after_id cannot both be specified' })
  }
  const lifecycle = query.get('lifecycle')
  const entries = ENTRIES.filter((candidate) => lifecycle === null || candidate.lifecycle === lifecycle)
  const cursor = after ?? before
  const position = entries.findIndex((candidate) => candidate.id === cursor)
  if (cursor !== null && position < 0) {
    return errorAnswer({ message: `${after === null ? 'before_id' : 'after_id'}: Invalid cursor` })
  }
  const start = before === null ? position + 1 : Math.max(0, position - limit)
  const end = before === null ? start + limit : position
  return page(entries.slice(start, end), before === null ? end < entries.length : start > 0)
}

export function getModel(id: string): Answer {
  const listed = ENTRIES.find((candidate) => candidate.id === id)
  if (listed) return { status: 200, body: listed }
  const model = anthropicModel(id)
  return model && !id.includes('sim-') ? { status: 200, body: entry(model.id, model) } : errorAnswer(unknownModel(id))
}

function page(data: Entry[], hasMore: boolean): Answer {
  const body = { data, has_more: hasMore, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
  return { status: 200, body }
}

function entry(id: string, model: AnthropicModel) {
  return {
    type: 'model',
    id,
    display_name: displayName(id),
    created_at: `${model.created}T00:00:00Z`,
    lifecycle: model.retires === null ? 'active' : 'deprecated',
    deprecated_at: model.retires === null ? null : '2026-08-01T00:00:00Z',
    retires_at: model.retires,
    line: model.line,
    max_input_tokens: model.window,
    max_tokens: model.maxOutput,
    capabilities: {
      batch: supported(true),
      citations: supported(true),
      effort: { ...supported(model.efforts.length > 0), ...flags(EFFORTS, model.efforts) },
      image_input: supported(true),
      pdf_input: supported(true),
      structured_outputs: supported(true),
      thinking: { ...supported(true), types: flags(THINKING_TYPES, model.thinking) },
    },
  }
}

/** A scenario without a model name before it accepts everything. */
function scenarioEntry(id: string): Entry {
  const anything: AnthropicModel = {
    id,
    line: 'simulator',
    created: '2025-01-01',
    window: 200_000,
    maxOutput: 64_000,
    aliases: [],
    efforts: EFFORTS,
    thinking: THINKING_TYPES,
    thinksByDefault: false,
    quietOnlyToHigh: false,
    sampling: 'free',
    prefill: true,
    forcedTools: true,
    hasGeo: true,
    retires: null,
  }
  return entry(id, anything)
}

function displayName(id: string): string {
  const [brand = '', line = '', ...version] = id.split('-')
  const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
  return `${capital(brand)} ${capital(line)} ${version.filter((part) => part.length < 8).join('.')}`
}

function flags(all: readonly string[], offered: readonly string[]) {
  return Object.fromEntries(all.map((name) => [name, supported(offered.includes(name))]))
}

function supported(value: boolean) {
  return { supported: value }
}
