import { z } from 'zod'
import { inWorkspace } from './fields.ts'
import { operation } from './operation.ts'

export const playgroundOperations = {
  'chat.try': operation({
    method: 'POST',
    path: '/try',
    tag: 'Playground',
    summary: 'Make a chat completion in the name of a key: a real call, with its limits, costs and log',
    query: z.strictObject({ ...inWorkspace, key: z.string().min(1).max(64).describe('The id of a live key') }),
    /** Checked by the very function that checks calls, so that both refuse the same. */
    body: z.unknown().meta({ type: 'object', description: 'A chat completions request' }),
    waitsForProvider: true,
    reply: z.strictObject({
      status: z.int().describe('What the caller of /v1/chat/completions would have got; an error is no error here'),
      headers: z.record(z.string(), z.string()).describe('The x-gateway-, x-ratelimit- and timing headers'),
      body: z.unknown().describe('The completion, or the error'),
    }),
  }),
}
