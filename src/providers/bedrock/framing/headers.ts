const STRING = 7
const BYTES = 6
/** Of the types without their own length: true, false, byte, short, int, long, -, -, timestamp, uuid. */
const FIXED_BYTES = [0, 0, 1, 2, 4, 8, -1, -1, 8, 16]

/** The same few headers come with every event of every stream. */
const known = new Map<string, ReadonlyMap<string, string>>()
const MOST_KNOWN = 100
const LONGEST_KNOWN = 200

/** The headers of a message that are texts; null where they do not fill their place exactly. */
export function stringHeaders(bytes: Buffer): ReadonlyMap<string, string> | null {
  if (bytes.length > LONGEST_KNOWN) return readHeaders(bytes)
  const key = bytes.toString('latin1')
  const present = known.get(key)
  if (present !== undefined) return present
  const headers = readHeaders(bytes)
  if (headers === null) return null
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(key, headers)
  return headers
}

function readHeaders(bytes: Buffer): ReadonlyMap<string, string> | null {
  const headers = new Map<string, string>()
  let at = 0
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] ?? 0)
    const type = bytes[nameEnd]
    if (type === undefined) return null
    const isSized = type === STRING || type === BYTES
    if (isSized && nameEnd + 3 > bytes.length) return null
    const start = nameEnd + (isSized ? 3 : 1)
    const length = isSized ? bytes.readUInt16BE(nameEnd + 1) : (FIXED_BYTES[type] ?? -1)
    const end = start + length
    if (length < 0 || end > bytes.length) return null
    if (type === STRING) headers.set(bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', start, end))
    at = end
  }
  return headers
}
