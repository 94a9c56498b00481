/** Sounds of a known length, for tests: heads as encoders write them, and silence. */

export function wav(
  seconds: number,
  {
    size,
    byteRate = 32_000,
    tag = 1,
    before,
  }: { size?: number; byteRate?: number; tag?: number; before?: string } = {},
): Buffer {
  const samples = Buffer.alloc(Math.round(seconds * 16_000) * 2)
  const format = Buffer.alloc(16)
  format.writeUInt16LE(tag, 0)
  format.writeUInt16LE(1, 2)
  format.writeUInt32LE(16_000, 4)
  format.writeUInt32LE(byteRate, 8)
  format.writeUInt16LE(2, 12)
  format.writeUInt16LE(16, 14)
  const tags = before === undefined ? [] : [chunk(before, Buffer.alloc(6))]
  const body = [Buffer.from('WAVE'), chunk('fmt ', format), ...tags, chunk('data', samples, size)]
  return chunk('RIFF', Buffer.concat(body))
}

function chunk(name: string, data: Buffer, size = data.length): Buffer {
  const head = Buffer.alloc(8)
  head.write(name, 'latin1')
  head.writeUInt32LE(size, 4)
  return Buffer.concat([head, data])
}

const KILOBITS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]

/** Layer III at 44.1 kHz; `rates`: indexes of bit rates, in turns. */
export function mp3(frames: number, rates: readonly number[] = [9]): Buffer {
  return Buffer.concat(
    Array.from({ length: frames }, (_, at) => {
      const index = rates[at % rates.length] ?? 9
      const frame = Buffer.alloc(Math.floor((144_000 * (KILOBITS[index - 1] ?? 0)) / 44_100))
      frame.set([0xff, 0xfb, index << 4, 0])
      return frame
    }),
  )
}

export function adts(frames: number): Buffer {
  const frame = Buffer.alloc(50)
  frame.set([0xff, 0xf1, 4 << 2, 0x80 | (50 >> 11), (50 >> 3) & 255, ((50 & 7) << 5) | 0x1f, 0xfc])
  return Buffer.concat(Array.from({ length: frames }, () => frame))
}

export function flac(samples: number): Buffer {
  const info = Buffer.alloc(34)
  info.writeUIntBE(44_100 << 4, 10, 3)
  info.writeUInt32BE(samples, 14)
  return Buffer.concat([Buffer.from('fLaC'), Buffer.from([0x80, 0, 0, 34]), info, Buffer.alloc(100)])
}

const HERTZ = 44_100

function box(kind: string, ...parts: Buffer[]): Buffer {
  const data = Buffer.concat(parts)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(data.length + 8)
  head.write(kind, 4, 'latin1')
  return Buffer.concat([head, data])
}

function words(...values: number[]): Buffer {
  const data = Buffer.alloc(values.length * 4)
  for (const [at, value] of values.entries()) data.writeUInt32BE(value, at * 4)
  return data
}

function moov(claimed: number, table: Buffer, more: Buffer[] = []): Buffer {
  const media = box(
    'mdia',
    box('mdhd', words(0, 0, 0, HERTZ, claimed, 0)),
    box('hdlr', words(0, 0), Buffer.from('soun')),
    box('minf', box('stbl', table)),
  )
  return box(
    'moov',
    box('mvhd', words(0, 0, 0, HERTZ, claimed)),
    box('trak', box('tkhd', words(0, 0, 0, 7, 0)), media),
    ...more,
  )
}

/** Its index comes last. */
export function mp4(seconds: number, claimed = seconds): Buffer {
  const samples = seconds * HERTZ
  const table = box('stts', words(0, 2, 1, 1024, 1, samples - 1024))
  return Buffer.concat([box('ftyp', Buffer.from('M4A ')), box('mdat', Buffer.alloc(500)), moov(claimed * HERTZ, table)])
}

export function fragmentedMp4(fragments: number, seconds: number): Buffer {
  const extended = box('mvex', box('trex', words(0, 7, 1, HERTZ / 2, 0, 0)))
  const run = box('trun', words(0, seconds * 2))
  const fragment = box('moof', box('traf', box('tfhd', words(0, 7)), run))
  return Buffer.concat([
    box('ftyp', Buffer.from('iso5')),
    moov(0, box('stts', words(0, 0)), [extended]),
    ...Array.from({ length: fragments }, () => Buffer.concat([fragment, box('mdat', Buffer.alloc(50))])),
  ])
}

/** Its head, its tags, and packets of so many milliseconds. */
export function opus(packets: number, milliseconds: 20 | 120): Buffer[] {
  const head = Buffer.concat([Buffer.from('OpusHead'), Buffer.from([1, 1, 0, 0, 0x80, 0xbb, 0, 0, 0, 0, 0])])
  const packet = milliseconds === 20 ? Buffer.from([0x78, 1, 2]) : Buffer.from([0x7b, 6, 0])
  return [head, Buffer.from('OpusTags'), ...Array.from({ length: packets }, () => packet)]
}

export function vorbis(): Buffer[] {
  const head = Buffer.alloc(30)
  head.write('\x01vorbis', 'latin1')
  head[11] = 1
  head.writeUInt32LE(44_100, 12)
  return [head, Buffer.from('\x03vorbis'), Buffer.from('x')]
}

/** A packet a page for the first two, as the format wants it, then as many as fit. */
export function ogg(packets: readonly Buffer[], { serial = 1, position = 0 } = {}): Buffer {
  const [first = Buffer.alloc(0), second = Buffer.alloc(0), ...rest] = packets
  const pages = [[first], [second]]
  for (let at = 0; at < rest.length; at += 200) pages.push(rest.slice(at, at + 200))
  return Buffer.concat(
    pages.map((page, at) => {
      const head = Buffer.alloc(27)
      head.write('OggS')
      head[5] = at === 0 ? 2 : 0
      head.writeBigInt64LE(BigInt(position), 6)
      head.writeUInt32LE(serial, 14)
      head[26] = page.length
      return Buffer.concat([head, Buffer.from(page.map(({ length }) => length)), ...page])
    }),
  )
}

/** As a browser records: a segment and clusters of unknown size, blocks of so many milliseconds. */
export function webm(blocks: number, milliseconds: number): Buffer {
  const head = Buffer.from([
    0x1a,
    0x45,
    0xdf,
    0xa3,
    0x84,
    0x42,
    0x82,
    0x81,
    0x77,
    0x18,
    0x53,
    0x80,
    0x67,
    0x01,
    ...Array<number>(7).fill(0xff),
  ])
  const info = Buffer.from([0x15, 0x49, 0xa9, 0x66, 0x87, 0x2a, 0xd7, 0xb1, 0x83, 0x0f, 0x42, 0x40])
  const clusters: Buffer[] = []
  for (let at = 0; at < blocks; at++) {
    const time = at * milliseconds
    if (at % 50 === 0) {
      const begin = Buffer.from([0x1f, 0x43, 0xb6, 0x75, 0x01, ...Array<number>(7).fill(0xff), 0xe7, 0x82, 0, 0])
      begin.writeUInt16BE(time, begin.length - 2)
      clusters.push(begin)
    }
    const block = Buffer.from([0xa3, 0x86, 0x81, 0, 0, 0x80, 0x78, 1])
    block.writeInt16BE(time - Math.floor(at / 50) * 50 * milliseconds, 3)
    clusters.push(block)
  }
  return Buffer.concat([head, info, ...clusters])
}
