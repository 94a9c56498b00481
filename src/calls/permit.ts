import { GatewayError } from '../domain/errors.ts'
import { mayUse } from '../domain/key.ts'
import { withoutSuffix } from '../domain/route.ts'
import { worded } from '../domain/wording/worded.ts'
import type { Resolved } from './stages.ts'

/** A key may be restricted to some models. This comes after resolve: an unknown name is 404, not 403. */
export function permit({ key, body }: Resolved, model = body.request.model): void {
  if (mayUse(key, model) || mayUse(key, withoutSuffix(model))) return
  throw new GatewayError(
    'forbidden',
    worded`This key may not use the model '${model.slice(0, 200)}'. GET /v1/models lists the models it may use.`,
  )
}
