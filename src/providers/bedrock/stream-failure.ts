import { type Failure, failure } from '../../domain/failure.ts'
import type { ServerSentEvent, StreamPart } from '../../domain/request/stream.ts'
import { worded } from '../../domain/wording/worded.ts'
import { parsedEvent } from '../stream-events.ts'
import { failureOf } from './failure.ts'
import { DAMAGED, ERROR, EXCEPTION } from './framing/event-stream.ts'

const OK = 200

const BROKEN = failure('upstream_error', worded`The provider's stream is damaged: a checksum is wrong.`, OK, {
  retry: 'once',
})

/** Null: an event like any other. */
export function failureOfEvent({ event, data }: ServerSentEvent): Failure | null {
  if (event === null || !event.startsWith(':')) return null
  if (event === DAMAGED) return BROKEN
  const name = event.slice((event.startsWith(EXCEPTION) ? EXCEPTION : ERROR).length)
  const body = parsedEvent(data) ?? {}
  const message = body['message'] ?? body['originalMessage']
  const original = body['originalStatusCode']
  return failureOf({
    // Within a stream they begin with a small letter.
    name: name.slice(0, 1).toUpperCase() + name.slice(1),
    status: OK,
    message: typeof message === 'string' ? message : '',
    originalStatus: typeof original === 'number' ? original : null,
  })
}

/** Nothing is read after the part that ends a stream. */
export function isEnded(parts: readonly StreamPart[]): boolean {
  const last = parts.at(-1)?.type
  return last === 'failed' || last === 'message-end'
}
