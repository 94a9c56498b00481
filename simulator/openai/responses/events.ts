import { fragmentsOf, wordsOf } from '../../fragments.ts'
import { type JsonObject, objectOrEmpty, objectsIn } from '../../json.ts'
import type { Phase, StreamEvent } from '../../stream/script.ts'
import { failedResponse } from './response.ts'

interface Step {
  phase: Phase
  type: string
  data: JsonObject
}

/** A response as the events that stream it, numbered from 0: the same items, texts, calls and usage. */
export function* streamResponse(response: JsonObject, body: JsonObject): Iterable<StreamEvent> {
  const isObfuscated = objectOrEmpty(body['stream_options'])['include_obfuscation'] !== false
  let number = 0
  for (const { phase, type, data } of stepsOf(response)) {
    const filler = isObfuscated && type.endsWith('.delta') ? { obfuscation: FILLER.slice(number % FILLER.length) } : {}
    yield { phase, event: type, data: { type, sequence_number: number, ...data, ...filler } }
    number += 1
  }
}

const FILLER = 'kTq0vZ3mXw8RbYd5'

function* stepsOf(response: JsonObject): Iterable<Step> {
  const opening = { ...response, status: 'in_progress', output: [], usage: null, completed_at: null }
  const begun = { response: { ...opening, incomplete_details: null } }
  yield { phase: 'start', type: 'response.created', data: begun }
  yield { phase: 'start', type: 'response.in_progress', data: begun }
  let phase: Phase = 'start'
  for (const [index, item] of objectsIn(response['output']).entries()) {
    for (const [type, data] of eventsOfItem(item)) {
      if (isContent(type, item)) phase = 'content'
      yield { phase, type, data: { ...data, output_index: index } }
    }
  }
  yield { phase: 'done', type: `response.${response['status']}`, data: { response } }
}

/** From a call that was begun, or the first piece of a text; reasoning is no answer yet. */
function isContent(type: string, item: JsonObject): boolean {
  if (item['type'] === 'reasoning') return false
  return item['type'] !== 'message' || type.endsWith('.delta')
}

type ItemEvent = [type: string, data: JsonObject]

function* eventsOfItem(item: JsonObject): Iterable<ItemEvent> {
  yield ['response.output_item.added', { item: openingOf(item) }]
  const item_id = item['id']
  switch (item['type']) {
    case 'reasoning':
      for (const [summary_index, part] of objectsIn(item['summary']).entries()) {
        yield* eventsOfSummary(part, { item_id, summary_index })
      }
      break
    case 'message':
      for (const [content_index, part] of objectsIn(item['content']).entries()) {
        yield* eventsOfPart(part, { item_id, content_index })
      }
      break
    case 'function_call':
      yield* eventsOfInput('response.function_call_arguments', 'arguments', item)
      break
    case 'custom_tool_call':
      yield* eventsOfInput('response.custom_tool_call_input', 'input', item)
  }
  yield ['response.output_item.done', { item }]
}

/** The item without what its deltas bring. */
function openingOf(item: JsonObject): JsonObject {
  const empty: Record<string, JsonObject> = {
    reasoning: { summary: [] },
    message: { content: [], status: 'in_progress' },
    function_call: { arguments: '', status: 'in_progress' },
    custom_tool_call: { input: '', status: 'in_progress' },
  }
  return { ...item, ...empty[String(item['type'])] }
}

function* eventsOfSummary(part: JsonObject, place: JsonObject): Iterable<ItemEvent> {
  yield ['response.reasoning_summary_part.added', { ...place, part: { ...part, text: '' } }]
  for (const delta of wordsOf(part['text'])) yield ['response.reasoning_summary_text.delta', { ...place, delta }]
  yield ['response.reasoning_summary_text.done', { ...place, text: part['text'] }]
  yield ['response.reasoning_summary_part.done', { ...place, part }]
}

function* eventsOfPart(part: JsonObject, place: JsonObject): Iterable<ItemEvent> {
  const isText = part['type'] === 'output_text'
  const field = isText ? 'text' : 'refusal'
  const name = isText ? 'response.output_text' : 'response.refusal'
  const logprobs = isText ? { logprobs: [] } : {}
  yield ['response.content_part.added', { ...place, part: { ...part, [field]: '' } }]
  for (const delta of wordsOf(part[field])) yield [`${name}.delta`, { ...place, delta, ...logprobs }]
  yield [`${name}.done`, { ...place, [field]: part[field], ...logprobs }]
  yield ['response.content_part.done', { ...place, part }]
}

function* eventsOfInput(name: string, field: 'arguments' | 'input', item: JsonObject): Iterable<ItemEvent> {
  const item_id = item['id']
  for (const delta of fragmentsOf(item[field])) yield [`${name}.delta`, { item_id, delta }]
  yield [`${name}.done`, { item_id, [field]: item[field] }]
}

/** The vendor breaks off with a response that failed, numbered like the event that it replaces. */
export function failedEvent(failure: unknown, response: JsonObject, next: StreamEvent | null): StreamEvent {
  const { sequence_number = 0 } = objectOrEmpty(next?.data)
  const type = 'response.failed'
  const data = {
    type,
    sequence_number,
    response: failedResponse(response, objectOrEmpty(objectOrEmpty(failure)['error'])),
  }
  return { phase: 'done', event: type, data }
}
