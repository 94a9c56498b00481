import { z } from 'zod'
import { attributionOf } from '../../domain/attribution.ts'
import type { Effects } from '../../domain/cache/route-cache.ts'
import { contractError, type ErrorFormat } from '../../domain/errors.ts'
import { isCompaction } from '../../domain/request/compaction.ts'
import { type ResponsesRequest, ResponsesRequestSchema, readResponsesRequest } from '../../domain/request/responses.ts'
import { stopsAtFailedStream } from '../agent-refusals.ts'
import { bearerKey } from '../bearer-key.ts'
import { effectsBy } from '../effects.ts'
import type { Endpoint } from '../endpoint.ts'
import { responsesPrompt } from '../prompt-source.ts'
import { responsesToolUses } from '../tool-uses.ts'
import { responseEvents } from './events.ts'
import { KEPT, promptTokens } from './prompt-bound.ts'
import { outline } from './settings.ts'
import { bridge } from './to-chat.ts'
import { declaredTools } from './tools.ts'
import { writeResponse } from './write.ts'

const ResponseObject = z.looseObject({
  id: z.string().describe("resp_…; the provider's own where it speaks this format."),
  object: z.literal('response'),
  created_at: z.number().describe('Unix seconds.'),
  status: z.string().describe('completed or incomplete.'),
  model: z.string().describe('As the caller sent it; the model that answered is in x-gateway-model.'),
  output: z.array(z.looseObject({ type: z.string() })),
  usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() }).nullish(),
})

/** The words of a provider that speaks this format are the clearest ones. */
const error: ErrorFormat = (failure, id) =>
  failure.original === undefined ? contractError(failure, id) : { status: failure.status, body: failure.original }

const effectsByField = effectsBy(['tools'], [...KEPT, 'background'])

/** Items of the input may declare tools, too. */
function effects(request: ResponsesRequest): Effects {
  const { own, hosted } = declaredTools(request)
  const found = effectsByField(request)
  return found === 'none' && own.length + hosted.length > 0 ? 'tools' : found
}

export const responses: Endpoint<ResponsesRequest> = {
  name: 'responses',
  path: '/v1/responses',
  operation: 'chat',
  idPrefix: 'resp_',
  fallsBackTo: 'any-model',
  keyOf: bearerKey,
  read: readResponsesRequest,
  promptTokens,
  attribution(request) {
    const { user, safety_identifier: identifier, metadata } = request
    return attributionOf(identifier ?? user, metadata, isCompaction(request) ? 'compaction' : null)
  },
  effects,
  toolUses: responsesToolUses,
  promptSource: responsesPrompt,
  bridge,
  outline,
  seals: true,
  write: writeResponse,
  stream: responseEvents,
  error,
  stopsAtFailedStream,
  page: {
    operationId: 'v1.responses',
    summary: 'Create a response',
    request: ResponsesRequestSchema,
    requestNotes:
      'Providers that speak this format get the request as it is; for others it is translated. Fields that are not listed pass through to the former. `stream: true` needs streaming switched on; otherwise the answer is 501.',
    example: { model: 'fast', input: 'hello' },
    answer: ResponseObject,
    answerNotes: 'The response',
  },
}
