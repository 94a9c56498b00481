import { type CallRequest, isJsonObject, type JsonObject } from '../domain/request/call-request.ts'
import { endOfValue, type FieldPlace, skipBlanks, topLevelFields } from '../domain/request/json-text.ts'
import type { Rename } from './rename.ts'

/**
 * The body to send. If a translation changed only the model and plain fields, or renamed or removed some, the received
 * text is edited, so that everything else is sent as it was written. `source` is null when there is no such text.
 */
export function wireBody(wire: JsonObject, request: CallRequest, source: string | null): string {
  const cuts = source === null ? null : cutsOf(wire, request, source)
  return source === null || cuts === null ? JSON.stringify(wire) : spliced(source, cuts)
}

/** The same for bytes. As Latin-1 each byte is one character: the places are the same, and so are our ASCII names. */
export function wireBytes(wire: JsonObject, request: CallRequest, source: Buffer | null): Buffer {
  const cuts = source === null ? null : cutsOf(wire, request, source.toString('latin1'))
  if (source === null || cuts === null) return Buffer.from(JSON.stringify(wire))
  const pieces: Buffer[] = []
  let at = 0
  for (const cut of cuts) {
    pieces.push(source.subarray(at, cut.from), Buffer.from(cut.by))
    at = cut.to
  }
  pieces.push(source.subarray(at))
  return Buffer.concat(pieces)
}

/** The edits to the received text, in order; null when more has changed. */
function cutsOf(wire: JsonObject, request: CallRequest, json: string): Cut[] | null {
  const changes = changesOf(wire, request)
  if (changes === null) return null
  const isInPath = changes.model === null && PATH_WORDS.every((name) => changes.dropped.includes(name))
  const last = isInPath ? pathWordsIn(json) : null
  const dropped = last === null ? changes.dropped : changes.dropped.filter((name) => !PATH_WORDS.includes(name))
  const cuts: Cut[] = last === null ? [] : [last]
  const text = { json, places: null }
  if (changes.model !== null && !place(cuts, replaceModel(text, changes.model))) return null
  for (const name of dropped) if (!place(cuts, dropField(text, name, cuts))) return null
  for (const figure of changes.figures) if (!place(cuts, replaceFigure(text, figure))) return null
  for (const rename of changes.renames) if (!place(cuts, renameField(text, rename))) return null
  if (changes.added.length > 0 && !place(cuts, addFields(json, changes.added, wire))) return null
  return cuts
}

const PATH_WORDS = ['model', 'stream']
const LAST = /"model":"[^"\\]*","stream":(?:true|false)(?=\}\s*$)/y

/**
 * Of a request that named its model in the path: the gateway has written both last, which needs no search. Null: they
 * are elsewhere.
 */
function pathWordsIn(json: string): Cut | null {
  const from = json.lastIndexOf('"model":')
  if (json[from - 1] !== ',') return null
  LAST.lastIndex = from
  return LAST.test(json) ? { from: from - 1, to: LAST.lastIndex, by: '' } : null
}

interface Cut {
  from: number
  to: number
  by: string
}

/** A received body; `places` once they had to be searched for: several fields may change. */
interface Source {
  readonly json: string
  places: ReturnType<typeof topLevelFields> | null
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
  /** Null: it is in the path alone. */
  model: { from: string; to: string } | null
  dropped: readonly string[]
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
  const { model = null } = wire
  if (typeof model !== 'string' && model !== null) return null
  let figures = NO_FIGURES
  let added = NONE
  for (const name in wire) {
    const value = wire[name]
    if (name === 'model' || value === request[name]) continue
    if (!Object.hasOwn(request, name) && (isPlain(value) || isJsonObject(value))) added = [...added, name]
    else if (Object.hasOwn(request, name) && typeof value === 'number') figures = [...figures, { name, value }]
    else return null
  }
  let dropped = NONE
  let renames = NO_RENAMES
  for (const name in request) {
    if (Object.hasOwn(wire, name)) continue
    if (name === 'stream' || name === 'model') {
      dropped = [...dropped, name]
      continue
    }
    const to = added.find((candidate) => wire[candidate] === request[name])
    if (to === undefined) return null
    renames = [...renames, { from: name, to }]
    added = added.filter((candidate) => candidate !== to)
  }
  return { model: model === null ? null : { from: request.model, to: model }, dropped, figures, renames, added }
}

