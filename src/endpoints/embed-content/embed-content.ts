import {
  BatchEmbedContentsBodySchema,
  type BatchEmbedContentsRequest,
  EmbedContentBodySchema,
  type EmbedContentRequest,
  readBatchEmbedContentsRequest,
  readEmbedContentRequest,
} from '../../domain/request/contents.ts'
import type { Endpoint } from '../endpoint.ts'
import { ContentsError, contentsError } from '../generate-content/errors.ts'
import { anyKey, unusedKey } from '../generate-content/key.ts'
import { bridgeTo } from './bridge.ts'
import { promptTokens } from './prompt-bound.ts'
import { ContentEmbedding, ContentEmbeddings, writeBatch, writeOne } from './write.ts'

const EMBEDDING = {
  operation: 'embeddings',
  idPrefix: 'embd_',
  fallsBackTo: 'same-model',
  keyOf: anyKey,
  unusedKey,
  error: contentsError,
} as const

const CONTENT = { parts: [{ text: 'hello' }] }

export const embedContent: Endpoint<EmbedContentRequest> = {
  ...EMBEDDING,
  name: 'embed_content',
  path: '/v1beta/models/{model}:embedContent',
  methods: { embedContent: 'whole' },
  read: readEmbedContentRequest,
  promptTokens: (request) => promptTokens([request]),
  bridge: bridgeTo((request) => [request]),
  write: writeOne,
  page: {
    operationId: 'v1beta.models.embed_content',
    summary: 'Embed a content',
    request: EmbedContentBodySchema,
    requestNotes: 'Providers that speak this format get the request as it is; for others it is translated.',
    example: { content: CONTENT },
    answer: ContentEmbedding,
    answerNotes: 'The embedding',
    error: ContentsError,
  },
}

export const batchEmbedContents: Endpoint<BatchEmbedContentsRequest> = {
  ...EMBEDDING,
  name: 'batch_embed_contents',
  path: '/v1beta/models/{model}:batchEmbedContents',
  methods: { batchEmbedContents: 'whole' },
  read: readBatchEmbedContentsRequest,
  promptTokens: ({ requests }) => promptTokens(requests),
  bridge: bridgeTo(({ requests }) => requests),
  // As many as there are: an answer with fewer vectors is none.
  outline: ({ requests }) => ({ requests: Array.from({ length: requests.length }, () => ({ content: {} })) }),
  write: writeBatch,
  page: {
    operationId: 'v1beta.models.batch_embed_contents',
    summary: 'Embed several contents',
    request: BatchEmbedContentsBodySchema,
    requestNotes:
      'The model of each request is that of the path. Providers that speak this format get the request as it is.',
    example: { requests: [{ model: 'models/embed', content: CONTENT }] },
    answer: ContentEmbeddings,
    answerNotes: 'The embeddings, in the order of the requests',
    error: ContentsError,
  },
}
