import { LARGE_BYTES } from '../../bodies/bodies.ts'
import { SmallBody } from '../../bodies/small-body.ts'
import type { CallReply } from '../../http/call.ts'
import type { TracedContent } from '../../telemetry/tracing.ts'
import { hidesContent } from '../hides-content.ts'
import type { Ended } from '../stages.ts'
import { TracedStream } from './traced-stream.ts'

/** Of bodies that this thread has read itself: larger ones are with a worker. */
export function tracedContent(call: Ended['call'], reply: CallReply | null): TracedContent {
  if (hidesContent(call)) return { request: null, answer: null }
  return { request: call.body instanceof SmallBody ? call.body.request : null, answer: answerOf(call, reply) }
}

function answerOf({ aspects, endpoint }: Ended['call'], reply: CallReply | null): unknown {
  if (reply === null || 'rest' in reply) {
    const stream = aspects.find((aspect) => aspect instanceof TracedStream)
    return stream?.answer(typeof reply?.rest === 'string' ? reply.rest : '') ?? null
  }
  const { body, headers } = reply
  if (body.length >= LARGE_BYTES) return null
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8')
  const type = headers['content-type'] ?? ''
  // A stored stream is all there at once.
  if (type.startsWith('text/event-stream')) return new TracedStream(endpoint.name).answer(text)
  return type.startsWith('application/json') ? JSON.parse(text) : null
}
