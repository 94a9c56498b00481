import type { RequestBody } from '../bodies/request-body.ts'
import type { CallToKeep } from '../content/kept-call.ts'
import type { ContentSettings } from '../domain/content/settings.ts'
import { GatewayError } from '../domain/errors.ts'
import { checkedIdempotencyKey } from '../domain/idempotency.ts'
import { isStreaming } from '../domain/snapshot.ts'
import { worded } from '../domain/wording/worded.ts'
import type { Call } from '../http/call.ts'
import { streamHead } from './answer.ts'
import { attributedTo } from './attributed-to.ts'
import type { Deps } from './deps.ts'
import { advance, type Begun, type Received } from './stages.ts'
import { Delivery } from './stream/delivery.ts'

/** Reads and checks the body: at once where it is there and small. */
export function receive(call: Call, begun: Begun, deps: ReceiveDeps): Received | Promise<Received> {
  checkMediaType(call)
  const key = checkedIdempotencyKey(call.header('idempotency-key'))
  const read = call.readBody(deps.maxBodyBytes, begun.key.id)
  if (read instanceof Promise) return arrived(read, begun).then((chunks) => open(call, begun, chunks, key, deps))
  return open(call, begun, read, key, deps)
}

function open(
  call: Call,
  begun: Begun,
  chunks: Buffer[],
  idempotencyKey: string | null,
  deps: ReceiveDeps,
): Received | Promise<Received> {
  const workspace = begun.snapshot.workspaces.get(begun.key.workspace)
  const options = {
    withHash: idempotencyKey !== null || workspace?.hasCache === true,
    allowsStream: isStreaming(workspace, deps.streams.settings.isOnByDefault) && workspace?.guardrail?.after !== true,
    owner: begun.key.id,
  }
  const stored = workspace?.content ?? null
  if (stored !== null) begun.content = deps.content.begin(toKeep(begun, stored), chunks)
  const guardrail = workspace?.guardrail ?? null
  if (guardrail !== null) begun.guarded = { guardrail, body: guardrail.before ? Buffer.concat(chunks) : null }
  const opened = deps.bodies.open(chunks, begun.endpoint, options)
  if (opened instanceof Promise) return opened.then((body) => received(call, begun, body, idempotencyKey, deps))
  return received(call, begun, opened, idempotencyKey, deps)
}

function received(
  call: Call,
  begun: Begun,
  body: RequestBody,
  idempotencyKey: string | null,
  deps: ReceiveDeps,
): Received {
  if (begun.endpoint.stream?.isRequested(body.request) === true)
    begun.delivery = deliveryOf(call, begun, idempotencyKey !== null, deps)
  const isIdempotent = idempotencyKey !== null && body.hash !== null
  const { idPrefix } = begun.endpoint
  const next = advance<Received>(begun)
  next.body = body
  next.attribution = attributedTo(begun.session, body.attribution, begun.snapshot)
  next.idempotency = isIdempotent ? { idempotencyKey, bodyHash: body.hash, idPrefix } : null
  return next
}

function toKeep({ id, key, endpoint, startedAt }: Begun, settings: ContentSettings): CallToKeep {
  return { id, workspace: key.workspace, endpoint: endpoint.name, storedAt: startedAt, settings }
}

/** Where the stream goes that this request asks for. */
function deliveryOf(call: Call, begun: Begun, isKept: boolean, deps: ReceiveDeps): Delivery {
  return new Delivery(call, {
    ...deps.streams.settings,
    isKept,
    record: begun.content?.record ?? null,
    keepAlive: begun.endpoint.stream?.keepAlive ?? '',
    earlyHead: () => streamHead(begun, deps),
  })
}

/** The time that the caller takes to send the body does not count, nor what was done before it was there. */
async function arrived<Body>(body: Promise<Body>, begun: Begun): Promise<Body> {
  const began = performance.now()
  try {
    return await body
  } finally {
    const now = performance.now()
    const waitedMs = now - began
    // A body that was there already is waited for by a microtask.
    begun.startedTick = waitedMs < 1 ? begun.startedTick + waitedMs : now
    begun.startedAt += Math.round(waitedMs)
  }
}

type ReceiveDeps = Pick<Deps, 'maxBodyBytes' | 'bodies' | 'streams' | 'ledger' | 'content'>

function checkMediaType(call: Call): void {
  const type = call.header('content-type')
  if (type !== undefined && !/^application\/json\s*(;|$)/i.test(type)) {
    throw new GatewayError(
      'unsupported_media_type',
      worded`Send the body as application/json, not ${type.slice(0, 100)}.`,
    )
  }
  const encoding = call.header('content-encoding')
  if (encoding !== undefined && encoding !== 'identity') {
    throw new GatewayError(
      'unsupported_media_type',
      worded`Send the body uncompressed: content-encoding is not supported.`,
    )
  }
}
