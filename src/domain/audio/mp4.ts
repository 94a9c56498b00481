interface Track {
  id: number
  hertz: number
  isSound: boolean
  /** In its own units: what its heads claim, and the sum over its samples. */
  claimed: number
  summed: number
  fragments: number
}

interface Box {
  kind: string
  from: number
  to: number
}

/** The longest of what the heads claim and of what samples add up to: edits do not shorten what is read. */
export function mp4Milliseconds(data: Buffer): number | null {
  const tracks = new Map<number, Track>()
  const usual = new Map<number, number>()
  let whole = 0
  for (const box of boxesIn(data, 0, data.length)) {
    if (box.kind === 'moov') {
      for (const inner of boxesIn(data, box.from, box.to)) {
        if (inner.kind === 'mvhd') whole = secondsOf(data, inner)
        if (inner.kind === 'trak') {
          const track = trackIn(data, inner)
          tracks.set(track.id, track)
        }
        if (inner.kind === 'mvex') {
          for (const { kind, from } of boxesIn(data, inner.from, inner.to))
            if (kind === 'trex') usual.set(uint32(data, from + 4), uint32(data, from + 12))
        }
      }
    }
    if (box.kind === 'moof') {
      for (const inner of boxesIn(data, box.from, box.to))
        if (inner.kind === 'traf') addFragment(data, inner, tracks, usual)
    }
  }
  let seconds = whole
  for (const { hertz, isSound, claimed, summed, fragments } of tracks.values()) {
    if (isSound && hertz > 0) seconds = Math.max(seconds, Math.max(claimed, summed + fragments) / hertz)
  }
  return seconds === 0 ? null : seconds * 1000
}

function* boxesIn(data: Buffer, from: number, to: number): Generator<Box> {
  for (let at = from; at + 8 <= to; ) {
    const short = data.readUInt32BE(at)
    const isLong = short === 1 && at + 16 <= to
    const size = isLong ? Number(data.readBigUInt64BE(at + 8)) : short === 0 ? to - at : short
    if (size < (isLong ? 16 : 8)) return
    yield { kind: data.toString('latin1', at + 4, at + 8), from: at + (isLong ? 16 : 8), to: Math.min(at + size, to) }
    at += size
  }
}

const WITHIN = ['mdia', 'minf', 'stbl']

function trackIn(data: Buffer, trak: Box): Track {
  const track = { id: 0, hertz: 0, isSound: false, claimed: 0, summed: 0, fragments: 0 }
  const visit = (box: Box, depth: number) => {
    for (const { kind, from, to } of boxesIn(data, box.from, box.to)) {
      if (kind === 'tkhd') track.id = uint32(data, from + (data[from] === 1 ? 20 : 12))
      if (kind === 'mdhd') {
        track.hertz = uint32(data, from + (data[from] === 1 ? 20 : 12))
        track.claimed = durationIn(data, from)
      }
      if (kind === 'hdlr') track.isSound = data.toString('latin1', from + 8, from + 12) === 'soun'
      if (kind === 'stts') track.summed = sumOfSamples(data, from, to)
      if (WITHIN[depth] === kind) visit({ kind, from, to }, depth + 1)
    }
  }
  visit(trak, 0)
  return track
}

function sumOfSamples(data: Buffer, from: number, to: number): number {
  let sum = 0
  const count = uint32(data, from + 4)
  for (let place = 0; place < count && from + 16 + place * 8 <= to; place++)
    sum += uint32(data, from + 8 + place * 8) * uint32(data, from + 12 + place * 8)
  return sum
}

function addFragment(data: Buffer, traf: Box, tracks: Map<number, Track>, usual: Map<number, number>): void {
  let track: Track | undefined
  let each = 0
  for (const { kind, from, to } of boxesIn(data, traf.from, traf.to)) {
    const flags = uint32(data, from) & 0xffffff
    if (kind === 'tfhd') {
      const id = uint32(data, from + 4)
      track = tracks.get(id)
      const before = 8 + ((flags & 1) !== 0 ? 8 : 0) + ((flags & 2) !== 0 ? 4 : 0)
      each = (flags & 8) !== 0 ? uint32(data, from + before) : (usual.get(id) ?? 0)
    }
    if (kind === 'trun' && track !== undefined) track.fragments += lengthOfRun(data, { kind, from, to }, flags, each)
  }
}

function lengthOfRun(data: Buffer, { from, to }: Box, flags: number, each: number): number {
  const count = uint32(data, from + 4)
  const hasOwn = (flags & 0x100) !== 0
  if (!hasOwn) return count * each
  const size = [0x100, 0x200, 0x400, 0x800].reduce((sum, flag) => sum + ((flags & flag) !== 0 ? 4 : 0), 0)
  const first = from + 8 + ((flags & 1) !== 0 ? 4 : 0) + ((flags & 4) !== 0 ? 4 : 0)
  let sum = 0
  for (let place = 0; place < count && first + place * size + 4 <= to; place++)
    sum += uint32(data, first + place * size)
  return sum
}

function secondsOf(data: Buffer, { from }: Box): number {
  const scale = uint32(data, from + (data[from] === 1 ? 20 : 12))
  return scale === 0 ? 0 : durationIn(data, from) / scale
}

/** All bits set: not known. */
function durationIn(data: Buffer, from: number): number {
  if (data[from] !== 1) {
    const short = uint32(data, from + 16)
    return short === 0xffffffff ? 0 : short
  }
  const long = from + 32 <= data.length ? Number(data.readBigUInt64BE(from + 24)) : 0
  return long >= 2 ** 63 ? 0 : long
}

function uint32(data: Buffer, at: number): number {
  return at + 4 <= data.length ? data.readUInt32BE(at) : 0
}
