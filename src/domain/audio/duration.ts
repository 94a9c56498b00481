import { flacMilliseconds } from './flac.ts'
import { adtsMilliseconds, mpegMilliseconds, startOfFrames } from './frames.ts'
import { mp4Milliseconds } from './mp4.ts'
import { oggMilliseconds } from './ogg.ts'
import { wavMilliseconds } from './wav.ts'
import { webmMilliseconds } from './webm.ts'

/**
 * How long a sound is, in whole milliseconds, rounded up: by what is in its container, not by what its head claims, where
 * the two can differ. One pass, which never throws. Null: the length is unknown, which is not zero.
 */
export function audioMilliseconds(data: Buffer): number | null {
  const found = walked(data)
  return found === null || !(found > 0) || !Number.isFinite(found) ? null : Math.ceil(found - ROUNDING)
}

/** Of floating point: 2.11 s are 2110 ms. */
const ROUNDING = 1e-6

function walked(data: Buffer): number | null {
  const begin = data.toString('latin1', 0, 12)
  if (/^(RIFF|RF64)....WAVE/s.test(begin)) return wavMilliseconds(data)
  if (begin.startsWith('OggS')) return oggMilliseconds(data)
  if (begin.startsWith('fLaC')) return flacMilliseconds(data)
  if (begin.startsWith('\x1a\x45\xdf\xa3')) return webmMilliseconds(data)
  if (begin.slice(4, 8) === 'ftyp') return mp4Milliseconds(data)
  const at = startOfFrames(data)
  if (data[at] !== 0xff) return null
  return ((data[at + 1] ?? 0) & 0xf6) === 0xf0 ? adtsMilliseconds(data, at) : mpegMilliseconds(data, at)
}
