import { randomUUID } from 'node:crypto'
import type { Answer } from '../answer.ts'
import { lastText } from '../call-log.ts'
import { chatOperation } from '../chat-operation.ts'
import type { Family, Operation } from '../family.ts'
import type { JsonObject } from '../json.ts'
import { speech } from './audio/speech.ts'
import { transcription } from './audio/transcription.ts'
import { streamCompletion } from './chunks.ts'
import { readCompletionAsk, writeCompletion } from './completion.ts'
import { problemWithEmbeddings } from './embedding-rules.ts'
import { writeEmbeddings } from './embeddings.ts'
import { errorAnswer, failureAnswer, type OpenaiError, unknownModel } from './errors.ts'
import { imageEdits, imageEvents, problemWithImages, writeImages } from './images.ts'
import { OPENAI_MODEL_LIST } from './models.ts'
import { problemWithModeration, writeModeration } from './moderations.ts'
import { OPENAI_ODDITIES } from './oddities.ts'
import { problemWithRequest } from './request-rules.ts'
import { problemWithRerank, writeRerank, writeUnitRerank } from './rerank.ts'
import { readResponseAsk } from './responses/ask.ts'
import { failedEvent, streamResponse } from './responses/events.ts'
import { RESPONSES_ODDITIES } from './responses/oddities.ts'
import { problemWithResponseRequest } from './responses/request-rules.ts'
import { writeResponse } from './responses/response.ts'
import {
  problemWithFill,
  problemWithText,
  readTextAsk,
  streamFilled,
  streamText,
  writeText,
} from './text-completion.ts'

const MEBIBYTE = 1024 * 1024

export const openaiFamily: Family = {
  name: 'openai',
  basePath: '/v1',
  operations: [
    chatOperation({
      path: '/v1/chat/completions',
      validate: refuse(problemWithRequest),
      readAsk: readCompletionAsk,
      writeReply: writeCompletion,
      streaming: {
        eventsOf: streamCompletion,
        oddities: OPENAI_ODDITIES,
        ping: null,
        errorEvent: (data) => ({ data }),
      },
    }),
    chatOperation({
      path: '/v1/responses',
      validate: refuse(problemWithResponseRequest),
      readAsk: readResponseAsk,
      writeReply: writeResponse,
      streaming: { eventsOf: streamResponse, oddities: RESPONSES_ODDITIES, ping: null, errorEvent: failedEvent },
    }),
    ...['/v1/completions', '/beta/completions'].map((path) =>
      chatOperation({
        path,
        validate: refuse(problemWithText),
        readAsk: readTextAsk,
        writeReply: writeText,
        streaming: { eventsOf: streamText, oddities: {}, ping: null, errorEvent: (data) => ({ data }) },
      }),
    ),
    chatOperation({
      path: '/v1/fim/completions',
      validate: refuse(problemWithFill),
      readAsk: readTextAsk,
      writeReply: writeCompletion,
      streaming: { eventsOf: streamFilled, oddities: {}, ping: null, errorEvent: (data) => ({ data }) },
    }),
    {
      path: '/v1/embeddings',
      validate: refuse(problemWithEmbeddings),
      lastUserText: (body) => lastText(body['input']),
      answer: writeEmbeddings,
    },
    {
      path: '/v1/images/generations',
      validate: refuse(problemWithImages),
      lastUserText: (body) => String(body['prompt']),
      answer: writeImages,
      streaming: {
        eventsOf: imageEvents('image_generation'),
        oddities: {},
        ping: null,
        errorEvent: (data) => ({ data }),
      },
    },
    {
      path: '/v1/moderations',
      validate: refuse(problemWithModeration),
      lastUserText: (body) => lastText(body['input']),
      answer: writeModeration,
    },
    {
      path: '/v1/rerank',
      validate: () => null,
      lastUserText: (body) => String(body['query']),
      answer: writeRerank,
    },
    {
      path: '/v2/rerank',
      validate: (body) => {
        const message = problemWithRerank(body)
        return message === null ? null : { status: 400, body: { message } }
      },
      lastUserText: (body) => String(body['query']),
      answer: writeUnitRerank,
    },
  ],
  media: [transcription('/v1/audio/transcriptions'), transcription('/v1/audio/translations'), speech, imageEdits],
  bodyLimitBytes: 64 * MEBIBYTE,
  newRequestId: () => `req_${randomUUID().replaceAll('-', '')}`,
  keyOf: (headers) => /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1] ?? null,
  failure: failureAnswer,
  checkHeaders: () => null,
  listModels: () => ({ status: 200, body: { object: 'list', data: OPENAI_MODEL_LIST } }),
  getModel(id) {
    const model = OPENAI_MODEL_LIST.find((entry) => entry.id === id)
    return model ? { status: 200, body: model } : errorAnswer({ ...unknownModel(id), param: 'model' })
  },
  complete: addHeaders,
}

function refuse(findProblem: (body: JsonObject) => OpenaiError | null): Operation['validate'] {
  return (body) => {
    const problem = findProblem(body)
    return problem && errorAnswer(problem)
  }
}

function addHeaders(answer: Answer, requestId: string, elapsedMs: number): Answer {
  const headers = {
    'x-request-id': requestId,
    'openai-processing-ms': String(elapsedMs),
    'openai-version': '2020-10-01',
    'openai-organization': 'simulator',
    'x-ratelimit-limit-requests': '10000',
    'x-ratelimit-limit-tokens': '30000000',
    'x-ratelimit-remaining-requests': answer.status === 429 ? '0' : '9999',
    'x-ratelimit-remaining-tokens': '29999968',
    'x-ratelimit-reset-requests': answer.status === 429 ? '1s' : '6ms',
    'x-ratelimit-reset-tokens': '0s',
    ...answer.headers,
  }
  return { ...answer, headers }
}
