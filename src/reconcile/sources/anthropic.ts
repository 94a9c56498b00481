import { clipped, type ReportLine, ReportProblem, UNSAID } from '../line.ts'
import { CENT_POWER, floatDecimal } from '../read/decimal.ts'
import { countOf, type JsonObject, jsonObjects, listOf, objectOf, textOf } from '../read/json.ts'
import { instantOf } from '../read/times.ts'
import { inUsd } from './money.ts'
import { HOUR_MS, type ReadOptions, type ReportSource } from './source.ts'

type Chunks = AsyncIterable<string> | Iterable<string>

interface Result {
  start: number
  end: number
  place: number
  at: string
  fields: JsonObject
}

async function* resultsOf(chunks: Chunks): AsyncGenerator<Result> {
  let place = 0
  for await (const { place: page, object } of jsonObjects(chunks)) {
    for (const [index, each] of listOf(object['data'], `page ${page}, data`).entries()) {
      const at = `page ${page}, bucket ${index + 1}`
      const bucket = objectOf(each, at)
      const time = (name: string) => instantOf(textOf(bucket[name], `${at}, ${name}`) ?? '', null, `${at}, ${name}`)
      const [start, end] = [time('starting_at'), time('ending_at')]
      for (const result of listOf(bucket['results'], `${at}, results`)) {
        place++
        yield { start, end, place, at, fields: objectOf(result, at) }
      }
    }
  }
}

/** The default workspace has no id, and neither has what was used in the Console. */
const DEFAULT_WORKSPACE = 'default workspace'

const TOKEN_TYPES: Readonly<Record<string, string>> = {
  uncached_input_tokens: 'input',
  cache_read_input_tokens: 'cached_input',
  'cache_creation.ephemeral_5m_input_tokens': 'cache_write_5m',
  'cache_creation.ephemeral_1h_input_tokens': 'cache_write_1h',
  output_tokens: 'output',
}

async function* readUsage(chunks: Chunks): AsyncGenerator<ReportLine> {
  for await (const { start, end, place, at, fields } of resultsOf(chunks)) {
    const tools = objectOf(fields['server_tool_use'] ?? {}, `${at}, server_tool_use`)
    const quantities: [string, bigint, string][] = Object.entries(TOKEN_TYPES).map(([path, name]) => [
      name,
      countOf(valueAt(fields, path, at), `${at}, ${path}`),
      'tokens',
    ])
    quantities.push(['tool:web_search', countOf(tools['web_search_requests'] ?? null, at), 'calls'])
    const account = textOf(fields['api_key_id'], at) ?? textOf(fields['workspace_id'], at) ?? DEFAULT_WORKSPACE
    const line = { ...UNSAID, start, end, place, zone: 'UTC', account, model: textOf(fields['model'], at) }
    for (const [name, quantity, unit] of quantities) {
      if (quantity > 0n) yield { ...line, tier: tierOf(fields, at), class: name, quantity, unit }
    }
  }
}

function valueAt(fields: JsonObject, path: string, at: string) {
  const [first = '', second] = path.split('.')
  if (second === undefined) return fields[first] ?? null
  return objectOf(fields[first] ?? {}, `${at}, ${first}`)[second] ?? null
}

/** Service tier, context window and region each have their own price: together they are the tier. */
function tierOf(fields: JsonObject, at: string): string | null {
  const named = ['service_tier', 'context_window', 'inference_geo', 'speed']
    .map((name) => textOf(fields[name], `${at}, ${name}`))
    .filter((text) => text !== null && !PLAIN_TIERS.has(text))
  return named.length === 0 ? null : named.join(' ')
}

const PLAIN_TIERS: ReadonlySet<string | null> = new Set(['standard', '0-200k', 'global', 'not_available'])

async function* readCosts(chunks: Chunks, options: ReadOptions): AsyncGenerator<ReportLine> {
  for await (const { start, end, place, at, fields } of resultsOf(chunks)) {
    const stated = textOf(fields['amount'], `${at}, amount`)
    if (stated === null) throw new ReportProblem(`${at}, amount`, 'is missing')
    const currency = textOf(fields['currency'], `${at}, currency`)
    // "123.45" are cents.
    const amount = inUsd(floatDecimal(stated, `${at}, amount`), currency, options, `${at}, amount`, CENT_POWER)
    yield {
      ...UNSAID,
      ...{ start, end, place, zone: 'UTC', model: textOf(fields['model'], at), tier: tierOf(fields, at) },
      account: textOf(fields['workspace_id'], at) ?? DEFAULT_WORKSPACE,
      class: amount < 0n ? 'credit' : costClass(fields, at),
      ...{ amount, stated, currency: (currency ?? '').toUpperCase(), tolerance: 1_000_000n },
    }
  }
}

const COST_TYPES: Readonly<Record<string, string>> = {
  web_search: 'tool:web_search',
  code_execution: 'tool:code_execution',
}

function costClass(fields: JsonObject, at: string): string {
  const [type, token] = [textOf(fields['cost_type'], at) ?? 'tokens', textOf(fields['token_type'], at)]
  if (type === 'tokens' && token !== null) return TOKEN_TYPES[token] ?? `other:${clipped(token)}`
  return COST_TYPES[type] ?? `other:${clipped(textOf(fields['description'], at) ?? type)}`
}

export const anthropicUsage: ReportSource = {
  ...{ label: 'Anthropic usage report', settleMs: HOUR_MS, mayRepeat: false },
  read: readUsage,
}
export const anthropicCosts: ReportSource = {
  ...{ label: 'Anthropic cost report', settleMs: 48 * HOUR_MS, mayRepeat: false },
  read: readCosts,
}
