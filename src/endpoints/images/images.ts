import { z } from 'zod'
import { attributionOf } from '../../domain/attribution.ts'
import { contractError } from '../../domain/errors.ts'
import type { Answer, Stamp } from '../../domain/request/answer.ts'
import {
  type ImagesRequest,
  ImagesRequestSchema,
  imagesTokens,
  readImagesRequest,
} from '../../domain/request/media/images.ts'
import { bearerKey } from '../bearer-key.ts'
import type { Endpoint } from '../endpoint.ts'
import { chunkFrames } from '../transcriptions/write.ts'

export const ImagesAnswer = z.looseObject({
  created: z.int().optional(),
  data: z.array(
    z.looseObject({ b64_json: z.string().optional(), url: z.string().optional().describe('Passed, never fetched') }),
  ),
  size: z.string().optional(),
  quality: z.string().optional(),
  usage: z.looseObject({ total_tokens: z.int() }).optional().describe('Where the provider counts tokens'),
})

/** Megabytes: as received where it can be, there is nothing of ours in it. */
function writeImages({ body, json }: Answer, { created }: Stamp): string {
  return json ?? JSON.stringify({ created, ...body })
}

export const images: Endpoint<ImagesRequest> = {
  name: 'images',
  path: '/v1/images/generations',
  operation: 'images',
  idPrefix: 'img_',
  fallsBackTo: 'any-model',
  asksOnce: true,
  answersMedia: true,
  keyOf: bearerKey,
  read: readImagesRequest,
  promptTokens: imagesTokens,
  attribution: ({ user }) => attributionOf(user ?? undefined, null),
  write: writeImages,
  stream: {
    isRequested: ({ stream }) => stream === true,
    open: () => chunkFrames(),
    error: (error, requestId) => `data: ${JSON.stringify(contractError(error, requestId).body)}\n\n`,
    keepAlive: ': keep-alive\n\n',
    leastIdleMs: 600_000,
  },
  error: contractError,
  page: {
    operationId: 'v1.images',
    summary: 'Make images from a text',
    request: ImagesRequestSchema,
    requestNotes: 'Fields that are not listed pass through.',
    example: { model: 'painter', prompt: 'A red balloon over Paris', size: '1024x1024', quality: 'low' },
    answer: ImagesAnswer,
    answerNotes: 'The images, as base64 or as URLs',
  },
}
