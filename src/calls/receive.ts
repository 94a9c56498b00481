import type { OpenOptions, RequestBody } from '../bodies/request-body.ts'
import { joined } from '../domain/byte-pieces.ts'
import { GatewayError } from '../domain/errors.ts'
import { isForm } from '../domain/form/form.ts'
import { checkedIdempotencyKey } from '../domain/idempotency.ts'
import { isStreaming } from '../domain/snapshot.ts'
import { named, worded } from '../domain/wording/worded.ts'
import { saidIn } from '../endpoints/read-body.ts'
import type { Call } from '../http/call.ts'
import { streamHead } from './answer.ts'
import { aspectsOf } from './aspects.ts'
import { attributionOfCall } from './attribution/attribution-of-call.ts'
import type { Deps } from './deps.ts'
import { Idempotent } from './idempotency/idempotent.ts'
import { toolSalt } from './loops/braked.ts'
import { CacheWatch, watchesCache } from './prompt-cache/cache-watch.ts'
import { advance, type Begun, type Received } from './stages.ts'
import { Delivery } from './stream/delivery.ts'
import { TracedStream } from './tracing/traced-stream.ts'

/** Reads and checks the body: at once where it is there and small. */
export function receive(call: Call, begun: Begun, deps: Deps): Received | Promise<Received> {
  const { form } = begun.endpoint
  checkMediaType(call, form !== undefined)
  const key = checkedIdempotencyKey(call.header('idempotency-key'))
  const limit = form === undefined ? deps.maxBodyBytes : Math.min(form.limitBytes, deps.maxBodyBytes)
  const read = call.readBody(limit, begun.key.id)
  if (read instanceof Promise) return arrived(read, begun).then((chunks) => open(call, begun, chunks, key, deps))
  return open(call, begun, read, key, deps)
}

function open(
  call: Call,
  begun: Begun,
  chunks: Buffer[],
  idempotencyKey: string | null,
  deps: Deps,
): Received | Promise<Received> {
  const workspace = begun.snapshot.workspaces.get(begun.key.workspace)
  const options: OpenOptions = {
    withHash: idempotencyKey !== null || workspace?.hasCache === true,
    allowsStream: isStreaming(workspace, deps.streams.settings.isOnByDefault) && workspace?.guardrail?.after !== true,
    owner: begun.key.id,
  }
  const { form } = begun.endpoint
  if (form !== undefined) options.contentType = call.header('content-type') ?? ''
  if (workspace?.loops != null) options.toolSalt = toolSalt(deps.loops, begun)
  const isRead = form !== undefined && (workspace?.guardrail != null || workspace?.content != null)
  const said = isRead ? [saidIn(joined(chunks), options.contentType ?? '', form)] : chunks
  begun.aspects = aspectsOf(begun, workspace, said, deps)
  const opened = deps.bodies.open(chunks, begun.endpoint, options)
  if (opened instanceof Promise) return opened.then((body) => received(call, begun, body, idempotencyKey, deps))
  return received(call, begun, opened, idempotencyKey, deps)
}

function received(call: Call, begun: Begun, body: RequestBody, idempotencyKey: string | null, deps: Deps): Received {
  const next = advance<Received>(begun)
  if (idempotencyKey !== null && body.hash !== null) {
    const { idPrefix } = begun.endpoint
    next.aspects = [new Idempotent({ idempotencyKey, bodyHash: body.hash, idPrefix }, deps), ...begun.aspects]
  }
  next.body = body
  next.attribution = attributionOfCall(next, deps)
  if (watchesCache(next)) next.aspects = [...next.aspects, new CacheWatch(deps)]
  const isStream = begun.endpoint.stream?.isRequested(body.request) === true
  if (isStream && next.trace.hasContent) next.aspects = [...next.aspects, new TracedStream(next.endpoint.name)]
  next.delivery = isStream ? deliveryOf(call, next, idempotencyKey !== null, deps) : null
  return next
}

/** Where the stream goes that this request asks for. */
function deliveryOf(call: Call, begun: Received, isKept: boolean, deps: Deps): Delivery {
  const { stream } = begun.endpoint
  const isBytes = (stream?.typeOf?.(begun.body.request, '') ?? null) !== null
  return new Delivery(call, {
    ...deps.streams.settings,
    isKept,
    // Bytes are no content.
    records: isBytes ? [] : begun.aspects.flatMap(({ recordFrames }) => recordFrames ?? []),
    keepAlive: stream?.keepAlive ?? '',
    isBytes,
    earlyHead: () => streamHead(begun, deps),
  })
}

/** Excludes the time the caller takes to send the body, and the work done before it arrived. */
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

function checkMediaType(call: Call, takesForm: boolean): void {
  const type = call.header('content-type')
  if (type !== undefined && !/^application\/json\s*(;|$)/i.test(type) && !(takesForm && isForm(type))) {
    const expected = takesForm ? 'multipart/form-data' : 'application/json'
    throw new GatewayError(
      'unsupported_media_type',
      worded`Send the body as ${named(expected)}, not ${type.slice(0, 100)}.`,
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
