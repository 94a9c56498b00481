import { AUDIO_INPUT } from '../../../domain/pricing/unit-prices.ts'
import { NO_USAGE, type TokenUsage, tokenCount } from '../../../domain/pricing/usage.ts'
import type { Answer } from '../../../domain/request/answer.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import {
  heardTokens,
  likelyMilliseconds,
  type TranscriptionRequest,
  transcriptionTokens,
} from '../../../domain/request/media/transcription.ts'

type Counted = Required<Pick<Answer, 'usage'>> & Pick<Answer, 'usageSource' | 'orTokens'>

/** Tokens, seconds, or the length that the provider heard; else the length that was measured here. */
export function counted(body: JsonObject, request: TranscriptionRequest): Counted {
  const usage = isJsonObject(body['usage']) ? body['usage'] : {}
  if ('input_tokens' in usage || 'output_tokens' in usage) return { usage: tokensOf(usage) }
  const seconds = Number(usage['seconds'] ?? body['duration'] ?? 0)
  const milliseconds = Math.ceil(seconds * 1000)
  if (!(milliseconds > 0) || !Number.isSafeInteger(milliseconds)) return measured(request)
  return { usage: heard(milliseconds), orTokens: tokensFor(request) }
}

export function measured(request: TranscriptionRequest): Counted {
  const source = request.file.milliseconds === null ? 'estimated' : 'measured'
  return { usage: heard(likelyMilliseconds(request.file)), usageSource: source, orTokens: tokensFor(request) }
}

function heard(milliseconds: number): TokenUsage {
  return { ...NO_USAGE, uses: { [AUDIO_INPUT]: milliseconds } }
}

/** As held: a caller must not choose, by the format of the answer, whether he is charged. */
function tokensFor(request: TranscriptionRequest): TokenUsage {
  return { ...NO_USAGE, audioInput: transcriptionTokens(request).most ?? 0, output: heardTokens(request.file) }
}

/** What is not named as text was heard. */
function tokensOf(usage: JsonObject): TokenUsage {
  const details = isJsonObject(usage['input_token_details']) ? usage['input_token_details'] : {}
  const all = tokenCount(usage['input_tokens'])
  const text = Math.min(tokenCount(details['text_tokens']), all)
  return { ...NO_USAGE, input: text, audioInput: all - text, output: tokenCount(usage['output_tokens']) }
}
