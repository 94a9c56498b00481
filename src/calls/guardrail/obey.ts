import type { Allowed } from '../../domain/content/verdict.ts'
import { GatewayError } from '../../domain/errors.ts'
import { worded } from '../../domain/wording/worded.ts'
import { attributionOfCall } from '../attribution/attribution-of-call.ts'
import { Cached } from '../cache/cached.ts'
import type { Deps } from '../deps.ts'
import { permit } from '../permit.ts'
import { resolve } from '../resolve.ts'
import { advance, type Resolved } from '../stages.ts'
import type { Reopened } from './reopened.ts'

/** The call continues as its guardrail wants it; nothing of it is held yet. `request`: null where it stays. */
export function obey(resolved: Resolved, { model, tags }: Allowed, request: Reopened | null, deps: Deps): void {
  const call = advance<Resolved>(resolved)
  if (request !== null) {
    call.body.release()
    call.body = request.body
    call.foreseen = [...call.foreseen, { field: 'body', value: null, reason: 'guardrail' }]
    for (const aspect of call.aspects) aspect.rewritten?.(request.bytes)
  }
  if (request !== null || tags !== null) call.attribution = attributionOfCall(call, deps, tags)
  const from = call.body.request.model
  if (model === null || model === from) return
  choose(call, model, deps)
  call.foreseen = [...call.foreseen, { field: 'model', value: model, reason: 'guardrail', from }]
}

/** As if the caller had sent this model, with its limits; the answer names the one that was sent. */
function choose(call: ReturnType<typeof advance<Resolved>>, model: string, deps: Deps): void {
  call.aspects = call.aspects.filter((aspect) => !(aspect instanceof Cached))
  try {
    permit(resolve(call, deps, model), model)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    throw new GatewayError(error.code, worded`The guardrail of the workspace chose another model. ${error.worded}`)
  }
}
