import { z } from 'zod'
import type { Answer, Stamp } from '../../domain/request/answer.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'

export const Completion = z.looseObject({
  id: z.string().describe('chatcmpl_…, also in x-gateway-request-id.'),
  object: z.literal('chat.completion'),
  created: z.int().describe('Unix seconds.'),
  model: z.string().describe('As the caller named it; the model that answered is in x-gateway-model.'),
  choices: z.array(
    z.looseObject({
      index: z.int(),
      message: z.looseObject({ role: z.literal('assistant'), content: z.string().nullish() }),
      finish_reason: z.string().nullable(),
    }),
  ),
  usage: z.looseObject({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() }),
})

/** The completion that the caller gets. */
export function writeCompletion({ body }: Answer, { id, model, created }: Stamp): string {
  // The first four only set the order in which people read them; what the provider sent comes after.
  const whole: JsonObject = { id, object: 'chat.completion', created, model, ...body }
  whole['id'] = id
  whole['model'] = model
  if (!Number.isInteger(whole['created'])) whole['created'] = created
  return JSON.stringify(whole)
}
