import type { JsonObject } from '../../json.ts'
import { type MediaAnswer, type MediaOperation, readForm } from '../../media.ts'

const EXTENSIONS = ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm']
const MOST_BYTES = 26_214_400
const TEXT = 'The train leaves at ten, on track seven.'

/** What a model can write; those of the vendor's own newer kinds know one format only. */
function formatsOf(model: string): readonly string[] {
  if (model.includes('diarize')) return ['json', 'text', 'diarized_json']
  return model.startsWith('gpt-4o') ? ['json'] : ['json', 'text', 'srt', 'verbose_json', 'vtt']
}

export function transcription(path: string): MediaOperation {
  return { path, read: readForm, answer }
}

interface SentFile {
  name: string
  bytes: number
}

/** The length of the sound is what the test says in `prompt`: `12.3 s`. */
function answer(fields: JsonObject): MediaAnswer {
  const { model = '', file, prompt, response_format: format = 'json', stream } = fields
  const problem = problemWith(String(model), file as SentFile | undefined, String(format))
  if (problem !== null) return failed(problem.status, problem.message, problem.param)
  const seconds = Number.parseFloat(String(prompt ?? '1'))
  const scenario = /sim-([a-z0-9-]+)$/.exec(String(model))?.[1] ?? ''
  if (/^\d{3}$/.test(scenario)) return failed(Number(scenario), 'Something went wrong.', null)
  const usage = usageOf(String(model), seconds, scenario)
  if (stream === 'true' && !String(model).startsWith('whisper'))
    return { status: 200, type: 'text/event-stream', ...streamed(usage, scenario) }
  if (format === 'text') return { status: 200, type: 'text/plain; charset=utf-8', body: `${TEXT}\n` }
  if (format === 'srt')
    return { status: 200, type: 'text/plain; charset=utf-8', body: `1\n00:00:00,000 --> 00:00:01,000\n${TEXT}\n\n` }
  if (format === 'vtt')
    return { status: 200, type: 'text/vtt; charset=utf-8', body: `WEBVTT\n\n00:00.000 --> 00:01.000\n${TEXT}\n\n` }
  const long = { task: 'transcribe', language: 'english', duration: seconds, text: TEXT, segments: [] }
  return json(200, format === 'json' ? { text: TEXT, ...usage } : { ...long, ...usage })
}

function problemWith(model: string, file: SentFile | undefined, format: string) {
  if (typeof file?.bytes !== 'number') return { status: 400, message: 'you must provide a file', param: 'file' }
  if (file.bytes > MOST_BYTES)
    return { status: 413, message: 'Maximum content size limit (26214400) exceeded', param: null }
  const extension = file.name.slice(file.name.lastIndexOf('.') + 1).toLowerCase()
  if (!EXTENSIONS.includes(extension))
    return {
      status: 400,
      message: `Invalid file format. Supported formats: ${JSON.stringify(EXTENSIONS)}`,
      param: 'file',
    }
  if (formatsOf(model).includes(format)) return null
  return {
    status: 400,
    message: `response_format '${format}' is not compatible with model '${model}'.`,
    param: 'response_format',
  }
}

/** Whole seconds, rounded up, or tokens. */
function usageOf(model: string, seconds: number, scenario: string): JsonObject {
  if (scenario === 'no-usage') return {}
  if (!model.startsWith('gpt-4o')) return { usage: { type: 'duration', seconds: Math.ceil(seconds) } }
  const heard = Math.ceil(seconds * 8)
  const tokens = { input_tokens: heard, input_token_details: { audio_tokens: heard, text_tokens: 0 }, output_tokens: 9 }
  return { usage: { type: 'tokens', ...tokens, total_tokens: heard + 9 } }
}

function streamed(usage: JsonObject, scenario: string): Pick<MediaAnswer, 'body' | 'ending'> {
  const event = (value: JsonObject) => Buffer.from(`data: ${JSON.stringify(value)}\n\n`)
  const deltas = TEXT.split(/(?= )/).map((delta) => event({ type: 'transcript.text.delta', delta }))
  if (scenario === 'cut') return { body: deltas.slice(0, 3), ending: 'cut' }
  return { body: [...deltas, event({ type: 'transcript.text.done', text: TEXT, ...usage })] }
}

export function failed(status: number, message: string, param: string | null, code: string | null = null): MediaAnswer {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error'
  return json(status, { error: { message, type, param, code } })
}

function json(status: number, value: JsonObject): MediaAnswer {
  return { status, type: 'application/json', body: JSON.stringify(value) }
}
