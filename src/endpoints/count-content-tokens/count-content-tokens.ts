import { z } from 'zod'
import { type Attribution, NO_ATTRIBUTION } from '../../domain/attribution.ts'
import {
  CountContentsBodySchema,
  type CountContentsRequest,
  readCountContentsRequest,
} from '../../domain/request/contents.ts'
import type { Endpoint } from '../endpoint.ts'
import { ContentsError, contentsError } from '../generate-content/errors.ts'
import { anyKey, unusedKey } from '../generate-content/key.ts'

const COUNTING: Attribution = { ...NO_ATTRIBUTION, kind: 'count' }

const Count = z.looseObject({ totalTokens: z.int().describe('As the provider counts the prompt.') })

/** Models count differently, so no other model answers for the first; and a guess is worse than none. */
export const countContentTokens: Endpoint<CountContentsRequest> = {
  name: 'count_content_tokens',
  path: '/v1beta/models/{model}:countTokens',
  methods: { countTokens: 'whole' },
  operation: 'chat',
  idPrefix: 'count_',
  fallsBackTo: 'same-model',
  keyOf: anyKey,
  unusedKey,
  read: readCountContentsRequest,
  attribution: () => COUNTING,
  promptTokens: () => ({ most: 0, visible: 0, likely: 0, isOpaque: false }),
  isFree: true,
  isOptional: true,
  ownsMetadata: true,
  write: ({ json, body }) => json ?? JSON.stringify(body),
  error: contentsError,
  page: {
    operationId: 'v1beta.models.count_tokens',
    summary: 'Count the tokens of contents',
    request: CountContentsBodySchema,
    requestNotes: 'Nothing is generated, and nothing is charged. 404 where the provider does not speak this format.',
    example: { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
    answer: Count,
    answerNotes: 'The number of tokens',
    error: ContentsError,
  },
}
