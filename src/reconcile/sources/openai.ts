import { clipped, type ReportLine, ReportProblem, UNSAID } from '../line.ts'
import { floatDecimal, whole } from '../read/decimal.ts'
import { countOf, type JsonObject, type JsonText, jsonObjects, listOf, objectOf, textOf } from '../read/json.ts'
import { inUsd } from './money.ts'
import { HOUR_MS, type ReadOptions, type ReportSource } from './source.ts'

type Chunks = AsyncIterable<string> | Iterable<string>

/** A result of a page's bucket, with where it is. */
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
      const [start, end] = [secondsOf(bucket['start_time'], at), secondsOf(bucket['end_time'], at)]
      // Older reference pages call the list `result`.
      for (const result of listOf(bucket['results'] ?? bucket['result'], `${at}, results`)) {
        place++
        yield { start, end, place, at, fields: objectOf(result, at) }
      }
    }
  }
}

function secondsOf(value: JsonText | undefined, at: string): number {
  return Number(countOf(value ?? null, `${at}, start_time or end_time`)) * 1000
}

/** What each kind of usage counts beside tokens. */
const COUNTED: readonly (readonly [kind: RegExp, field: string, name: string, unit: string])[] = [
  [/web_search_calls/, 'num_requests', 'tool:web_search', 'calls'],
  [/file_search_calls/, 'num_requests', 'tool:file_search', 'calls'],
  [/code_interpreter_sessions/, 'num_sessions', 'tool:code_interpreter', 'sessions'],
  [/images/, 'images', 'other:images', 'images'],
  [/audio_speeches/, 'characters', 'other:characters', 'characters'],
  [/audio_transcriptions/, 'seconds', 'other:seconds', 'seconds'],
  [/vector_stores/, 'usage_bytes', 'other:stored bytes', 'bytes'],
]

async function* readUsage(chunks: Chunks): AsyncGenerator<ReportLine> {
  for await (const { start, end, place, at, fields } of resultsOf(chunks)) {
    const kind = textOf(fields['object'], at) ?? ''
    const counted = COUNTED.find(([pattern]) => pattern.test(kind))
    const quantities: [string, bigint, string][] =
      counted === undefined ? tokensOf(fields, at) : [[counted[2], countOf(fields[counted[1]] ?? null, at), counted[3]]]
    const asked = textOf(fields['num_model_requests'], at)
    const line = {
      ...UNSAID,
      ...{ start, end, place, zone: 'UTC', model: textOf(fields['model'], at), tier: tierOf(fields, at) },
      account: textOf(fields['api_key_id'], at) ?? textOf(fields['project_id'], at),
    }
    let requests = counted === undefined && asked !== null ? countOf(asked, `${at}, num_model_requests`) : null
    for (const [name, quantity, unit] of quantities) {
      yield { ...line, class: name, quantity, unit, requests }
      requests = null
    }
  }
}

function tierOf(fields: JsonObject, at: string): string | null {
  return fields['batch'] === true ? 'batch' : textOf(fields['service_tier'], at)
}

/** `input_tokens` and `output_tokens` include their parts; our classes do not overlap. */
function tokensOf(fields: JsonObject, at: string): [string, bigint, string][] {
  const count = (name: string) => countOf(fields[name] ?? null, `${at}, ${name}`)
  const parts: [string, bigint][] = [
    ['cached_input', count('input_cached_tokens')],
    ['cache_write_30m', count('input_cache_write_tokens')],
    ['audio_input', count('input_audio_tokens')],
  ]
  const answer: [string, bigint][] = [
    ['audio_output', count('output_audio_tokens')],
    ['image_output', count('output_image_tokens')],
  ]
  const rest = (name: string, of: readonly [string, bigint][]) => {
    const left = count(name) - of.reduce((sum, [, each]) => sum + each, 0n)
    if (left < 0n) throw new ReportProblem(`${at}, ${name}`, 'is less than its parts')
    return left
  }
  const all: [string, bigint][] = [
    ['input', rest('input_tokens', parts)],
    ...parts,
    ['output', rest('output_tokens', answer)],
    ...answer,
  ]
  const found = all.filter(([, tokens]) => tokens > 0n)
  return (found.length > 0 ? found : all.slice(0, 1)).map(([name, tokens]) => [name, tokens, 'tokens'])
}

/** The text after the last comma of a line item. */
const ITEM_CLASSES: Readonly<Record<string, string>> = {
  input: 'input',
  'cached input': 'cached_input',
  'input cached': 'cached_input',
  'cache write': 'cache_write_30m',
  'input cache write': 'cache_write_30m',
  'audio input': 'audio_input',
  'input audio': 'audio_input',
  output: 'output',
  'audio output': 'audio_output',
  'output audio': 'audio_output',
  'image output': 'image_output',
}

const ITEM_TOOLS: readonly (readonly [RegExp, string])[] = [
  [/^web search/i, 'tool:web_search'],
  [/^file search/i, 'tool:file_search'],
  [/^(?:container|code interpreter)/i, 'tool:code_interpreter'],
  [/credit|refund/i, 'credit'],
  [/\btax\b/i, 'tax'],
]

function itemOf(text: string): { model: string | null; class: string } {
  const comma = text.lastIndexOf(', ')
  const name = comma < 0 ? undefined : ITEM_CLASSES[text.slice(comma + 2).toLowerCase()]
  if (name !== undefined) return { model: text.slice(0, comma), class: name }
  const tool = ITEM_TOOLS.find(([pattern]) => pattern.test(text))
  return { model: null, class: tool?.[1] ?? `other:${clipped(text)}` }
}

const UNITS: Readonly<Record<string, bigint>> = { tokens: 1n, '1000_tokens': 1000n }

async function* readCosts(chunks: Chunks, options: ReadOptions): AsyncGenerator<ReportLine> {
  for await (const { start, end, place, at, fields } of resultsOf(chunks)) {
    const money = objectOf(fields['amount'], `${at}, amount`)
    const stated = textOf(money['value'], `${at}, amount.value`)
    if (stated === null) throw new ReportProblem(`${at}, amount.value`, 'is missing')
    const currency = textOf(money['currency'], `${at}, amount.currency`)
    const amount = inUsd(floatDecimal(stated, `${at}, amount.value`), currency, options, `${at}, amount`)
    const item = itemOf(textOf(fields['line_item'], `${at}, line_item`) ?? 'all items')
    const [unit, quantity] = [textOf(fields['quantity_unit'], at), textOf(fields['quantity'], at)]
    const factor = UNITS[unit ?? ''] ?? 1n
    const counted = quantity === null ? null : whole(times(floatDecimal(quantity, `${at}, quantity`), factor))
    yield {
      ...UNSAID,
      ...{ start, end, place, zone: 'UTC', model: item.model, unit: factor === 1n ? unit : 'tokens' },
      account: textOf(fields['api_key_id'], at) ?? textOf(fields['project_id'], at),
      // Corrections and credits are negative lines.
      class: amount < 0n ? 'credit' : item.class,
      ...{ amount, stated, currency: (currency ?? '').toUpperCase(), quantity: counted, tolerance: 1_000_000n },
    }
  }
}

function times<T extends { digits: bigint }>(value: T, factor: bigint): T {
  return { ...value, digits: value.digits * factor }
}

export const openaiUsage: ReportSource = {
  ...{ label: 'OpenAI usage', settleMs: HOUR_MS, mayRepeat: false },
  read: readUsage,
}
export const openaiCosts: ReportSource = {
  ...{ label: 'OpenAI costs', settleMs: 48 * HOUR_MS, mayRepeat: false },
  read: readCosts,
}
