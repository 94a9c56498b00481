import { isObject, type JsonObject } from '../../json.ts'
import type { MediaAnswer, MediaOperation } from '../../media.ts'
import { failed } from './transcription.ts'

const TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}
const PIECE = 8 * 1024

export const speech: MediaOperation = {
  path: '/v1/audio/speech',
  async read(body) {
    try {
      const value: unknown = JSON.parse(body.toString('utf8'))
      return isObject(value) ? value : null
    } catch {
      return null
    }
  },
  answer,
}

function answer({
  model = '',
  input,
  voice,
  response_format: format = 'mp3',
  stream_format: stream,
}: JsonObject): MediaAnswer {
  const name = String(model)
  if (typeof input !== 'string' || input === '') return failed(400, "Missing required parameter: 'input'.", 'input')
  if (input.length > 4096) return failed(400, 'string too long: at most 4096 characters', 'input')
  if (typeof voice !== 'string' && !isObject(voice)) return failed(400, "Missing required parameter: 'voice'.", 'voice')
  const type = TYPES[String(format)]
  if (type === undefined) return failed(400, `Unknown format '${format}'`, 'response_format')
  if (stream === 'sse' && name.startsWith('tts-1'))
    return failed(400, 'stream_format sse is not supported by this model', 'stream_format')
  const scenario = /sim-([a-z0-9-]+)$/.exec(name)?.[1] ?? ''
  if (/^\d{3}$/.test(scenario)) return failed(Number(scenario), 'Something went wrong.', null)
  if (stream === 'sse') return { status: 200, type: 'text/event-stream', ...events(input, scenario) }
  const mebibytes = Number(/^mib-(\d+)$/.exec(scenario)?.[1] ?? 0)
  const pieces = mebibytes > 0 ? repeated(mebibytes * 128) : cut(soundOf(input))
  if (scenario === 'cut') return { status: 200, type, body: [...pieces].slice(0, 1), ending: 'cut' }
  return { status: 200, type, body: pieces, ...(scenario === 'close' && { ending: 'close' }) }
}

/** Every byte there is, so that none is lost on the way; as long as the text. */
export function soundOf(input: string): Buffer {
  return Buffer.from(Array.from({ length: input.length * 300 }, (_, at) => (at * 7 + input.length) % 256))
}

function* cut(sound: Buffer): Generator<Uint8Array> {
  for (let at = 0; at < sound.length; at += PIECE) yield sound.subarray(at, at + PIECE)
}

function* repeated(times: number): Generator<Uint8Array> {
  const piece = Buffer.alloc(PIECE, 0xa5)
  for (let sent = 0; sent < times; sent++) yield piece
}

/** Tokens by the length of the text. */
function events(input: string, scenario: string): Pick<MediaAnswer, 'body' | 'ending'> {
  const event = (value: JsonObject) => Buffer.from(`data: ${JSON.stringify(value)}\n\n`)
  const deltas = [...cut(soundOf(input))].map((piece) =>
    event({ type: 'speech.audio.delta', audio: Buffer.from(piece).toString('base64') }),
  )
  if (scenario === 'cut') return { body: deltas.slice(0, 1), ending: 'cut' }
  const usage = { input_tokens: Math.ceil(input.length / 4), output_tokens: input.length, total_tokens: 0 }
  usage.total_tokens = usage.input_tokens + usage.output_tokens
  return { body: [...deltas, event({ type: 'speech.audio.done', usage })] }
}
