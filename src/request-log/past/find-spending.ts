import type { FieldKind, LogField } from '../../domain/log/log-field.ts'
import { MARK, readClose, SPOOLED_FIELDS } from '../spool/record-lines.ts'

/** What a closing line says of money, each as JSON. */
export interface Spending {
  /** Workspace and key, with a comma between. */
  payer: string
  startedAt: number
  idempotencyKey: string
  cost: string
  /** What counts besides the cost. */
  unconfirmed: string
}

const PLACES = ['workspace', 'keyId', 'startedAt', 'idempotencyKey', 'costPicodollars', 'unconfirmedCounted'].map(
  (name) => SPOOLED_FIELDS.findIndex((field) => field.name === name),
)
const [WORKSPACE, KEY, ...OTHERS] = PLACES
const BARE: ReadonlySet<FieldKind> = new Set(['time', 'end', 'whole', 'count', 'microseconds', 'flag'])
const TEXT = String.raw`"[^"\\]*"`

/**
 * How nearly all closing lines begin: no text with an escape, no list, the layout of today. A start waits for a million
 * of them, and reading one as JSON takes three times as long.
 */
const USUAL = new RegExp(
  `^c${MARK}\\[${SPOOLED_FIELDS.slice(0, Math.max(...PLACES) + 1)
    .map(pattern)
    .join(',')}[,\\]]`,
)

function pattern({ kind }: LogField, place: number): string {
  const value = BARE.has(kind) ? '[^,"{}[\\]]+' : String.raw`(?:null|${TEXT}|\{(?:${TEXT}:${TEXT},?)*\})`
  if (place === WORKSPACE) return `(${value}`
  return place === KEY ? `${value})` : OTHERS.includes(place) ? `(${value})` : value
}

/** Throws where the line cannot be read. */
export function findSpending(text: string): Spending {
  const [, payer = '', startedAt = '', idempotencyKey = '', cost = '', unconfirmed = ''] =
    USUAL.exec(text) ?? readSpending(text)
  return { payer, startedAt: Number(startedAt), idempotencyKey, cost, unconfirmed }
}

function readSpending(text: string): string[] {
  const { values } = readClose(text)
  const [workspace, key, ...others] = PLACES.map((place) => JSON.stringify(values[place]))
  return [text, `${workspace},${key}`, ...others]
}
