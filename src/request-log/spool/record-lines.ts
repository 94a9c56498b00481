import { LOG_FIELDS, type LogField } from '../../domain/log/fields.ts'
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
const hasColumn = ({ column }: LogField) => column !== null
export const OPEN_FIELDS = fieldsFrom('open')
const USAGE_FIELDS = fieldsFrom('usage')
const CLOSE_FIELDS = fieldsFrom('close').sort((a, b) => Number(hasColumn(b)) - Number(hasColumn(a)))

/** The fields of a closing line, in order. An opening line is its beginning; what is no column stands at the end. */
export const SPOOLED_FIELDS: readonly LogField[] = [...OPEN_FIELDS, ...USAGE_FIELDS, ...CLOSE_FIELDS]

const OPEN_NAMES = OPEN_FIELDS.map(({ name }) => name)
const USAGE_NAMES = USAGE_FIELDS.map(({ name }) => name)
const CLOSE_NAMES = CLOSE_FIELDS.map(({ name }) => name)
const FOREIGN = SPOOLED_FIELDS.flatMap(({ isForeign = false }, index) => (isForeign ? index : []))

const COMMIT_NAMES = [
  'startedAt',
  'provider',
  'model',
  'fallback',
  'firstContentMs',
  'priceVersion',
  'costLeastPicodollars',
] satisfies (keyof CommitRecord)[]

/** The fields of a commit mark, in order: those that identify the call first. */
export const COMMIT_FIELDS: readonly LogField[] = ['id', ...COMMIT_NAMES, ...USAGE_NAMES].flatMap(
  (name) => SPOOLED_FIELDS.find((field) => field.name === name) ?? [],
)

/** JSON escapes line breaks and tabs in a text. */
const BETWEEN_LINES = '\n'
const BEFORE_ATTEMPTS = '\t'

/** Longer than any model's name: what a caller or a provider sends instead must not swell the log. */
const LONGEST_TEXT = 512

/** Lists instead of objects: less time to write and to read, and half of the bytes. */
export function openLine(record: OpenRecord): string {
  return `o${JSON.stringify(openValues(record))}`
}

/** The attempts stand apart, as the request table has them: the fold does not parse them. */
export function closeLine(record: CloseRecord): string {
  const { attempts, usage } = record
  const values = cutForeign(add(add(add([], record, OPEN_NAMES), usage, USAGE_NAMES), record, CLOSE_NAMES))
  const kept = attempts.some(({ upstreamRequestId }) => isLong(upstreamRequestId)) ? attempts.map(shortened) : attempts
  return `c${JSON.stringify(values)}${BEFORE_ATTEMPTS}${JSON.stringify(kept)}`
}

/** Two elements, so that a version that knows no such line sets it aside. */
export function commitLine(record: CommitRecord): string {
  // What a provider says of the output before it has begun is no count.
  const usage = record.usage === null ? null : { ...record.usage, output: 0, reasoning: 0 }
  return `m${JSON.stringify([record.id, add(add([], record, COMMIT_NAMES), usage, USAGE_NAMES)])}`
}

export function openValues(record: OpenRecord): unknown[] {
  return cutForeign(add([], record, OPEN_NAMES))
}

/** By name alone: a loop over the fields themselves would take twice as long. */
function add(values: unknown[], source: object | null, names: readonly string[]): unknown[] {
  for (const name of names) values.push(source === null ? null : (source as Record<string, unknown>)[name])
  return values
}

function cutForeign(values: unknown[]): unknown[] {
  for (const index of FOREIGN) if (index < values.length) values[index] = cut(values[index] as string | null)
  return values
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
  return text.slice(3, text.indexOf('"', 3))
}

/** The values of a line, in the order of `SPOOLED_FIELDS`. */
export function readOpen(text: string): unknown[] {
  const values: unknown[] = JSON.parse(text.slice(1))
  // One field fewer still in the version that knew no streams; anything shorter is no line of ours.
  if (values.length < OPEN_FIELDS.length && values.length >= BEFORE_ATTRIBUTION - 1) {
    values.push(...OPEN_FIELDS.slice(values.length).map(() => null))
  }
  return values
}

const IDEMPOTENCY_KEY = OPEN_NAMES.indexOf('idempotencyKey')

/** Other nodes must know of this call at once; of a line that cannot be read, so must whoever sets it aside. */
export function isKeyed(openText: string): boolean {
  try {
    return readOpen(openText)[IDEMPOTENCY_KEY] !== null
  } catch {
    return true
  }
}

/** The values of a commit mark, in the order of `COMMIT_FIELDS`. */
export function readCommit(text: string): unknown[] {
  const [id, values] = JSON.parse(text.slice(1)) as [string, unknown[]]
  return [id, ...values]
}

export function readClose(text: string): { values: unknown[]; attempts: string } {
  const end = text.indexOf(BEFORE_ATTEMPTS)
  const values: unknown[] = JSON.parse(text.slice(1, end))
  if (values.length < SPOOLED_FIELDS.length - ATTRIBUTION.length) makeRoomForStreams(values)
  if (values.length < SPOOLED_FIELDS.length) values.splice(BEFORE_ATTRIBUTION, 0, ...ATTRIBUTION)
  return { values, attempts: text.slice(end + 1) }
}

/** The version before knew no user, session or tags: three fields fewer behind those of the beginning. */
const ATTRIBUTION = [null, null, null]
const BEFORE_ATTRIBUTION = OPEN_FIELDS.length - ATTRIBUTION.length

/** The one before that knew no streams: one field fewer behind those of the beginning, six before the last. */
function makeRoomForStreams(values: unknown[]): void {
  values.splice(BEFORE_ATTRIBUTION - 1, 0, false)
  values.splice(-1, 0, null, null, 0, null, null, null)
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
