/** Behind the tags (ID3v2) at the beginning of a file. */
export function startOfFrames(data: Buffer): number {
  let at = 0
  while (data.toString('latin1', at, at + 3) === 'ID3' && at + 10 <= data.length) {
    const size = [6, 7, 8, 9].reduce((sum, place) => sum * 128 + ((data[at + place] ?? 0) & 0x7f), 0)
    at += 10 + size + (((data[at + 5] ?? 0) & 0x10) === 0 ? 0 : 10)
  }
  return at
}

interface Frame {
  bytes: number
  seconds: number
}

/** Kilobits a second by version and layer, from index 1 on. */
const RATES_1: Readonly<Record<number, readonly number[]>> = {
  1: [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  2: [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  3: [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
}
const RATES_2: Readonly<Record<number, readonly number[]>> = {
  1: [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  2: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  3: [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
}
const MPEG_HERTZ = [44_100, 48_000, 32_000]

/** MPEG 1, 2 and 2.5, layers I to III: the counts in a head of its own (Xing, VBRI) can be wrong. */
export function mpegMilliseconds(data: Buffer, from: number): number | null {
  return walk(data, from, (at) => {
    const [b1 = 0, b2 = 0] = [data[at + 1], data[at + 2]]
    const version = (b1 >> 3) & 3
    const layer = 4 - ((b1 >> 1) & 3)
    const kilobits = (version === 3 ? RATES_1 : RATES_2)[layer]?.[(b2 >> 4) - 1]
    const hertz = MPEG_HERTZ[(b2 >> 2) & 3]
    if ((b1 & 0xe0) !== 0xe0 || version === 1 || kilobits === undefined || hertz === undefined) return null
    const rate = version === 3 ? hertz : version === 2 ? hertz / 2 : hertz / 4
    const padding = (b2 >> 1) & 1
    const samples = layer === 1 ? 384 : layer === 3 && version !== 3 ? 576 : 1152
    const bytes =
      layer === 1
        ? (Math.floor((12_000 * kilobits) / rate) + padding) * 4
        : Math.floor(((samples / 8) * 1000 * kilobits) / rate) + padding
    return { bytes, seconds: samples / rate }
  })
}

const ADTS_HERTZ = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
]

export function adtsMilliseconds(data: Buffer, from: number): number | null {
  return walk(data, from, (at) => {
    const [b1 = 0, b2 = 0, b3 = 0, b4 = 0, b5 = 0, b6 = 0] = data.subarray(at + 1, at + 7)
    const hertz = ADTS_HERTZ[(b2 >> 2) & 15]
    const bytes = ((b3 & 3) << 11) | (b4 << 3) | (b5 >> 5)
    if ((b1 & 0xf6) !== 0xf0 || hertz === undefined || bytes < 7) return null
    return { bytes, seconds: (1024 * ((b6 & 3) + 1)) / hertz }
  })
}

/** What is no frame is skipped. */
function walk(data: Buffer, from: number, frameAt: (at: number) => Frame | null): number | null {
  let seconds = 0
  for (let at = from; at >= 0 && at + 4 <= data.length; ) {
    const frame = data[at] === 0xff ? frameAt(at) : null
    if (frame === null) {
      at = data.indexOf(0xff, at + 1)
      continue
    }
    seconds += frame.seconds
    at += frame.bytes
  }
  return seconds === 0 ? null : seconds * 1000
}
