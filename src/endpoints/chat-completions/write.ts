import { z } from 'zod'
import type { Answer, Stamp } from '../../domain/request/answer.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import { replaceFields } from '../replace-value.ts'

export const Completion = z.looseObject({
  id: z.string().describe('chatcmpl_…, also in x-gateway-request-id.'),
  object: z.literal('chat.completion'),
  created: z.int().describe('Unix seconds.'),
  model: z.string().describe('As the caller sent it; the model that answered is in x-gateway-model.'),
  choices: z.array(
    z.looseObject({
      index: z.int(),
      message: z.looseObject({ role: z.literal('assistant'), content: z.string().nullish() }),
      finish_reason: z.string().nullable(),
    }),
  ),
  usage: z.looseObject({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() }),
})

/** The caller's completion. */
export function writeCompletion({ body, json }: Answer, { id, model, created }: Stamp): string {
  if (json !== undefined && Number.isInteger(body['created'])) {
    const edited = replaceFields(json, ['id', 'model'], [JSON.stringify(id), JSON.stringify(model)])
    if (edited !== null) return edited
  }
  // The first four set the order of the fields; the provider's fields follow.
  const whole: JsonObject = { id, object: 'chat.completion', created, model, ...body }
  whole['id'] = id
  whole['model'] = model
  if (!Number.isInteger(whole['created'])) whole['created'] = created
  return JSON.stringify(whole)
}
