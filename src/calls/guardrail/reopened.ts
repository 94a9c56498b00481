import type { RequestBody } from '../../bodies/request-body.ts'
import { GatewayError } from '../../domain/errors.ts'
import type { CallRequest, JsonObject } from '../../domain/request/call-request.ts'
import type { Endpoint } from '../../endpoints/endpoint.ts'
import type { Deps } from '../deps.ts'
import type { Resolved } from '../stages.ts'

/** A request as its guardrail wants it. */
export interface Reopened {
  body: RequestBody
  bytes: Buffer
}

/**
 * A guardrail's request, read as if the caller had sent it; the model and whether the answer streams are the caller's
 * choice. A text: why it cannot be sent, without quoting it.
 */
export async function reopened(
  call: Resolved,
  given: JsonObject,
  { bodies, maxBodyBytes }: Pick<Deps, 'bodies' | 'maxBodyBytes'>,
): Promise<Reopened | string> {
  const { endpoint, key, snapshot } = call
  if (endpoint.form !== undefined) return 'it rewrote a form, which cannot be rewritten'
  const before = call.body.request
  const { model: _, stream: __, ...rest } = given
  const { model, stream } = before
  const bytes = Buffer.from(JSON.stringify({ ...rest, model, ...(stream !== undefined && { stream }) }))
  if (bytes.length > maxBodyBytes) return `its body has ${bytes.length} bytes; ${maxBodyBytes} are allowed`
  const withHash = call.body.hash !== null || snapshot.workspaces.get(key.workspace)?.hasCache === true
  try {
    // Its memory may go to another thread.
    const chunks = [Buffer.from(bytes)]
    const body = await bodies.open(chunks, endpoint, { withHash, allowsStream: true, owner: key.id })
    if (kindOf(body.request, endpoint) === kindOf(before, endpoint)) return { body, bytes }
    body.release()
    return 'its body asks for another kind of answer'
  } catch (error) {
    if (!(error instanceof GatewayError) || error.status >= 500) throw error
    return `its body is no request that a caller may send: ${error.worded.kept}`
  }
}

/** Whole, events, or bytes of a type. */
function kindOf(request: CallRequest, { stream }: Pick<Endpoint, 'stream'>): string | null {
  return stream?.isRequested(request) === true ? (stream.typeOf?.(request, '') ?? 'events') : null
}
