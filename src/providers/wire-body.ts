import { type CallRequest, isJsonObject, type JsonObject } from '../domain/request/call-request.ts'
import type { Rename } from './rename.ts'
import { type FieldPlace, topLevelFields } from './top-level-fields.ts'

/**
 * The body to send. If a translation changed only the model and plain fields, or renamed or removed some, the received
 * bytes are edited in place, which is much cheaper than writing the JSON again. `source` is null when there are no such
 * bytes.
 */
export function wireBody(wire: JsonObject, request: CallRequest, source: Buffer | null): Buffer | string {
  const cuts = source === null ? null : cutsOf(wire, request, source)
  return source === null || cuts === null ? JSON.stringify(wire) : spliced(source, cuts)
}

/** The edits to the received bytes, in order; null when more has changed. */
export function cutsOf(wire: JsonObject, request: CallRequest, source: Buffer): Cut[] | null {
  const changes = changesOf(wire, request)
  if (changes === null) return null
  const cuts: Cut[] = []
  if (!place(cuts, replaceModel(source, changes.model))) return null
  if (changes.dropsStream && !place(cuts, dropField(source, STREAM))) return null
  for (const figure of changes.figures) if (!place(cuts, replaceFigure(source, figure))) return null
  for (const rename of changes.renames) if (!place(cuts, renameField(source, rename))) return null
  if (changes.added.length > 0 && !place(cuts, addFields(source, changes.added, wire))) return null
  return cuts
}

/** In the order of their places: there are mostly one or two. False: where it belongs is not certain. */
function place(cuts: Cut[], cut: Cut | null): boolean {
  if (cut === null) return false
  let at = cuts.length
  for (let before = cuts[at - 1]; before !== undefined && isBehind(before, cut); before = cuts[at - 1]) {
    cuts[at] = before
    at -= 1
  }
  cuts[at] = cut
  return true
}

function isBehind(a: Cut, b: Cut): boolean {
  return a.from > b.from || (a.from === b.from && a.to > b.to)
}

interface Changes {
  model: { from: string; to: string }
  dropsStream: boolean
  figures: readonly Figure[]
  renames: readonly Rename[]
  added: readonly string[]
}

/** A number in place of what the caller wrote. */
interface Figure {
  name: string
  value: number
}

const NONE: readonly string[] = []
const NO_FIGURES: readonly Figure[] = []
const NO_RENAMES: readonly Rename[] = []

/** Null when more has changed. Values are compared by identity: a copied value counts as changed. */
function changesOf(wire: JsonObject, request: CallRequest): Changes | null {
  const { model } = wire
  if (typeof model !== 'string') return null
  let figures = NO_FIGURES
  let added = NONE
  for (const name in wire) {
    const value = wire[name]
    if (name === 'model' || value === request[name]) continue
    if (!Object.hasOwn(request, name) && (isPlain(value) || isJsonObject(value))) added = [...added, name]
    else if (Object.hasOwn(request, name) && typeof value === 'number') figures = [...figures, { name, value }]
    else return null
  }
  let dropsStream = false
  let renames = NO_RENAMES
  for (const name in request) {
    if (Object.hasOwn(wire, name)) continue
    if (name === 'stream') {
      dropsStream = true
      continue
    }
    const to = added.find((candidate) => wire[candidate] === request[name])
    if (to === undefined) return null
    renames = [...renames, { from: name, to }]
    added = added.filter((candidate) => candidate !== to)
  }
  return { model: { from: request.model, to: model }, dropsStream, figures, renames, added }
}

function isPlain(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean'
}

const MODEL = Buffer.from('"model"')
const STREAM = Buffer.from('"stream"')

export function spliced(source: Buffer, cuts: readonly Cut[]): Buffer {
  const pieces: Buffer[] = []
  let at = 0
  for (const cut of cuts) {
    pieces.push(source.subarray(at, cut.from), cut.by)
    at = cut.to
  }
  pieces.push(source.subarray(at))
  return Buffer.concat(pieces)
}

export interface Cut {
  from: number
  to: number
  by: Buffer
}

const NOTHING = Buffer.alloc(0)

