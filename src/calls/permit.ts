import { GatewayError } from '../domain/errors.ts'
import { mayUse } from '../domain/key.ts'
import type { Resolved } from './stages.ts'

/** A key may be bound to some models. It comes after resolve: a name that nobody has is 404, not 403. */
export function permit({ key, body }: Resolved): void {
  const { model } = body.request
  if (mayUse(key, model)) return
  throw new GatewayError(
    'forbidden',
    `This key may not use the model '${model.slice(0, 200)}'; GET /v1/models lists those it may.`,
  )
}
