import { isObject, type JsonObject, objectOrEmpty, objectsIn } from '../json.ts'
import type { Oddity, Phase, StreamEvent } from '../stream/script.ts'

/** Streams of compatible servers that differ from the vendor's. */
export const OPENAI_ODDITIES: Record<string, Oddity> = {
  'usage-on-finish': (events, { usage }) => addTo(withoutUsage(events), 'finish', { usage }),
  'usage-in-x-groq': (events, { usage }) =>
    addTo(withoutUsage(events), 'finish', { x_groq: { id: 'req_groq', usage } }),
  'usage-zero-first': (events) => addTo(events, 'start', { usage: ZERO_USAGE }),
  'usage-zero-last': (events) =>
    events.flatMap((event) => (isUsage(event) ? [event, withKeys(event, { usage: ZERO_USAGE })] : [event])),
  'usage-repeated': (events, { usage }) => addTo(events, 'content', { usage }),
  'usage-in-middle': (events, { usage }) => {
    const content = events.filter(({ phase }) => phase === 'content')
    const middle = content[Math.floor(content.length / 2)]
    return withoutUsage(events).map((event) => (event === middle ? withKeys(event, { usage }) : event))
  },
  'usage-with-choices': (events) =>
    events.map((event) => (isUsage(event) ? withKeys(event, { choices: [EMPTY_CHOICE] }) : event)),
  'usage-missing': (events) => withoutUsage(events),
  'no-null-finish': (events) =>
    changeChoices(events, ({ finish_reason, ...choice }) =>
      finish_reason === null ? choice : { ...choice, finish_reason },
    ),
  'no-finish': (events) => changeChoices(events, (choice) => ({ ...choice, finish_reason: null })),
  'finish-eos': (events) =>
    changeChoices(events, (choice) => (choice['finish_reason'] ? { ...choice, finish_reason: 'eos' } : choice)),
  'finish-error': (events) =>
    changeChoices(events, (choice) => (choice['finish_reason'] ? { ...choice, finish_reason: 'error' } : choice)),
  'finish-with-content': finishWithContent,
  'no-done': (events) => events.filter(({ phase }) => phase !== 'done'),
  'after-done': (events) => [...events, ...events.filter(({ phase }) => phase === 'content').map(asDone)],
  'no-role': (events) => changeDeltas(events, ({ role: _, ...delta }) => delta),
  'role-everywhere': (events) => changeDeltas(events, (delta) => ({ role: 'assistant', ...delta })),
  'filter-first': (events) => {
    const [first] = events
    if (first === undefined) return events
    const results = [{ prompt_index: 0, content_filter_results: { hate: { filtered: false, severity: 'safe' } } }]
    return [withKeys(first, { choices: [], prompt_filter_results: results }), ...events]
  },
  'empty-chunks': (events) => events.flatMap((event) => [event, ...emptyAfter(event)]),
  'no-index': (events) => changeCalls(events, ({ index: _, ...call }) => call),
  'same-index': (events) => changeCalls(events, (call) => ({ ...call, index: 0 })),
  'no-arguments': (events) =>
    changeCalls(events, (call) => ({ ...call, function: { name: objectOrEmpty(call['function'])['name'] } })).filter(
      (event) => !callsIn(event).some((call) => call['id'] === undefined),
    ),
  'calls-together': callsTogether,
}

const ZERO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
const EMPTY_CHOICE = { index: 0, delta: {}, logprobs: null, finish_reason: null }

function withKeys(event: StreamEvent, keys: JsonObject): StreamEvent {
  return isObject(event.data) ? { ...event, data: { ...event.data, ...keys } } : event
}

/** In every event of that phase. */
function addTo(events: StreamEvent[], phase: Phase, keys: JsonObject): StreamEvent[] {
  return events.map((event) => (event.phase === phase ? withKeys(event, keys) : event))
}

function withoutUsage(events: StreamEvent[]): StreamEvent[] {
  return events.filter((event) => !isUsage(event))
}

function isUsage({ phase, data }: StreamEvent): boolean {
  return phase === 'finish' && choicesIn(data).length === 0
}

function choicesIn(data: unknown): JsonObject[] {
  return objectsIn(objectOrEmpty(data)['choices'])
}

function changeChoices(events: StreamEvent[], changed: (choice: JsonObject) => JsonObject): StreamEvent[] {
  return events.map((event) => withKeys(event, { choices: choicesIn(event.data).map(changed) }))
}

function changeDeltas(events: StreamEvent[], changed: (delta: JsonObject) => JsonObject): StreamEvent[] {
  return changeChoices(events, (choice) => ({ ...choice, delta: changed(objectOrEmpty(choice['delta'])) }))
}

function changeCalls(events: StreamEvent[], changed: (call: JsonObject) => JsonObject): StreamEvent[] {
  return changeDeltas(events, (delta) => {
    const calls = objectsIn(delta['tool_calls'])
    return calls.length > 0 ? { ...delta, tool_calls: calls.map(changed) } : delta
  })
}

function callsIn({ data }: StreamEvent): JsonObject[] {
  return objectsIn(objectOrEmpty(choicesIn(data)[0]?.['delta'])['tool_calls'])
}

/** The last token and the reason come in one chunk. For one choice. */
function finishWithContent(events: StreamEvent[]): StreamEvent[] {
  const last = events.findLastIndex(({ phase }) => phase === 'content')
  const reason = choicesIn(events[last + 1]?.data)[0]?.['finish_reason']
  return events
    .map((event, index) => (index === last ? { ...reasoned(event, reason), phase: 'finish' as const } : event))
    .filter((_, index) => index !== last + 1)
}

function reasoned(event: StreamEvent, finish_reason: unknown): StreamEvent {
  return withKeys(event, { choices: choicesIn(event.data).map((choice) => ({ ...choice, finish_reason })) })
}

/** The n-th fragments of all calls share a chunk. For one choice. */
function callsTogether(events: StreamEvent[]): StreamEvent[] {
  const byCall = Map.groupBy(
    events.filter((event) => callsIn(event).length > 0),
    (event) => callsIn(event)[0]?.['index'],
  )
  const [first = [], ...others] = byCall.values()
  const longest = [first, ...others].toSorted((one, other) => other.length - one.length)[0] ?? []
  const together = longest.map((event, position) =>
    changeDeltas([event], () => ({
      tool_calls: [first, ...others].flatMap((calls) => calls.slice(position, position + 1).flatMap(callsIn)),
    })),
  )
  const start = events.findIndex((event) => callsIn(event).length > 0)
  const rest = events.filter((event) => callsIn(event).length === 0)
  return rest.toSpliced(start, 0, ...together.flat())
}

/** Some servers send a chunk without anything after each. */
function emptyAfter(event: StreamEvent): StreamEvent[] {
  if (event.phase === 'done') return []
  return [withKeys(event, { choices: [EMPTY_CHOICE], usage: undefined })]
}

function asDone(event: StreamEvent): StreamEvent {
  return { ...event, phase: 'done' }
}
