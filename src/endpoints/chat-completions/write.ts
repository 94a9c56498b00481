import type { JsonObject } from '../../domain/chat.ts'

/** What the gateway itself says in a completion. */
export interface Stamp {
  id: string
  /** As the caller named it. */
  model: string
  /** Unix seconds, where the provider told no time. */
  created: number
}

/** The completion that the caller gets. */
export function stamped(completion: JsonObject, { id, model, created }: Stamp): JsonObject {
  // The first four only set the order in which people read them; what the provider sent comes after.
  const whole: JsonObject = { id, object: 'chat.completion', created, model, ...completion }
  whole['id'] = id
  whole['model'] = model
  if (!Number.isInteger(whole['created'])) whole['created'] = created
  return whole
}
