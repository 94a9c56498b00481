import { isObject, type JsonObject, objectOrEmpty } from '../json.ts'
import type { Oddity, StreamEvent } from '../stream/script.ts'
import { messageEvent, PING } from './events.ts'

/** Streams that the vendor's documentation allows, or that others have seen. */
export const ANTHROPIC_ODDITIES: Record<string, Oddity> = {
  'usage-missing': (events) =>
    change(events, 'message_start', (data) => ({
      message: { ...objectOrEmpty(data['message']), usage: undefined },
    })).map((event) => withKeys(event, 'message_delta', { usage: undefined })),
  /** The message's whole usage twice; the second does not clear the reason. */
  'usage-repeated': (events) =>
    after(events, 'message_delta', (event) => withKeys(event, 'message_delta', { delta: NO_REASON })),
  'usage-in-middle': (events) => {
    const total = events.find(isNamed('message_delta'))
    const middle = Math.floor(events.findLastIndex(isNamed('content_block_delta')) / 2) + 1
    const early = total ? [withKeys(total, 'message_delta', { delta: NO_REASON })] : []
    const silent = events.map((event) => withKeys(event, 'message_delta', { usage: null }))
    return silent.toSpliced(middle, 0, ...early.map((event) => ({ ...event, phase: 'content' as const })))
  },
  /** Placeholders where the start had figures. */
  'usage-zero-last': (events) =>
    change(events, 'message_delta', ({ usage }) => ({
      usage: {
        ...objectOrEmpty(usage),
        input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: null,
      },
    })),
  /** The input has grown since the start, as with tools of the server. */
  'usage-grows': (events) =>
    change(events, 'message_delta', ({ usage }) => ({
      usage: { ...objectOrEmpty(usage), input_tokens: Number(objectOrEmpty(usage)['input_tokens']) + 1000 },
    })),
  'no-finish': (events) => events.filter((event) => !isNamed('message_delta')(event)),
  'no-done': (events) => events.filter(({ phase }) => phase !== 'done'),
  'after-done': (events) => [
    ...events,
    ...events.filter(isNamed('content_block_delta')).map((event) => ({ ...event, phase: 'done' as const })),
  ],
  'no-arguments': (events) => events.filter(({ data }) => typeOfDelta(data) !== 'input_json_delta'),
  pings: (events) => events.flatMap((event) => [event, { ...PING, phase: event.phase }]),
  'unknown-events': (events) =>
    events.flatMap((event) => [
      event,
      { ...messageEvent('start', 'weather_report', { sky: 'clear' }), phase: event.phase },
    ]),
}

const NO_REASON = { stop_reason: null, stop_sequence: null }

function isNamed(name: string): (event: StreamEvent) => boolean {
  return ({ event }) => event === name
}

function withKeys(event: StreamEvent, name: string, keys: JsonObject): StreamEvent {
  return event.event === name && isObject(event.data) ? { ...event, data: { ...event.data, ...keys } } : event
}

function change(events: StreamEvent[], name: string, keysFor: (data: JsonObject) => JsonObject): StreamEvent[] {
  return events.map((event) => withKeys(event, name, keysFor(objectOrEmpty(event.data))))
}

function after(events: StreamEvent[], name: string, next: (event: StreamEvent) => StreamEvent): StreamEvent[] {
  return events.flatMap((event) => (event.event === name ? [event, next(event)] : [event]))
}

function typeOfDelta(data: unknown): unknown {
  return objectOrEmpty(objectOrEmpty(data)['delta'])['type']
}
