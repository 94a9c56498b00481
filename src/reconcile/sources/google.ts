import { clipped, type ReportLine, ReportProblem, UNSAID } from '../line.ts'
import { csvRecords } from '../read/csv.ts'
import { type Decimal, floatDecimal, scaled, whole } from '../read/decimal.ts'
import { type JsonObject, jsonObjects, listOf, objectOf, textOf } from '../read/json.ts'
import { instantOf } from '../read/times.ts'
import { inUsd } from './money.ts'
import { HOUR_MS, type ReadOptions, type ReportSource } from './source.ts'

/** A row of the billing export by column: nested names are joined with an underscore, as flat exports write them. */
interface Row {
  place: string
  line: number
  columns: Readonly<Record<string, string | null>>
  credits: string[]
}

/** The billing export to BigQuery, as newline-delimited JSON or as a flat CSV. */
async function* read(
  chunks: AsyncIterable<string> | Iterable<string>,
  options: ReadOptions,
): AsyncGenerator<ReportLine> {
  for await (const row of rowsOf(chunks)) {
    const service = `${row.columns['service_description']} ${row.columns['service_id'] ?? ''}`
    if (/gemini|vertex|generative language/i.test(service)) yield* linesOf(row, options)
  }
}

async function* rowsOf(chunks: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Row> {
  const { first, all } = await peeked(chunks)
  if (/^\uFEFF?\s*[[{]/.test(first)) {
    for await (const { place, object } of jsonObjects(all)) yield jsonRow(object, place)
    return
  }
  for await (const { line, values } of csvRecords(all)) {
    const columns = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [flat(name), value.trim() || null]),
    )
    const credits = columns['credits_amount'] ?? columns['credits']
    yield { place: `line ${line}`, line, columns, credits: credits ? [credits] : [] }
  }
}

async function peeked(chunks: AsyncIterable<string> | Iterable<string>) {
  const iterator = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]()
  const { value, done } = await iterator.next()
  const first: string = done === true ? '' : value
  return {
    first,
    all: (async function* () {
      yield first
      for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
    })(),
  }
}

function flat(name: string): string {
  return name.trim().replaceAll('.', '_')
}

function jsonRow(object: JsonObject, place: number): Row {
  const at = `document ${place}`
  const columns: Record<string, string | null> = {}
  for (const [name, value] of Object.entries(object)) {
    if (typeof value === 'string') columns[name] = value
    else if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [inner, each] of Object.entries(value))
        if (typeof each === 'string') columns[`${name}_${inner}`] = each
    }
  }
  const credits = listOf(object['credits'] ?? [], `${at}, credits`).map(
    (each) => textOf(objectOf(each, `${at}, credits`)['amount'], `${at}, credits.amount`) ?? '0',
  )
  return { place: at, line: place, columns, credits }
}

/** From the words of a SKU. Cache before direction: a cached input is an input too. */
const SKU_CLASSES: readonly (readonly [RegExp, string])[] = [
  [/grounding|search/i, 'tool:google_search'],
  [/cach(?:ed|ing|e)\b.*storage|storage.*cach/i, 'other:cache storage'],
  [/cach(?:ed|ing|e)\b/i, 'cached_input'],
  [/audio.*input|input.*audio/i, 'audio_input'],
  [/audio.*output|output.*audio/i, 'audio_output'],
  [/image.*output|output.*image/i, 'image_output'],
  [/input/i, 'input'],
  [/output|response|thinking/i, 'output'],
]
const SKU_TIERS: readonly (readonly [RegExp, string])[] = [
  [/batch/i, 'batch'],
  [/flex/i, 'flex'],
  [/priority/i, 'priority'],
  [/long context|> ?200k/i, 'long context'],
]
const SKU_WORDS =
  /\b(?:generate content|input|output|response|thinking|text|audio|image|video|token count|tokens?|cached|caching|cache|batch|flex|priority|long context|short context|predictions?|count|for)\b|[-–(),>]|\b200k\b/gi

/** What is left of the description without the words of direction and tier, spelled like a model id. */
function modelOf(description: string): string | null {
  const name = description.replaceAll(SKU_WORDS, ' ').trim().replaceAll(/\s+/g, '-').toLowerCase()
  return name === '' ? null : name
}

const COST_TYPES: Readonly<Record<string, string>> = { tax: 'tax', adjustment: 'credit', rounding_error: 'fee' }

function* linesOf({ place, line, columns, credits }: Row, options: ReadOptions): Generator<ReportLine> {
  const required = (name: string) => {
    const value = columns[name]
    if (value === null || value === undefined) throw new ReportProblem(`${place}, ${name}`, 'is missing')
    return value
  }
  const time = (name: string) => instantOf(required(name), 'UTC', `${place}, ${name}`)
  const description = columns['sku_description'] ?? ''
  const name = SKU_CLASSES.find(([pattern]) => pattern.test(description))?.[1] ?? `other:${clipped(description)}`
  const isUsage = !name.startsWith('other:') && !name.startsWith('tool:')
  const currency = required('currency')
  const stated = required('cost')
  const value = floatDecimal(stated, `${place}, cost`)
  const amount = inUsd(value, currency, options, `${place}, currency`)
  const counted = columns['usage_amount'] ?? null
  const shared = {
    ...UNSAID,
    ...{ start: time('usage_start_time'), end: time('usage_end_time'), zone: 'UTC', currency, place: line },
    ...{ account: columns['project_id'] ?? null, model: isUsage ? modelOf(description) : null },
    tier: SKU_TIERS.find(([pattern]) => pattern.test(description))?.[1] ?? null,
  }
  yield {
    ...shared,
    class: COST_TYPES[columns['cost_type'] ?? ''] ?? (amount < 0n ? 'credit' : name),
    quantity: counted === null ? null : whole(floatDecimal(counted, `${place}, usage.amount`)),
    unit: isUsage ? 'tokens' : (columns['usage_unit'] ?? null),
    ...{ stated, amount, tolerance: floatTolerance(value) },
  }
  for (const credit of credits.map((text) => ({ text, value: floatDecimal(text, `${place}, credits.amount`) }))) {
    if (credit.value.digits === 0n) continue
    const back = inUsd(credit.value, currency, options, `${place}, currency`)
    yield { ...shared, class: 'credit', stated: credit.text, amount: back, tolerance: floatTolerance(credit.value) }
  }
}

/** A 64-bit float is off by at most one part in 10¹². */
function floatTolerance(value: Decimal): bigint {
  const dollars = scaled(value, 0)
  return (dollars < 0n ? -dollars : dollars) + 1n
}

export const google: ReportSource = {
  ...{ label: 'Google Cloud billing export', settleMs: 72 * HOUR_MS, mayRepeat: true },
  read,
}
