import { z } from 'zod'
import { attributionOf } from '../../domain/attribution.ts'
import { contractError } from '../../domain/errors.ts'
import {
  type CompletionsRequest,
  CompletionsRequestSchema,
  completionTokens,
  promptCount,
  readCompletionsRequest,
} from '../../domain/request/completions.ts'
import { bearerKey } from '../bearer-key.ts'
import { ChatEvents, chatEvents } from '../chat-completions/events.ts'
import { writeCompletion } from '../chat-completions/write.ts'
import type { Endpoint } from '../endpoint.ts'

const TextCompletion = z.looseObject({
  id: z.string(),
  object: z.literal('text_completion'),
  created: z.int().describe('Unix seconds.'),
  model: z.string().describe('As the caller sent it; the model that answered is in x-gateway-model.'),
  choices: z.array(
    z.looseObject({
      index: z.int().describe('Place of the prompt × `n` + place of the answer'),
      text: z.string(),
      finish_reason: z.string().nullable(),
    }),
  ),
  usage: z.looseObject({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() }),
})

export const completions: Endpoint<CompletionsRequest> = {
  name: 'completions',
  path: '/v1/completions',
  operation: 'completions',
  idPrefix: 'cmpl_',
  fallsBackTo: 'any-model',
  keyOf: bearerKey,
  read: readCompletionsRequest,
  promptTokens: completionTokens,
  attribution: ({ user }) => attributionOf(user, null),
  // As many as there are: each has answers of its own.
  outline: (request) => ({ prompt: Array.from({ length: promptCount(request) }, () => '') }),
  write: writeCompletion,
  stream: { ...chatEvents, open: (request, stamp) => new ChatEvents(request, stamp, 'text_completion') },
  error: contractError,
  page: {
    operationId: 'v1.completions',
    summary: 'Complete a text, or fill in what is missing',
    request: CompletionsRequestSchema,
    requestNotes: 'Fields that are not listed pass through. `stream: true` needs streaming switched on.',
    example: { model: 'fast', prompt: 'def add(a, b):', suffix: '\n', max_tokens: 40 },
    answer: TextCompletion,
    answerNotes: 'The completions',
  },
}
