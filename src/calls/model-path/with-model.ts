import { endOfValue, topLevelFields } from '../../domain/request/json-text.ts'

const [CLOSE, OPEN] = [0x7d, 0x7b]
const BLANKS: ReadonlySet<number | undefined> = new Set([0x20, 0x0a, 0x0d, 0x09])

/** What the path says of a call. */
export interface PathWords {
  model: string
  isStream: boolean
}

/**
 * A body with what the path says as its last fields, so that the steps of a call find it where all formats have it.
 * Every other byte stays; for a provider that has them in its path, too, exactly these fields are cut again. What is no
 * JSON object stays as it is, and is refused later.
 */
export function withModel(chunks: readonly Buffer[], words: PathWords): Buffer[] {
  const [place, at] = lastOf(chunks)
  if (chunks[place]?.[at] !== CLOSE) return [...chunks]
  const own = withoutOwn(chunks)
  return own === null ? inserted(chunks, place, at, words) : inserted(own, ...lastOf(own), words)
}

function inserted(chunks: readonly Buffer[], place: number, at: number, { model, isStream }: PathWords): Buffer[] {
  const last = chunks[place] as Buffer
  const before = [...chunks.slice(0, place), last.subarray(0, at)]
  const [to, end] = lastOf(before)
  const comma = before[to]?.[end] === OPEN ? '' : ','
  const added = Buffer.from(`${comma}"model":${JSON.stringify(model)},"stream":${isStream}`)
  return [
    ...chunks.slice(0, place),
    Buffer.concat([last.subarray(0, at), added, last.subarray(at)]),
    ...chunks.slice(place + 1),
  ]
}

/** Where the last byte is that is no blank: in which chunk, and at which place of it. */
function lastOf(chunks: readonly Buffer[]): [place: number, at: number] {
  for (let place = chunks.length - 1; place >= 0; place--) {
    const chunk = chunks[place] as Buffer
    for (let at = chunk.length - 1; at >= 0; at--) if (!BLANKS.has(chunk[at])) return [place, at]
  }
  return [-1, -1]
}

const OWN = ['model', 'stream']
const NAMES = OWN.map((name) => Buffer.from(`"${name}"`))
const LONGEST = '"stream"'.length
const [COLON, NOTHING] = [0x3a, Buffer.alloc(0)]

/** Also where a name begins in one chunk and ends in another. The role of a model is no name. */
function hasOwn(chunks: readonly Buffer[]): boolean {
  if (chunks.length === 1) return NAMES.some((name) => isName(chunks[0] as Buffer, name))
  let tail: Buffer = NOTHING
  for (const chunk of chunks) {
    const seam = Buffer.concat([tail, chunk.subarray(0, LONGEST)])
    if (NAMES.some((name) => chunk.includes(name) || seam.includes(name))) return true
    tail = chunk.length >= LONGEST ? chunk.subarray(-LONGEST) : Buffer.concat([tail, chunk]).subarray(-LONGEST)
  }
  return false
}

function isName(chunk: Buffer, name: Buffer): boolean {
  for (let at = chunk.indexOf(name); at >= 0; at = chunk.indexOf(name, at + 1)) {
    let behind = at + name.length
    while (BLANKS.has(chunk[behind])) behind += 1
    if (chunk[behind] === COLON) return true
  }
  return false
}

/** Clients repeat the model in the body, where the format allows it: the path counts. Null: they have not. */
function withoutOwn(chunks: readonly Buffer[]): Buffer[] | null {
  if (!hasOwn(chunks)) return null
  const json = Buffer.concat(chunks).toString('latin1')
  if (json.trimStart()[0] !== '{') return null
  const fields = placesIn(json)
  const places = OWN.flatMap((name) => fields?.get(name) ?? []).sort((a, b) => b.key - a.key)
  if (places.length === 0) return null
  let text = json
  // From the end, so that the places before stay right.
  for (const { key, start } of places) {
    const before = text.slice(0, key).trimEnd()
    const after = text.slice(endOfValue(text, start)).trimStart()
    const left = before.endsWith(',') ? before.slice(0, -1) : before
    text = left + (left === before && after.startsWith(',') ? after.slice(1) : after)
  }
  return [Buffer.from(text, 'latin1')]
}

function placesIn(json: string): ReturnType<typeof topLevelFields> | null {
  try {
    return topLevelFields(json)
  } catch {
    return null
  }
}
