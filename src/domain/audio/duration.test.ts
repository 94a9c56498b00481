import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { adts, flac, fragmentedMp4, mp3, mp4, ogg, opus, vorbis, wav, webm } from '../../../test/sounds.ts'
import { audioMilliseconds } from './duration.ts'

for (const [what, data, milliseconds] of [
  ['a WAV', wav(2.11), 2_110],
  ['a WAV that is streamed: no size in its head', wav(2, { size: 0xffffffff }), 2_000],
  ['a WAV whose byte rate lies', wav(2, { byteRate: 1_000_000 }), 2_000],
  ['a WAV with a tag before its samples', wav(1, { before: 'LIST' }), 1_000],
  ['a WAV with packed samples', wav(1, { tag: 2 }), null],
  ['an MP3', mp3(100), Math.ceil(100 * 26.122449)],
  ['an MP3 of changing bit rates', mp3(99, [1, 5, 9]), Math.ceil(99 * 26.122449)],
  ['an MP3 behind a tag', Buffer.concat([id3(300), mp3(10)]), 262],
  ['an MP3 with noise between its frames', Buffer.concat([mp3(10), Buffer.alloc(999, 0xff), mp3(10)]), 523],
  ['an AAC', adts(100), Math.ceil((100 * 1024_000) / 44_100)],
  ['a FLAC', flac(44_100 * 3), 3_000],
  ['a FLAC whose encoder did not know', flac(0), null],
  ['an MP4', mp4(12.5), 12_500],
  ['an MP4 whose head claims less than its samples', mp4(12.5, 1), 12_500],
  ['an MP4 in fragments', fragmentedMp4(7, 1.5), 10_500],
  ['an Opus in Ogg', ogg(opus(150, 20)), 3_000],
  ['an Opus of long packets of silence', ogg(opus(50, 120)), 6_000],
  ['an Opus whose pages lie about their position', ogg(opus(150, 20), { position: 1 }), 3_000],
  ['two chained streams', Buffer.concat([ogg(opus(50, 20)), ogg(opus(50, 20), { serial: 2 })]), 2_000],
  ['a Vorbis in Ogg', ogg(vorbis(), { position: 44_100 * 4 }), 4_000],
  ['another codec in Ogg', ogg([Buffer.from('Speex   '), Buffer.from('x')]), null],
  ['a WebM of a browser: no length in its head', webm(100, 20), 2_000],
  ['nothing', Buffer.alloc(0), null],
  ['a text', Buffer.from('This is no sound at all, whatever its name says.'), null],
] as const) {
  test(`${what} is ${milliseconds === null ? 'of unknown length' : `${milliseconds} ms`}`, () => {
    assert.equal(audioMilliseconds(data), milliseconds)
  })
}

function id3(bytes: number): Buffer {
  return Buffer.concat([
    Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, bytes >> 7, bytes & 127]),
    Buffer.alloc(bytes, 0xff),
  ])
}

const SAMPLES = [
  wav(0.5),
  mp3(20),
  adts(20),
  flac(44_100),
  mp4(2),
  fragmentedMp4(3, 1),
  ogg(opus(60, 20)),
  ogg(vorbis()),
  webm(30, 20),
]

test('boxes within boxes without end are not followed', () => {
  let nested = Buffer.alloc(0)
  for (let depth = 0; depth < 5_000; depth++) {
    const head = Buffer.from([0, 0, 0, 0, 0x6d, 0x64, 0x69, 0x61])
    head.writeUInt32BE(nested.length + 8)
    nested = Buffer.concat([head, nested])
  }
  const boxed = (kind: string, data: Buffer) => {
    const head = Buffer.alloc(8)
    head.writeUInt32BE(data.length + 8)
    head.write(kind, 4)
    return Buffer.concat([head, data])
  }
  const data = Buffer.concat([boxed('ftyp', Buffer.alloc(4)), boxed('moov', boxed('trak', nested))])
  assert.equal(audioMilliseconds(data), null)
})

test('whatever is damaged, measuring ends, and with a length or none', () => {
  const change = fc.tuple(fc.nat(600), fc.integer({ min: 0, max: 255 }))
  const damaged = fc.tuple(fc.constantFrom(...SAMPLES), fc.array(change, { maxLength: 12 }), fc.nat(4_000))
  fc.assert(
    fc.property(damaged, ([sample, changes, length]) => {
      const data = Buffer.from(sample.subarray(0, length))
      for (const [at, byte] of changes) if (at < data.length) data[at] = byte
      const found = audioMilliseconds(data)
      assert.ok(found === null || (Number.isInteger(found) && found > 0), String(found))
    }),
    { numRuns: 3_000 },
  )
})