function replaceModel(source: Buffer, { from, to }: Changes['model']): Cut | null {
  const value = valueAfter(source, MODEL)
  if (value === null) return null
  // A spelling with escapes must be parsed.
  const written = JSON.stringify(from)
  const end = value.start + Buffer.byteLength(written)
  if (source.toString('utf8', value.start, end) !== written) return null
  return { from: value.start, to: end, by: Buffer.from(JSON.stringify(to)) }
}

/** In place of a number, or of null. */
function replaceFigure(source: Buffer, { name, value }: Figure): Cut | null {
  const found = valueAfter(source, Buffer.from(JSON.stringify(name)))
  if (found === null) return null
  const [written] =
    /^(?:null|-?[\d.eE+-]+)(?=[\s,}])/.exec(source.toString('latin1', found.start, found.start + 32)) ?? []
  if (written === undefined) return null
  return { from: found.start, to: found.start + written.length, by: Buffer.from(String(value)) }
}

/** With its comma. */
function dropField(source: Buffer, name: Buffer): Cut | null {
  const value = valueAfter(source, name)
  if (value === null) return null
  const literal = ['false', 'null'].find(
    (text) => source.toString('latin1', value.start, value.start + text.length) === text,
  )
  if (literal === undefined) return null
  const after = skipBlanks(source, value.start + literal.length, 1)
  if (source[after] === COMMA) return { from: value.key, to: after + 1, by: NOTHING }
  const before = skipBlanks(source, value.key - 1, -1)
  return source[before] === COMMA ? { from: before, to: after, by: NOTHING } : null
}

function renameField(source: Buffer, { from, to }: Rename): Cut | null {
  if (!/^[a-z_]+$/.test(from)) return null
  const name = Buffer.from(`"${from}"`)
  const value = valueAfter(source, name)
  return value === null ? null : { from: value.key, to: value.key + name.length, by: Buffer.from(`"${to}"`) }
}

/** At the very beginning: other fields follow, so a comma fits. */
function addFields(source: Buffer, names: readonly string[], wire: JsonObject): Cut | null {
  const brace = skipBlanks(source, 0, 1)
  if (source[brace] !== BRACE) return null
  const text = names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(wire[name])},`).join('')
  return { from: brace + 1, to: brace + 1, by: Buffer.from(text) }
}

const [COMMA, COLON, BACKSLASH, BRACE] = [0x2c, 0x3a, 0x5c, 0x7b]
/** How an escaped letter of our names begins; searched for first, once. */
const ESCAPED_LETTERS = [Buffer.from('\\u005'), Buffer.from('\\u006'), Buffer.from('\\u007')]
const ESCAPED = Buffer.from('\\u00')

/**
 * Where the value of a top-level field begins. A name that occurs just once, as a name, must be that field's, because
 * inside a text its quotes would be escaped. Otherwise the body is looked through, past everything that is nested: a
 * tool may well have a property with that name. Null: the body must be written again.
 */
function valueAfter(source: Buffer, name: Buffer): FieldPlace | null {
  const key = source.indexOf(name)
  if (key < 0) return null
  const isCertain = source[key - 1] !== BACKSLASH && source.indexOf(name, key + 1) < 0 && !mayHaveEscapedName(source)
  if (!isCertain) return placesIn(source).get(name.toString('latin1', 1, name.length - 1)) ?? null
  const colon = skipBlanks(source, key + name.length, 1)
  return source[colon] === COLON ? { key, start: skipBlanks(source, colon + 1, 1) } : null
}

function mayHaveEscapedName(source: Buffer): boolean {
  return source.includes(ESCAPED) && ESCAPED_LETTERS.some((letters) => source.includes(letters))
}

const places = new WeakMap<Buffer, ReturnType<typeof topLevelFields>>()

/** Several fields of a body may change. */
function placesIn(source: Buffer): ReturnType<typeof topLevelFields> {
  const known = places.get(source) ?? topLevelFields(source)
  places.set(source, known)
  return known
}

function skipBlanks(source: Buffer, from: number, step: 1 | -1): number {
  let at = from
  while (source[at] === 0x20 || source[at] === 0x0a || source[at] === 0x0d || source[at] === 0x09) at += step
  return at
}
