import { LARGE_BYTES } from '../bodies/bodies.ts'
import { SmallBody } from '../bodies/small-body.ts'
import type { CallReply } from '../http/call.ts'
import type { TracedContent } from '../telemetry/tracing.ts'
import type { Ended } from './stages.ts'

/** Of bodies that this thread has read itself: larger ones are with a worker, and of a stream nothing is kept. */
export function tracedContent({ body, served }: Ended['call'], reply: CallReply | null): TracedContent {
  const request = body instanceof SmallBody ? body.request : null
  if (served === undefined || reply === null || 'rest' in reply) return { request, answer: null }
  const isJson = reply.headers['content-type']?.startsWith('application/json') === true
  const isLarge = reply.body.length >= LARGE_BYTES || !isJson
  const text = () => (typeof reply.body === 'string' ? reply.body : Buffer.from(reply.body).toString('utf8'))
  return { request, answer: isLarge ? null : JSON.parse(text()) }
}
