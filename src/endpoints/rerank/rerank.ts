import { attributionOf } from '../../domain/attribution.ts'
import { contractError } from '../../domain/errors.ts'
import {
  lengthOnly,
  type RerankRequest,
  RerankRequestSchema,
  readRerankRequest,
  rerankTokens,
} from '../../domain/request/rerank.ts'
import { bearerKey } from '../bearer-key.ts'
import type { Endpoint } from '../endpoint.ts'
import { RerankAnswer, writeRerank } from './write.ts'

/** More of it does not count in search units. */
const LONGEST_QUERY = 1_100

export const rerank: Endpoint<RerankRequest> = {
  name: 'rerank',
  path: '/v1/rerank',
  operation: 'rerank',
  idPrefix: 'rrk_',
  fallsBackTo: 'same-model',
  keyOf: bearerKey,
  read: readRerankRequest,
  promptTokens: rerankTokens,
  attribution: ({ user }) => attributionOf(user ?? undefined, null),
  // As many as there are: an answer names them by their places, and repeats their texts if asked to.
  outline: ({ documents, return_documents: isRepeated, query }) => ({
    query: query.slice(0, LONGEST_QUERY),
    documents: isRepeated === true ? documents : documents.map(lengthOnly),
  }),
  write: writeRerank,
  error: contractError,
  page: {
    operationId: 'v1.rerank',
    summary: 'Sort documents by how well they answer a query',
    request: RerankRequestSchema,
    requestNotes: 'Fields that are not listed pass through where the provider speaks this format.',
    example: { model: 'cohere/rerank-v3.5', query: 'When does it leave?', documents: ['At ten.', 'On track seven.'] },
    answer: RerankAnswer,
    answerNotes: 'The results, best first',
  },
}
