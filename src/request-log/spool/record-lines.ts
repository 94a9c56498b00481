import { LOG_FIELDS } from '../../domain/log/fields.ts'
import type { LogField } from '../../domain/log/log-field.ts'
import { withOutput } from '../../domain/pricing/usage.ts'
import type { AttemptRecord, CloseRecord, CommitRecord, OpenRecord } from '../record.ts'

/** A row of the spool: the records that were written together, a line for each. */
export interface SpoolRow {
  /** The number of its last record. */
  seq: number
  payload: string
}

/** One record of the spool. */
export interface SpooledRecord {
  seq: number
  /** The number of the last record before its row: the spool is read row by row. */
  before: number
  kind: 'open' | 'commit' | 'close'
  text: string
}

const fieldsFrom = (from: LogField['from']): LogField[] => LOG_FIELDS.filter((field) => field.from === from)
export const OPEN_FIELDS = fieldsFrom('open')
const USAGE_FIELDS = fieldsFrom('usage')
const CLOSE_FIELDS = fieldsFrom('close')

/** The fields of a closing line, in order. An opening line is its beginning. */
export const SPOOLED_FIELDS: readonly LogField[] = [...OPEN_FIELDS, ...USAGE_FIELDS, ...CLOSE_FIELDS]

const OPEN_NAMES = OPEN_FIELDS.map(({ name }) => name)
const USAGE_NAMES = USAGE_FIELDS.map(({ name }) => name)
const CLOSE_NAMES = CLOSE_FIELDS.map(({ name }) => name)
const END_NAMES = [...USAGE_NAMES, ...CLOSE_NAMES]
const foreignIn = (fields: readonly LogField[]) =>
  fields.flatMap(({ isForeign = false }, index) => (isForeign ? index : []))
const FOREIGN_OPEN = foreignIn(OPEN_FIELDS)
const FOREIGN_END = foreignIn([...USAGE_FIELDS, ...CLOSE_FIELDS])

const COMMIT_NAMES = [
  'startedAt',
  'provider',
  'model',
  'fallback',
  'firstContentMs',
  'priceVersion',
  'costLeastPicodollars',
  'holdAdded',
] satisfies (keyof CommitRecord)[]

/** The fields of a commit mark, in order: those that identify the call first. */
export const COMMIT_FIELDS: readonly LogField[] = ['id', ...COMMIT_NAMES, ...USAGE_NAMES].flatMap(
  (name) => SPOOLED_FIELDS.find((field) => field.name === name) ?? [],
)

/**
 * Values are stored in a line without names, so after its kind a line has its layout: the fields known to the version
 * that wrote it. A kill and an update may leave lines of any earlier version. The first layout is implicit.
 */
const FIRST_LAYOUT = 1
const sinceOf = ({ since = FIRST_LAYOUT }: LogField) => since
const LAYOUT = Math.max(...SPOOLED_FIELDS.map(sinceOf))
export const MARK = LAYOUT === FIRST_LAYOUT ? '' : String(LAYOUT)

/** JSON escapes line breaks and tabs in a text. */
const BETWEEN_LINES = '\n'
const BEFORE_ATTEMPTS = '\t'

/** Longer than any model's name: what a caller or a provider sends instead must not swell the log. */
const LONGEST_TEXT = 512

/**
 * The values that are known from the admission on: all of an opening line, and the beginning of the closing one, which
 * takes them over as a text. Lists instead of objects: less time to write and to read, and half of the bytes.
 */
export function openText(record: OpenRecord): string {
  return JSON.stringify(openValues(record))
}

export function openLine(record: OpenRecord, text = openText(record)): string {
  return `o${MARK}${text}`
}

/** The attempts are separate, as in the request table: the fold does not parse them. */
export function closeLine(record: CloseRecord, opening = openText(record)): string {
  const { attempts, usage } = record
  const values = new Array<unknown>(END_NAMES.length)
  fill(values, 0, usage, USAGE_NAMES)
  fill(values, USAGE_NAMES.length, record, CLOSE_NAMES)
  cutForeign(values, FOREIGN_END)
  const kept = attempts.some(({ upstreamRequestId }) => isLong(upstreamRequestId)) ? attempts.map(shortened) : attempts
  const end = JSON.stringify(values).slice(1)
  return `c${MARK}${opening.slice(0, -1)},${end}${BEFORE_ATTEMPTS}${JSON.stringify(kept)}`
}

export function commitLine(record: CommitRecord): string {
  // What a provider says of the output before it has begun is no count.
  const usage = record.usage === null ? null : { ...withOutput(record.usage, 0), reasoning: 0 }
  return `m${MARK}${JSON.stringify([record.id, commitValues(record, usage)])}`
}

