import { GatewayError } from '../domain/errors.ts'
import { checkedIdempotencyKey } from '../domain/idempotency.ts'
import type { Call } from '../http/call.ts'
import type { Deps } from './deps.ts'
import { advance, type Begun, type Received } from './stages.ts'

/** Reads and checks the body. */
export async function receive(call: Call, begun: Begun, deps: ReceiveDeps): Promise<Received> {
  checkMediaType(call)
  const idempotencyKey = checkedIdempotencyKey(call.header('idempotency-key'))
  const chunks = await arrived(call.readBody(deps.maxBodyBytes, begun.key.id), begun)
  const opened = deps.bodies.open(chunks, begun.endpoint, idempotencyKey !== null)
  const body = opened instanceof Promise ? await opened : opened
  const isIdempotent = idempotencyKey !== null && body.hash !== null
  const { idPrefix } = begun.endpoint
  return advance(begun, { body, idempotency: isIdempotent ? { idempotencyKey, bodyHash: body.hash, idPrefix } : null })
}

/** The time that the caller takes to send the body does not count. */
async function arrived<Body>(body: Promise<Body>, begun: Begun): Promise<Body> {
  const began = performance.now()
  try {
    return await body
  } finally {
    const waitedMs = performance.now() - began
    begun.startedTick += waitedMs
    begun.startedAt += Math.round(waitedMs)
  }
}

type ReceiveDeps = Pick<Deps, 'maxBodyBytes' | 'bodies'>

function checkMediaType(call: Call): void {
  const type = call.header('content-type')
  if (type !== undefined && !/^application\/json\s*(;|$)/i.test(type)) {
    throw new GatewayError('unsupported_media_type', `Send the body as application/json, not ${type.slice(0, 100)}.`)
  }
  const encoding = call.header('content-encoding')
  if (encoding !== undefined && encoding !== 'identity') {
    throw new GatewayError('unsupported_media_type', 'Send the body uncompressed: content-encoding is not supported.')
  }
}
