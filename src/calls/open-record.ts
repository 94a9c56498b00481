import { NO_ATTRIBUTION } from '../domain/attribution.ts'
import type { RefusedBody } from '../domain/errors.ts'
import { NO_ROOTS, namesInHeaders } from '../endpoints/call-names.ts'
import type { HeldCall } from '../limits/admission.ts'
import type { OpenRecord } from '../request-log/record.ts'
import { attributedTo } from './attribution/attributed-to.ts'
import type { Ended } from './stages.ts'

/** The fields that are known from the admission on; the end of a call repeats them. */
export function openRecord(call: Ended['call'], held: HeldCall | undefined, refused?: RefusedBody): OpenRecord {
  const { id, key, startedAt, body, resolved } = call
  const hold = held?.hold
  const attribution =
    call.attribution ?? attributedTo(namesInHeaders(call.receiver, NO_ROOTS, key.id), NO_ATTRIBUTION, call.snapshot)
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
    user: attribution.user,
    session: attribution.session,
    agent: attribution.agent,
    parent: attribution.parent,
    kind: attribution.kind,
    project: attribution.project,
    tags: attribution.tags,
    unconfirmedPolicy: call.snapshot.workspaces.get(key.workspace)?.limits?.unconfirmed ?? null,
  }
  for (const aspect of call.aspects) aspect.addToOpening?.(record)
  return record
}
