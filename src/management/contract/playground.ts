import { z } from 'zod'
import { CHAT_REQUEST, inWorkspace } from './fields.ts'
import { operation } from './operation.ts'

export const playgroundOperations = {
  'chat.try': operation({
    role: 'editor',
    scope: 'workspace',
    method: 'POST',
    path: '/try',
    tag: 'Playground',
    summary: 'Make a real call billed to a key: its limits apply, and it is priced and logged',
    query: z.strictObject({
      ...inWorkspace,
      key: z.string().min(1).max(64).describe('The id of a live key'),
      endpoint: z
        .enum(['chat', 'images', 'speech', 'transcriptions'])
        .default('chat')
        .describe('Whose body is sent, as JSON; the sound of `speech` comes as its bytes'),
    }),
    body: z.unknown().meta(CHAT_REQUEST),
    waitsForProvider: true,
    reply: z.strictObject({
      status: z.int().describe('The status of the call; this operation returns 200 for errors, too'),
      headers: z.record(z.string(), z.string()).describe('The x-gateway-, x-ratelimit- and timing headers'),
      body: z.unknown().describe('The answer, or the error'),
    }),
  }),
}
