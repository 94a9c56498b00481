const SEGMENT = 0x18538067
const INFO = 0x1549a966
const SCALE = 0x2ad7b1
const CLUSTER = 0x1f43b675
const CLUSTER_TIME = 0xe7
const GROUP = 0xa0
const BLOCK = 0xa1
const SIMPLE_BLOCK = 0xa3
const BLOCK_LENGTH = 0x9b

const NANOSECONDS = 1_000_000
/** Of the last block, where nothing shows it: the usual packet of a browser. */
const USUAL_TICKS = 60

/** By the times of its blocks: what browsers record has no length in its head. */
export function webmMilliseconds(data: Buffer): number | null {
  let scale = NANOSECONDS
  let cluster = 0
  let [last, step, end] = [-1, USUAL_TICKS, 0]
  for (let at = 0; at < data.length; ) {
    const id = numberAt(data, at, false)
    const size = id === null ? null : numberAt(data, at + id.bytes, true)
    if (id === null || size === null) break
    const from = at + id.bytes + size.bytes
    switch (id.value) {
      case SCALE:
        scale = whole(data, from, size.value) || NANOSECONDS
        break
      case CLUSTER_TIME:
        cluster = whole(data, from, size.value)
        break
      case BLOCK:
      case SIMPLE_BLOCK: {
        const track = numberAt(data, from, true)
        const place = from + (track?.bytes ?? 1)
        if (place + 2 > data.length) break
        const time = cluster + data.readInt16BE(place)
        if (last >= 0 && time > last) step = time - last
        last = Math.max(last, time)
        break
      }
      case BLOCK_LENGTH:
        end = Math.max(end, last + whole(data, from, size.value))
        break
    }
    // What holds others is entered; its size may be unknown.
    const isEntered = id.value === SEGMENT || id.value === INFO || id.value === CLUSTER || id.value === GROUP
    at = isEntered ? from : from + size.value
  }
  return last < 0 ? null : (Math.max(end, last + step) * scale) / NANOSECONDS
}

/** A number of variable length (RFC 8794, 4). All bits set: a size that is not known. */
function numberAt(data: Buffer, at: number, isSize: boolean): { value: number; bytes: number } | null {
  const first = data[at]
  if (first === undefined || first === 0) return null
  const bytes = Math.clz32(first) - 23
  if (at + bytes > data.length) return null
  let value = isSize ? first & (0xff >> bytes) : first
  let isUnknown = isSize && value === 0xff >> bytes
  for (let place = 1; place < bytes; place++) {
    const next = data[at + place] ?? 0
    value = value * 256 + next
    if (next !== 0xff) isUnknown = false
  }
  return { value: isUnknown ? Number.MAX_SAFE_INTEGER : value, bytes }
}

function whole(data: Buffer, from: number, bytes: number): number {
  let value = 0
  for (let place = 0; place < Math.min(bytes, 8) && from + place < data.length; place++)
    value = value * 256 + (data[from + place] ?? 0)
  return value
}