function commitValues(record: CommitRecord, usage: CommitRecord['usage']): unknown[] {
  const values = new Array<unknown>(COMMIT_NAMES.length + USAGE_NAMES.length)
  fill(values, 0, record, COMMIT_NAMES)
  fill(values, COMMIT_NAMES.length, usage, USAGE_NAMES)
  return values
}

export function openValues(record: OpenRecord): unknown[] {
  const values = new Array<unknown>(OPEN_NAMES.length)
  fill(values, 0, record, OPEN_NAMES)
  cutForeign(values, FOREIGN_OPEN)
  return values
}

/** By name alone: a loop over the fields themselves would take twice as long. */
function fill(values: unknown[], from: number, source: object | null, names: readonly string[]): void {
  for (let at = 0; at < names.length; at++) {
    values[from + at] = source === null ? null : (source as Record<string, unknown>)[names[at] as string]
  }
}

function cutForeign(values: unknown[], places: readonly number[]): void {
  for (const place of places) values[place] = cut(values[place] as string | null)
}

export function joinLines(lines: readonly string[]): string {
  return lines.join(BETWEEN_LINES)
}

/** In the order in which they were written, each with its own number. */
export function recordsOf({ seq, payload }: SpoolRow): SpooledRecord[] {
  const lines = payload.split(BETWEEN_LINES)
  const before = seq - lines.length
  return lines.map((text, index) => ({ seq: before + index + 1, before, kind: kindOf(text), text }))
}

function kindOf(text: string): SpooledRecord['kind'] {
  return text.startsWith('c') ? 'close' : text.startsWith('m') ? 'commit' : 'open'
}

/** The id that a line begins with, without a look at the rest. */
export function openedId(text: string): string {
  const from = text.indexOf('"') + 1
  return text.slice(from, text.indexOf('"', from))
}

/** The values of a line, in the order of `SPOOLED_FIELDS`. */
export function readOpen(text: string): unknown[] {
  return placed(text, JSON.parse(jsonOf(text)), OPEN_FIELDS)
}

const IDEMPOTENCY_KEY = OPEN_NAMES.indexOf('idempotencyKey')

/** Other nodes must see this call at once; unreadable lines must reach the fold, which sets them aside. */
export function isKeyed(openText: string): boolean {
  try {
    return readOpen(openText)[IDEMPOTENCY_KEY] !== null
  } catch {
    return true
  }
}

/** The values of a commit mark, in the order of `COMMIT_FIELDS`. */
export function readCommit(text: string): unknown[] {
  const [id, values] = JSON.parse(jsonOf(text)) as [string, unknown[]]
  return placed(text, [id, ...values], COMMIT_FIELDS)
}

export function readClose(text: string): { values: unknown[]; attempts: string } {
  const end = text.indexOf(BEFORE_ATTEMPTS)
  const values = placed(text, JSON.parse(jsonOf(text, end)), SPOOLED_FIELDS)
  return { values, attempts: text.slice(end + 1) }
}

function jsonOf(text: string, end?: number): string {
  return text.slice(text.indexOf('['), end)
}

/** The values of a line at the places that their fields have today; what its version did not know is what an old row has. */
export function placed(text: string, values: unknown[], fields: readonly LogField[], newest = LAYOUT): unknown[] {
  const layout = Number(text.slice(1, text.indexOf('['))) || FIRST_LAYOUT
  if (layout === newest && values.length === fields.length) return values
  if (layout > newest) throw new Error(`a later version wrote this line: its layout is ${layout}, not ${newest}`)
  const known = fields.filter((field) => sinceOf(field) <= layout)
  // The first layout may have one value more at the end, which no version needs any longer.
  if (values.length < known.length) throw new Error(`the line has ${values.length} of ${known.length} values`)
  let place = 0
  return fields.map((field) => (sinceOf(field) <= layout ? values[place++] : (UNKNOWN[field.kind] ?? null)))
}

const UNKNOWN: Partial<Record<LogField['kind'], unknown>> = {
  flag: false,
  count: 0,
  microseconds: 0,
  texts: [],
  adjustments: [],
}

function isLong(value: string | null): boolean {
  return value !== null && value.length > LONGEST_TEXT
}

function cut(value: string | null): string | null {
  return value === null || value.length <= LONGEST_TEXT ? value : value.slice(0, LONGEST_TEXT)
}

function shortened(attempt: AttemptRecord): AttemptRecord {
  return { ...attempt, upstreamRequestId: cut(attempt.upstreamRequestId) }
}