function isPlain(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean'
}

function spliced(json: string, cuts: readonly Cut[]): string {
  let text = ''
  let at = 0
  for (const cut of cuts) {
    text += json.slice(at, cut.from) + cut.by
    at = cut.to
  }
  return text + json.slice(at)
}

function replaceModel(source: Source, { from, to }: NonNullable<Changes['model']>): Cut | null {
  const value = valueAfter(source, '"model"')
  if (value === null) return null
  // A spelling with escapes must be parsed.
  const written = JSON.stringify(from)
  if (!source.json.startsWith(written, value.start)) return null
  return { from: value.start, to: value.start + written.length, by: JSON.stringify(to) }
}

/** In place of a number, or of null. */
function replaceFigure(source: Source, { name, value }: Figure): Cut | null {
  const found = valueAfter(source, JSON.stringify(name))
  if (found === null) return null
  const [written] = /^(?:null|-?[\d.eE+-]+)(?=[\s,}])/.exec(source.json.slice(found.start, found.start + 32)) ?? []
  if (written === undefined) return null
  return { from: found.start, to: found.start + written.length, by: String(value) }
}

/**
 * With the comma before it, so that two neighbours can be dropped; the first field with the one behind it, and its
 * neighbours too: the comma before them is gone.
 */
function dropField(source: Source, name: string, cuts: readonly Cut[]): Cut | null {
  const { json } = source
  const value = valueAfter(source, `"${name}"`)
  if (value === null) return null
  const after = skipBlanks(json, endOfValue(json, value.start))
  let before = value.key - 1
  while (isBlank(json[before])) before -= 1
  const isGone = cuts.some(({ from, to }) => from <= before && before < to)
  if (json[before] === ',' && !isGone) return { from: before, to: after, by: '' }
  return json[after] === ',' ? { from: value.key, to: after + 1, by: '' } : null
}

function isBlank(letter: string | undefined): boolean {
  return letter === ' ' || letter === '\n' || letter === '\r' || letter === '\t'
}

function renameField(source: Source, { from, to }: Rename): Cut | null {
  if (!/^[a-z_]+$/.test(from)) return null
  const value = valueAfter(source, `"${from}"`)
  return value === null ? null : { from: value.key, to: value.key + from.length + 2, by: `"${to}"` }
}

/** At the very beginning: other fields follow, so a comma fits. */
function addFields(json: string, names: readonly string[], wire: JsonObject): Cut | null {
  const brace = skipBlanks(json, 0)
  if (json[brace] !== '{') return null
  const text = names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(wire[name])},`).join('')
  return { from: brace + 1, to: brace + 1, by: text }
}

/** How an escaped letter of our names begins. */
const ESCAPED_LETTERS = ['\\u005', '\\u006', '\\u007']

/**
 * Where the value of a top-level field begins. A name that occurs just once, as a name, must be that field's, because
 * inside a text its quotes would be escaped. Otherwise the body is looked through, past everything that is nested: a
 * tool may well have a property with that name. Null: the body must be written again.
 */
function valueAfter(source: Source, name: string): FieldPlace | null {
  const { json } = source
  const key = json.indexOf(name)
  if (key < 0) return null
  const isCertain = json[key - 1] !== '\\' && !json.includes(name, key + 1) && !mayHaveEscapedName(json)
  if (!isCertain) {
    source.places ??= topLevelFields(json)
    return source.places.get(name.slice(1, -1)) ?? null
  }
  const colon = skipBlanks(json, key + name.length)
  return json[colon] === ':' ? { key, start: skipBlanks(json, colon + 1) } : null
}

function mayHaveEscapedName(json: string): boolean {
  return json.includes('\\u00') && ESCAPED_LETTERS.some((letters) => json.includes(letters))
}
