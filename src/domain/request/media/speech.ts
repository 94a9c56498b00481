import { z } from 'zod'
import { GatewayError } from '../../errors.ts'
import { problemOf } from '../../problem-text.ts'
import { worded } from '../../wording/worded.ts'
import type { PromptTokens } from '../bounds.ts'
import { isJsonObject } from '../call-request.ts'

export const SpeechSchema = z.looseObject({
  model: z.string().min(1),
  input: z.string().min(1).describe('What is said'),
  voice: z.union([z.string(), z.looseObject({ id: z.string() })]).optional(),
  instructions: z.string().nullish(),
  response_format: z.string().optional().describe('mp3, opus, aac, flac, wav, pcm; default mp3'),
  speed: z.number().positive().optional(),
  stream_format: z.enum(['audio', 'sse']).optional().describe('Bytes, or events; default audio'),
})
export type SpeechRequest = z.infer<typeof SpeechSchema>

export function readSpeech(value: unknown, allowsStream: boolean): SpeechRequest {
  if (!isJsonObject(value)) throw new GatewayError('invalid_request', worded`The body must be a JSON object.`)
  // Bytes come as they are made, too, but no client reads them as a stream of events.
  if (value['stream_format'] === 'sse' && !allowsStream) throw new GatewayError('not_implemented')
  const parsed = SpeechSchema.safeParse(value)
  if (!parsed.success) throw new GatewayError('invalid_request', problemOf(parsed.error))
  return value as SpeechRequest
}

export function speechTokens({ input, instructions }: SpeechRequest): PromptTokens {
  const most = Buffer.byteLength(input) + Buffer.byteLength(instructions ?? '')
  return { most, visible: most, likely: Math.ceil(most / 4), isOpaque: false }
}

/** Digits become most: a character is spoken in 8 tokens of sound, twice as many to be sure. */
const MOST_TOKENS_PER_CHARACTER = 16
/** Of English. */
const TOKENS_PER_CHARACTER = 1.3

/** Never fewer than code points, which are what is billed. */
export function mostCharacters({ input }: SpeechRequest): number {
  return input.length
}

export function characters({ input }: SpeechRequest): number {
  let count = 0
  for (const _ of input) count += 1
  return count
}

export function mostSpokenTokens(request: SpeechRequest): number {
  return Math.ceil(mostCharacters(request) * MOST_TOKENS_PER_CHARACTER * slowness(request))
}

export function likelySpokenTokens(request: SpeechRequest): number {
  return Math.ceil(characters(request) * TOKENS_PER_CHARACTER * slowness(request))
}

function slowness({ speed }: SpeechRequest): number {
  return Math.max(1, 1 / (speed ?? 1))
}
