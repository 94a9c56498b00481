import { NO_ATTRIBUTION } from '../domain/attribution.ts'
import type { RefusedBody } from '../domain/errors.ts'
import { sessionOf } from '../endpoints/session-header.ts'
import type { HeldCall } from '../limits/admission.ts'
import type { OpenRecord } from '../request-log/record.ts'
import { attributedTo } from './attributed-to.ts'
import type { Ended } from './stages.ts'

/** The fields that are known from the admission on; the end of a call repeats them. */
export function openRecord(call: Ended['call'], held: HeldCall | undefined, refused?: RefusedBody): OpenRecord {
  const { id, key, startedAt, body, resolved } = call
  const hold = held?.hold
  const { user, session, tags } =
    call.attribution ?? attributedTo(sessionOf(call.receiver), NO_ATTRIBUTION, call.snapshot)
  const record: OpenRecord = {
    id,
    workspace: key.workspace,
    keyId: key.id,
    startedAt,
    endpoint: call.endpoint.name,
    requestedModel: body?.request.model ?? refused?.model ?? null,
    route: resolved?.alias ?? null,
    holdPicodollars: hold?.picodollars?.toString() ?? null,
    holdTokens: hold === undefined ? null : (hold.tokens ?? 0),
    idempotencyKey: null,
    bodyHash: null,
    streamed: call.delivery != null,
    user,
    session,
    tags,
    unconfirmedPolicy: call.snapshot.workspaces.get(key.workspace)?.limits?.unconfirmed ?? null,
  }
  for (const aspect of call.aspects) aspect.addToOpening?.(record)
  return record
}
