import { fragmentsOf, wordsOf } from '../fragments.ts'
import { type JsonObject, objectOrEmpty, objectsIn } from '../json.ts'
import type { Phase, StreamEvent } from '../stream/script.ts'

/** A message as the events that stream it: the same blocks, stop reason and usage. */
export function* streamMessage(message: JsonObject): Iterable<StreamEvent> {
  const { content, stop_reason, stop_sequence, stop_details, usage } = message
  const { service_tier, inference_geo, cache_creation, ...cumulative } = objectOrEmpty(usage)
  const { output_tokens_details, ...first } = cumulative
  yield messageEvent('start', 'message_start', {
    message: {
      ...message,
      content: [],
      stop_reason: null,
      stop_details: null,
      usage: { ...first, cache_creation, output_tokens: 1, service_tier, inference_geo },
    },
  })
  let phase: Phase = 'start'
  for (const [index, block] of objectsIn(content).entries()) {
    if (block['type'] === 'tool_use') phase = 'content'
    yield messageEvent(phase, 'content_block_start', { index, content_block: openingOf(block) })
    if (index === 0) yield PING
    for (const delta of deltasOf(block)) {
      if (delta['text'] !== undefined) phase = 'content'
      yield messageEvent(phase, 'content_block_delta', { index, delta })
    }
    yield messageEvent(phase, 'content_block_stop', { index })
  }
  yield messageEvent('finish', 'message_delta', {
    delta: { stop_reason, stop_sequence, stop_details, container: null },
    usage: cumulative,
  })
  yield messageEvent('done', 'message_stop', {})
}

/** The event's name is repeated in its data. */
export function messageEvent(phase: Phase, event: string, data: JsonObject): StreamEvent {
  return { phase, event, data: { type: event, ...data } }
}

export const PING = messageEvent('start', 'ping', {})

/** The block without what its deltas bring. */
function openingOf(block: JsonObject): JsonObject {
  switch (block['type']) {
    case 'text':
      return { ...block, text: '' }
    case 'thinking':
      return { ...block, thinking: '', signature: '' }
    case 'tool_use':
      return { ...block, input: {} }
    default:
      return block
  }
}

function* deltasOf(block: JsonObject): Iterable<JsonObject> {
  const { type, text, thinking, signature, input } = block
  switch (type) {
    case 'text':
      for (const piece of wordsOf(text)) yield { type: 'text_delta', text: piece }
      return
    case 'thinking':
      // Thinking that is not shown still has its one delta.
      for (const piece of thinking === '' ? [''] : wordsOf(thinking)) yield { type: 'thinking_delta', thinking: piece }
      yield { type: 'signature_delta', signature }
      return
    case 'tool_use':
      yield { type: 'input_json_delta', partial_json: '' }
      for (const piece of fragmentsOf(JSON.stringify(input))) yield { type: 'input_json_delta', partial_json: piece }
  }
}
