import { isJsonObject } from './call-request.ts'
import { endOfText, endOfValue, skipBlanks, topLevelFields } from './json-text.ts'
import { insteadOf, type Omissions } from './omissions.ts'

/** What is taken out of a body. */
export interface Omitted {
  /** Paths; `*` is every item of a list. */
  fields?: readonly string[]
  /** Values of a list that is a field of the body; without values the field goes, too. */
  list?: { field: string; values: Omissions['values'] }
}

export interface JsonCut {
  from: number
  to: number
  by: string
}

/** What happens to a value: it goes, its listed values do, or something within it does. */
interface Branch {
  isCut?: true
  values?: Omissions['values']
  within: Map<string, Branch>
}

/** An item of a list, or a field of an object with its name. */
interface Member {
  from: number
  to: number
  isCut: boolean
}

/** Where a JSON text is cut to be without them, in order; everything else stays as it is written. The JSON must be valid. */
export function cutsFor(json: string, omitted: Omitted): JsonCut[] {
  const cuts: JsonCut[] = []
  walk(json, skipBlanks(json, 0), treeOf(omitted), cuts)
  return cuts.sort((a, b) => a.from - b.from)
}

/** The same text without them; null: it has none of them. */
export function textWithout(json: string, omitted: Omitted): string | null {
  const cuts = cutsFor(json, omitted)
  if (cuts.length === 0) return null
  let text = ''
  let at = 0
  for (const { from, to, by } of cuts) {
    text += json.slice(at, from) + by
    at = to
  }
  return text + json.slice(at)
}

/**
 * The same for bytes: as Latin-1 each is one character, so the places are the same. The result owns its memory, which is
 * released, or moved to another thread, when it was sent.
 */
export function bytesWithout(bytes: Uint8Array, omitted: Omitted): Buffer<ArrayBuffer> | null {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const cuts = cutsFor(source.toString('latin1'), omitted)
  if (cuts.length === 0) return null
  const pieces: Uint8Array[] = []
  let at = 0
  for (const { from, to, by } of cuts) {
    pieces.push(source.subarray(at, from), Buffer.from(by))
    at = to
  }
  pieces.push(source.subarray(at))
  const left = Buffer.allocUnsafeSlow(pieces.reduce((sum, { length }) => sum + length, 0))
  let end = 0
  for (const piece of pieces) {
    left.set(piece, end)
    end += piece.length
  }
  return left
}

/** The texts in a list that is a field of the body; null: there is no such list. */
export function listedIn(body: string | Uint8Array, field: string): string[] | null {
  const json =
    typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1')
  const start = topLevelFields(json).get(field)?.start
  if (start === undefined || json[start] !== '[') return null
  const listed: unknown[] = JSON.parse(json.slice(start, endOfValue(json, start)))
  return listed.filter((each) => typeof each === 'string')
}

/** The same question of a parsed body. */
export function hasField(body: unknown, path: string): boolean {
  return hasParts(body, path.split('.'), 0)
}

function hasParts(value: unknown, parts: readonly string[], at: number): boolean {
  const part = parts[at]
  if (part === undefined) return true
  if (part === '*') return Array.isArray(value) && value.some((item) => hasParts(item, parts, at + 1))
  return isJsonObject(value) && Object.hasOwn(value, part) && hasParts(value[part], parts, at + 1)
}

function treeOf({ fields = [], list }: Omitted): Branch {
  const root: Branch = { within: new Map() }
  for (const path of fields) branchAt(root, path).isCut = true
  if (list !== undefined) branchAt(root, list.field).values = list.values
  return root
}

function branchAt(root: Branch, path: string): Branch {
  let branch = root
  for (const part of path.split('.')) {
    const next: Branch = branch.within.get(part) ?? { within: new Map() }
    branch.within.set(part, next)
    branch = next
  }
  return branch
}

/** Where the value ends, and whether nothing of it is left. */
function walk(json: string, start: number, branch: Branch, cuts: JsonCut[]): { end: number; isCut: boolean } {
  if (branch.isCut === true) return { end: endOfValue(json, start), isCut: true }
  if (json[start] === '{' && branch.within.size > 0) return walkObject(json, start, branch, cuts)
  if (json[start] === '[' && (branch.values !== undefined || branch.within.has('*')))
    return walkList(json, start, branch, cuts)
  return { end: endOfValue(json, start), isCut: false }
}

function walkObject(json: string, start: number, { within }: Branch, cuts: JsonCut[]) {
  const members: Member[] = []
  let at = skipBlanks(json, start + 1)
  while (json[at] === '"') {
    const from = at
    const end = endOfText(json, from)
    const below = within.get(nameIn(json.slice(from, end)))
    const value = skipBlanks(json, skipBlanks(json, end) + 1)
    const { end: to, isCut } =
      below === undefined ? { end: endOfValue(json, value), isCut: false } : walk(json, value, below, cuts)
    members.push({ from, to, isCut })
    at = nextMember(json, to)
  }
  cutMembers(members, cuts)
  return { end: at + 1, isCut: false }
}

function nameIn(written: string): string {
  return written.includes('\\') ? JSON.parse(written) : written.slice(1, -1)
}

function walkList(json: string, start: number, { within, values }: Branch, cuts: JsonCut[]) {
  const each = within.get('*') ?? { within: new Map() }
  const members: Member[] = []
  const own: JsonCut[] = []
  let at = skipBlanks(json, start + 1)
  while (at < json.length && json[at] !== ']') {
    const from = at
    let { end: to, isCut } = walk(json, from, each, own)
    const instead =
      values === undefined || json[from] !== '"' ? undefined : insteadOf(nameIn(json.slice(from, to)), { values })
    if (instead === null) isCut = true
    else if (instead !== undefined) own.push({ from, to, by: JSON.stringify(instead) })
    members.push({ from, to, isCut })
    at = nextMember(json, to)
  }
  const isEmptied = members.length > 0 && members.every(({ isCut }) => isCut)
  if (!isEmptied) {
    cuts.push(...own)
    cutMembers(members, cuts)
  }
  return { end: at + 1, isCut: isEmptied }
}

/** The next one, or the closing bracket. */
function nextMember(json: string, end: number): number {
  const at = skipBlanks(json, end)
  return json[at] === ',' ? skipBlanks(json, at + 1) : at
}

/** With the comma before each; those at the beginning with the comma behind. */
function cutMembers(members: readonly Member[], cuts: JsonCut[]): void {
  const [first] = members
  const kept = members.find(({ isCut }) => !isCut)
  const last = members.at(-1)
  if (first === undefined || last === undefined) return
  if (first.isCut) cuts.push({ from: first.from, to: kept?.from ?? last.to, by: '' })
  if (kept === undefined) return
  let before = kept.to
  for (const { to, isCut } of members.slice(members.indexOf(kept) + 1)) {
    if (isCut) cuts.push({ from: before, to, by: '' })
    before = to
  }
}
