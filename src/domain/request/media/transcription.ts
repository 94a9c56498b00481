import { z } from 'zod'
import { audioMilliseconds } from '../../audio/duration.ts'
import { GatewayError } from '../../errors.ts'
import type { Form, FormPart } from '../../form/form.ts'
import { textPart } from '../../form/form-fields.ts'
import { problemOf } from '../../problem-text.ts'
import { named, worded } from '../../wording/worded.ts'
import { isCount, type PromptTokens } from '../bounds.ts'
import { type CallRequest, isJsonObject } from '../call-request.ts'

/** What vendors take. */
export const MOST_FILE_BYTES = 25 * 1024 * 1024

/** A file of the caller, whose bytes stay in the body. */
export interface AudioFile {
  bytes: number
  /** How long it is; null: its container does not say. */
  milliseconds: number | null
}

const FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt', 'diarized_json'] as const

/** As a form has it: every field is a text. Those that are not here pass as they are. */
export const TranscriptionSchema = z.looseObject({
  file: z.custom<FormPart>(isJsonObject, 'is missing; expected a file').meta({ type: 'string', format: 'binary' }),
  model: z.string().min(1),
  language: z.string().optional(),
  prompt: z.string().optional(),
  response_format: z
    .string()
    .optional()
    .describe(`${FORMATS.join(', ')}; default json`),
  stream: z
    .string()
    .regex(/^(true|false)$/i, 'expected true or false')
    .optional(),
  temperature: z.string().optional(),
  timestamp_granularities: z.array(z.string()).optional(),
})
/** Checked, with its file measured. */
export interface TranscriptionRequest extends CallRequest {
  file: AudioFile
  prompt?: string
  response_format?: string
  stream?: string
}

/** What the fields of the form are. */
export const TRANSCRIPTION_FORM = {
  files: ['file'],
  lists: [
    ...['timestamp_granularities', 'include', 'keywords', 'languages'],
    ...['known_speaker_names', 'known_speaker_references'],
  ],
} as const

const EXTENSION = /\.(flac|mp3|mp4|mpeg|mpga|m4a|ogg|oga|opus|wav|webm|aac|aiff?|wma|amr|3gp)$/i
const TYPE = /^(audio|video)\/|^application\/ogg\b/i

export function readTranscription(value: unknown, allowsStream: boolean): TranscriptionRequest {
  const parsed = TranscriptionSchema.safeParse(value)
  if (!parsed.success) throw new GatewayError('invalid_request', problemOf(parsed.error))
  const request = value as Omit<TranscriptionRequest, 'file'> & { model: string; stream?: string; file: FormPart }
  if (isStreamed(request) && !allowsStream) throw new GatewayError('not_implemented')
  const { filename, type, data } = request.file
  if (data.length === 0) throw new GatewayError('invalid_request', worded`file: is empty`)
  if (data.length > MOST_FILE_BYTES)
    throw new GatewayError('request_too_large', worded`file: is larger than ${MOST_FILE_BYTES} bytes`)
  if (!EXTENSION.test(filename ?? '') && !TYPE.test(type ?? '')) {
    const expected = named('flac, mp3, mp4, mpeg, mpga, m4a, ogg, wav or webm')
    throw new GatewayError(
      'invalid_request',
      worded`file: expected audio, with an extension of it in its name: ${expected}`,
    )
  }
  return { ...request, file: { bytes: data.length, milliseconds: audioMilliseconds(data) } }
}

export function isStreamed({ stream }: Pick<TranscriptionRequest, 'stream'>): boolean {
  return stream?.toLowerCase() === 'true'
}

/** Its answer is a text and no JSON. */
export function isPlain({ response_format: format }: Pick<TranscriptionRequest, 'response_format'>): boolean {
  return format === 'text' || format === 'srt' || format === 'vtt'
}

const JsonForm = z.looseObject({
  model: z.string(),
  input_audio: z.object({ data: z.string(), format: z.string().regex(/^[a-z0-9]{2,5}$/) }),
})

/** The same as JSON, which some clients send. */
export function formOfJson(value: unknown): Form {
  const parsed = JsonForm.safeParse(value)
  if (!parsed.success) throw new GatewayError('invalid_request', problemOf(parsed.error))
  const { input_audio: audio, ...fields } = parsed.data
  const texts = Object.entries(fields).flatMap(([name, field]) => {
    if (!Array.isArray(field))
      return [textPart(name, typeof field === 'object' ? JSON.stringify(field) : String(field))]
    return field.map((each) => textPart(`${name}[]`, String(each)))
  })
  const data = Buffer.from(audio.data, 'base64')
  return [...texts, { name: 'file', filename: `audio.${audio.format}`, type: `audio/${audio.format}`, data }]
}

/** The lowest bit rate of sound that is not silence is 8 kbit a second: then a byte is a millisecond. */
export function likelyMilliseconds({ bytes, milliseconds }: AudioFile): number {
  return milliseconds ?? bytes
}

/** What models that bill tokens read and write of a second at most, and at most in all. */
const TOKENS_PER_SECOND = 10
const MOST_TOKENS = 16_000

export function heardTokens({ milliseconds }: AudioFile): number {
  return milliseconds === null ? MOST_TOKENS : Math.min(Math.ceil(milliseconds / 1000) * TOKENS_PER_SECOND, MOST_TOKENS)
}

export function transcriptionTokens({ file, prompt }: TranscriptionRequest): PromptTokens {
  const most = Math.min(heardTokens(file) + Buffer.byteLength(prompt ?? ''), MOST_TOKENS)
  return { most, visible: most, likely: isCount(most) ? most : null, isOpaque: false }
}
