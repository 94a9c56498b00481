import { isObject, objectOrEmpty } from '../../json.ts'
import type { Oddity, StreamEvent } from '../../stream/script.ts'

/** Streams of servers that speak the format in their own way. */
export const RESPONSES_ODDITIES: Record<string, Oddity> = {
  'usage-missing': (events) => events.map(withoutUsage),
  'no-done': (events) => events.filter(({ phase }) => phase !== 'done'),
  'after-done': (events) => [...events, ...events.filter(({ phase }) => phase === 'content').map(asDone)],
  'done-marker': (events) => [...events, { phase: 'done', data: '[DONE]' }],
  'no-event-names': (events) => events.map(({ phase, data }) => ({ phase, data })),
  'no-numbers': (events) => events.map(withoutNumber),
  'unknown-events': (events) => events.flatMap((event) => [event, unknownAfter(event)]),
  'no-arguments': (events) =>
    events.filter(({ event = '' }) => !/(arguments|tool_call_input)\.(delta|done)$/.test(event)),
}

function withoutUsage(event: StreamEvent): StreamEvent {
  const data = objectOrEmpty(event.data)
  const { response } = data
  return isObject(response) ? { ...event, data: { ...data, response: { ...response, usage: null } } } : event
}

function withoutNumber(event: StreamEvent): StreamEvent {
  const { sequence_number: _, ...data } = objectOrEmpty(event.data)
  return { ...event, data }
}

function unknownAfter({ phase, data }: StreamEvent): StreamEvent {
  const type = 'response.simulated.progress'
  return { phase, event: type, data: { type, sequence_number: objectOrEmpty(data)['sequence_number'] } }
}

function asDone(event: StreamEvent): StreamEvent {
  return { ...event, phase: 'done' }
}
