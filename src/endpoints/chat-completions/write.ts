import type { Answer, Stamp } from '../../domain/answer.ts'
import type { JsonObject } from '../../domain/call-request.ts'

/** The completion that the caller gets. */
export function writeCompletion({ body }: Answer, { id, model, created }: Stamp): string {
  // The first four only set the order in which people read them; what the provider sent comes after.
  const whole: JsonObject = { id, object: 'chat.completion', created, model, ...body }
  whole['id'] = id
  whole['model'] = model
  if (!Number.isInteger(whole['created'])) whole['created'] = created
  return JSON.stringify(whole)
}
