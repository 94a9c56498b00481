import { wordsOf } from '../fragments.ts'
import { type JsonObject, objectOrEmpty, objectsIn } from '../json.ts'
import { newId } from '../random.ts'
import type { Ask, PlannedReply } from '../reply.ts'
import type { Phase, StreamEvent } from '../stream/script.ts'
import { countTokens } from '../tokens.ts'
import { streamCompletion } from './chunks.ts'
import { inputsOf, tokensOf } from './embeddings.ts'
import type { OpenaiError } from './errors.ts'

const OWN_LIMIT = 16

export function readTextAsk(body: JsonObject): Ask {
  const prompts = inputsOf(body['prompt'])
  return {
    model: String(body['model']),
    lastUserText: String(prompts.at(-1)),
    toolResult: null,
    toolResults: 0,
    tools: [],
    toolChoice: { kind: 'none' },
    parallelTools: false,
    anyJson: false,
    schema: null,
    maxTokens: typeof body['max_tokens'] === 'number' ? body['max_tokens'] : OWN_LIMIT,
    promptTokens: prompts.reduce((sum, each) => sum + tokensOf(each), countTokens(String(body['suffix'] ?? ''))),
    thinkingTokens: 0,
  }
}

/** `n` answers for each prompt; of `best_of` all are billed. */
export function writeText(reply: PlannedReply, body: JsonObject): JsonObject {
  const prompts = inputsOf(body['prompt'])
  const n = Number(body['n'] ?? 1)
  const { freshTokens, completionTokens } = reply.usage
  const answers = prompts.length * Math.max(n, Number(body['best_of'] ?? 1))
  const isEcho = body['echo'] === true
  return {
    id: newId('cmpl-', 29),
    object: 'text_completion',
    created: Math.floor(Date.now() / 1000),
    model: body['model'],
    choices: prompts.flatMap((prompt, place) =>
      Array.from({ length: n }, (_, at) => ({
        text: (isEcho ? String(prompt) : '') + reply.text,
        index: place * n + at,
        logprobs: typeof body['logprobs'] === 'number' ? { tokens: [reply.text], token_logprobs: [-0.1] } : null,
        finish_reason: reply.finishOverride ?? (reply.finish === 'length' ? 'length' : 'stop'),
      })),
    ),
    usage: {
      prompt_tokens: freshTokens,
      completion_tokens: completionTokens * answers,
      total_tokens: freshTokens + completionTokens * answers,
    },
  }
}

/** Chunks are whole completions with a part of the text. */
export function* streamText({ choices, usage, ...fields }: JsonObject, body: JsonObject): Iterable<StreamEvent> {
  const includesUsage = objectOrEmpty(body['stream_options'])['include_usage'] === true
  const chunk = (phase: Phase, given: JsonObject[], more: JsonObject = includesUsage ? { usage: null } : {}) => ({
    phase,
    data: { ...fields, choices: given, ...more },
  })
  for (const { index, text } of objectsIn(choices)) {
    for (const word of wordsOf(text))
      yield chunk('content', [{ index, text: word, logprobs: null, finish_reason: null }])
  }
  for (const { index, finish_reason } of objectsIn(choices)) {
    yield chunk('finish', [{ index, text: '', logprobs: null, finish_reason }])
  }
  if (includesUsage) yield chunk('finish', [], { usage })
  yield { phase: 'done', data: '[DONE]' }
}

/** The first thing the vendor would complain about, or null when the request is good. */
export function problemWithText({ model, prompt, best_of: best, n, stream, logprobs }: JsonObject): OpenaiError | null {
  if (typeof model !== 'string') return { message: 'you must provide a model parameter' }
  if (typeof prompt !== 'string' && !Array.isArray(prompt)) return { message: 'you must provide a prompt' }
  if (typeof best === 'number' && best < Number(n ?? 1))
    return { message: 'best_of must be greater than or equal to n' }
  if (typeof best === 'number' && best > 1 && stream === true) return { message: 'cannot stream with best_of' }
  return Number(logprobs ?? 0) > 5 ? { message: 'logprobs: must be at most 5' } : null
}

const FILL_FIELDS = [
  'model',
  'prompt',
  'suffix',
  'temperature',
  'top_p',
  'min_tokens',
  'max_tokens',
  'stop',
  'random_seed',
]

/** Of a vendor that takes no other fields, and answers as in a chat. */
export function problemWithFill(body: JsonObject): OpenaiError | null {
  const unknown = Object.keys(body).find((name) => name !== 'stream' && !FILL_FIELDS.includes(name))
  if (unknown !== undefined) return { status: 422, message: `Extra inputs are not permitted: ${unknown}` }
  return typeof body['prompt'] === 'string' ? null : { status: 422, message: 'Input should be a valid string' }
}

/** It counts at the end without being asked. */
export function streamFilled(completion: JsonObject, body: JsonObject): Iterable<StreamEvent> {
  return streamCompletion(completion, { ...body, stream_options: { include_usage: true, include_obfuscation: false } })
}
