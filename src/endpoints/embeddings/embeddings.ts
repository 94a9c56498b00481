import { attributionOf } from '../../domain/attribution.ts'
import { contractError } from '../../domain/errors.ts'
import {
  type EmbeddingsRequest,
  EmbeddingsRequestSchema,
  inputCount,
  inputTokens,
  readEmbeddingsRequest,
} from '../../domain/request/embeddings.ts'
import { bearerKey } from '../bearer-key.ts'
import type { Endpoint } from '../endpoint.ts'
import { EmbeddingList, writeEmbeddings } from './write.ts'

export const embeddings: Endpoint<EmbeddingsRequest> = {
  name: 'embeddings',
  path: '/v1/embeddings',
  operation: 'embeddings',
  idPrefix: 'embd_',
  fallsBackTo: 'same-model',
  keyOf: bearerKey,
  read: readEmbeddingsRequest,
  promptTokens: inputTokens,
  attribution: ({ user }) => attributionOf(user, null),
  // As many as there are: an answer with fewer vectors is none.
  outline: (request) => ({ input: Array.from({ length: inputCount(request) }, () => '') }),
  write: writeEmbeddings,
  error: contractError,
  page: {
    operationId: 'v1.embeddings',
    summary: 'Create embeddings',
    request: EmbeddingsRequestSchema,
    requestNotes: 'Fields that are not listed pass through.',
    example: { model: 'text-embedding-3-small', input: ['hello', 'world'] },
    answer: EmbeddingList,
    answerNotes: 'The embeddings, in the order of the inputs',
  },
}
