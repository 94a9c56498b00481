import { hash } from 'node:crypto'
import { LARGE_BYTES, type LargeRequest } from '../bodies/large-bodies.ts'
import { joined } from '../domain/byte-pieces.ts'
import type { ChatRequest } from '../domain/chat.ts'
import { GatewayError } from '../domain/errors.ts'
import { checkedIdempotencyKey, type IdempotentBody } from '../domain/idempotency.ts'
import { parseRequest } from '../endpoints/chat-completions/read.ts'
import type { Call } from '../http/call.ts'
import type { Deps } from './deps.ts'
import type { Life } from './stages.ts'

export interface Received {
  /** Of a large one an outline. */
  request: ChatRequest
  /** The body as it came, or where it is large what is known of it. */
  source: Buffer | LargeRequest
  /** Null without the header `Idempotency-Key`. */
  idempotency: IdempotentBody | null
}

/** Reads and checks the body, a large one in the worker. */
export async function receive(call: Call, life: Life, { maxBodyBytes, largeBodies }: ReceiveDeps): Promise<Received> {
  checkMediaType(call)
  const idempotencyKey = checkedIdempotencyKey(call.header('idempotency-key'))
  const chunks = await arrived(call.readBody(maxBodyBytes, life.key.id), life)
  if (isLarge(chunks)) {
    const source = await largeBodies.open(chunks, idempotencyKey !== null)
    const { outline, bodyHash } = source.opened
    const isIdempotent = idempotencyKey !== null && bodyHash !== null
    return { request: outline, source, idempotency: isIdempotent ? { idempotencyKey, bodyHash } : null }
  }
  const source = joined(chunks)
  const request = parseRequest(source)
  const idempotency = idempotencyKey === null ? null : { idempotencyKey, bodyHash: hash('sha256', source, 'hex') }
  return { request, source, idempotency }
}

/** What its caller takes to send it is no time of the call's. */
async function arrived<Body>(body: Promise<Body>, life: Life): Promise<Body> {
  const began = performance.now()
  try {
    return await body
  } finally {
    const waitedMs = performance.now() - began
    life.startedTick += waitedMs
    life.startedAt += Math.round(waitedMs)
  }
}

function isLarge(chunks: readonly Buffer[]): boolean {
  let bytes = 0
  for (const chunk of chunks) bytes += chunk.length
  return bytes >= LARGE_BYTES
}

type ReceiveDeps = Pick<Deps, 'maxBodyBytes' | 'largeBodies'>

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
