import { z } from 'zod'
import { contractError } from '../../domain/errors.ts'
import type { Answer, Stamp } from '../../domain/request/answer.ts'
import {
  type ModerationsRequest,
  ModerationsRequestSchema,
  moderatedInputs,
  moderationTokens,
  readModerationsRequest,
} from '../../domain/request/moderations.ts'
import { bearerKey } from '../bearer-key.ts'
import type { Endpoint } from '../endpoint.ts'

const Moderation = z.looseObject({
  id: z.string(),
  model: z.string().describe('As the caller sent it; the model that answered is in x-gateway-model.'),
  results: z.array(
    z.looseObject({
      flagged: z.boolean().optional(),
      categories: z.record(z.string(), z.boolean().nullable()),
      category_scores: z.record(z.string(), z.number().nullable()),
    }),
  ),
})

/** Categories are the provider's own: they pass as received. */
function writeModeration({ body }: Answer, { id, model }: Stamp): string {
  return JSON.stringify({ ...body, id, model })
}

export const moderations: Endpoint<ModerationsRequest> = {
  name: 'moderations',
  path: '/v1/moderations',
  operation: 'moderations',
  idPrefix: 'modr_',
  fallsBackTo: 'same-model',
  keyOf: bearerKey,
  read: readModerationsRequest,
  promptTokens: moderationTokens,
  // As many as there are: an answer with fewer results is none.
  outline: (request) => ({ input: Array.from({ length: moderatedInputs(request) }, () => '') }),
  write: writeModeration,
  error: contractError,
  page: {
    operationId: 'v1.moderations',
    summary: 'Classify texts and images as harmful or not',
    request: ModerationsRequestSchema,
    requestNotes: 'Fields that are not listed pass through.',
    example: { input: ['hello', 'world'] },
    answer: Moderation,
    answerNotes: 'A result for each input, in their order; a list of parts is one input',
  },
}
