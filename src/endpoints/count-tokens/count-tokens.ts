import { z } from 'zod'
import { type Attribution, NO_ATTRIBUTION } from '../../domain/attribution.ts'
import type { Answer } from '../../domain/request/answer.ts'
import {
  type CountTokensRequest,
  CountTokensRequestSchema,
  readCountTokensRequest,
} from '../../domain/request/messages.ts'
import { bearerOrApiKey, unusedKey } from '../bearer-or-api-key.ts'
import type { Endpoint } from '../endpoint.ts'
import { messagesError } from '../messages/errors.ts'

const COUNTING: Attribution = { ...NO_ATTRIBUTION, kind: 'count' }

const Count = z.looseObject({ input_tokens: z.int().describe('As the provider counts the prompt.') })

/** Models count differently, so no other model answers for the first; and a guess is worse than none. */
export const countTokens: Endpoint<CountTokensRequest> = {
  name: 'count_tokens',
  path: '/v1/messages/count_tokens',
  operation: 'chat',
  idPrefix: 'count_',
  idHeader: 'request-id',
  fallsBackTo: 'same-model',
  keyOf: bearerOrApiKey,
  unusedKey,
  read: readCountTokensRequest,
  attribution: () => COUNTING,
  promptTokens: () => ({ most: 0, visible: 0, likely: 0, isOpaque: false }),
  isFree: true,
  isOptional: true,
  ownsMetadata: true,
  write: ({ json, body }: Answer) => json ?? JSON.stringify(body),
  error: messagesError,
  page: {
    operationId: 'v1.messages.count_tokens',
    summary: 'Count the tokens of a message',
    request: CountTokensRequestSchema,
    requestNotes: 'Nothing is generated, and nothing is charged.',
    example: { model: 'fast', messages: [{ role: 'user', content: 'hello' }] },
    answer: Count,
    answerNotes: 'The number of tokens',
  },
}
