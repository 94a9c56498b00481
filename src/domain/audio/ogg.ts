interface Stream {
  /** Samples a second; null: neither of the two codecs. */
  hertz: number | null
  isOpus: boolean
  samples: number
  /** Of its packets the first ones are heads. */
  packets: number
}

/** Milliseconds of a frame of Opus, by the first five bits of its packet (RFC 6716, 3.1). */
const OPUS_FRAMES = [
  ...Array.from({ length: 3 }, () => [10, 20, 40, 60]),
  ...Array.from({ length: 2 }, () => [10, 20]),
  ...Array.from({ length: 4 }, () => [2.5, 5, 10, 20]),
].flat()
const OPUS_HERTZ = 48_000

/** Chained streams add up. Opus by its packets: the positions that pages claim can be wrong. */
export function oggMilliseconds(data: Buffer): number | null {
  const streams = new Map<number, Stream>()
  let current: Stream | null = null
  let ended = 0
  const end = (stream: Stream) => {
    ended += (stream.samples * 1000) / (stream.hertz ?? 1)
  }
  let isContinued = false
  for (let at = 0; at + 27 <= data.length; ) {
    if (data.toString('latin1', at, at + 4) !== 'OggS') return null
    const kind = data[at + 5] ?? 0
    const position = Number(data.readBigInt64LE(at + 6))
    const serial = data.readUInt32LE(at + 14)
    const count = data[at + 26] ?? 0
    let from = at + 27 + count
    current = streams.get(serial) ?? null
    if ((kind & 2) !== 0) {
      if (current !== null) end(current)
      current = opened(data.subarray(from, from + 40))
      streams.set(serial, current)
    }
    if (current === null || current.hertz === null) return null
    isContinued = (kind & 1) !== 0
    let begin = from
    for (let place = 0; place < count; place++) {
      const size = data[at + 27 + place] ?? 0
      from += size
      if (size === 255) continue
      if (current.isOpus && !isContinued && current.packets > 1) current.samples += opusSamples(data, begin, from)
      current.packets += 1
      isContinued = false
      begin = from
    }
    // Of a packet that goes on, the beginning says how long it is.
    if (begin < from && current.isOpus && !isContinued && current.packets > 1)
      current.samples += opusSamples(data, begin, from)
    if (!current.isOpus && position > current.samples) current.samples = position
    at = from
  }
  for (const stream of streams.values()) end(stream)
  return ended === 0 ? null : ended
}

function opened(packet: Buffer): Stream {
  const isOpus = packet.toString('latin1', 0, 8) === 'OpusHead'
  const isVorbis = packet.toString('latin1', 0, 7) === '\x01vorbis' && packet.length >= 16
  const hertz = isOpus ? OPUS_HERTZ : isVorbis ? packet.readUInt32LE(12) || null : null
  return { hertz, isOpus, samples: 0, packets: 0 }
}

function opusSamples(data: Buffer, from: number, to: number): number {
  if (from >= to || from >= data.length) return 0
  const head = data[from] ?? 0
  const frames = [1, 2, 2][head & 3] ?? (data[from + 1] ?? 0) & 0x3f
  return frames * (OPUS_FRAMES[head >> 3] ?? 0) * (OPUS_HERTZ / 1000)
}
