import type { Answer } from '../../../domain/request/answer.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { StreamPart } from '../../../domain/request/stream.ts'
import { chunkOf } from './stream.ts'

/** A whole message as the events of a stream, for a server that ignored `stream: true`. */
export function partsOf({ body, finishReason, warning }: Answer): StreamPart[] {
  const { content, stop_reason: stopReason, stop_sequence: stopSequence, usage, ...rest } = body
  const blocks = Array.isArray(content) ? content.filter(isJsonObject) : []
  const message = { ...rest, content: [], stop_reason: null, stop_sequence: null, usage }
  const delta = { stop_reason: stopReason ?? null, stop_sequence: stopSequence ?? null }
  return [
    chunk({ type: 'message_start', message }),
    ...blocks.flatMap(blockEvents).map((event) => chunk(event)),
    chunk({ type: 'message_delta', delta, usage }, true),
    chunk({ type: 'message_stop' }, true),
    { type: 'message-end', finishReason: finishReason ?? 'stop', warning },
  ]
}

function chunk(value: JsonObject, isEnd = false): StreamPart {
  return chunkOf(value, JSON.stringify(value), isEnd)
}

function blockEvents(block: JsonObject, index: number): JsonObject[] {
  const [start, deltas] = split(block)
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}

/** The block as it begins, and what is added to it. */
function split(block: JsonObject): [JsonObject, JsonObject[]] {
  const { type, text, thinking, signature, input } = block
  switch (type) {
    case 'text':
      return [{ ...block, text: '' }, [{ type: 'text_delta', text }]]
    case 'thinking': {
      const signed = { type: 'signature_delta', signature }
      return [{ ...block, thinking: '', signature: '' }, [{ type: 'thinking_delta', thinking }, signed]]
    }
    case 'tool_use':
    case 'server_tool_use':
      return [{ ...block, input: {} }, [{ type: 'input_json_delta', partial_json: JSON.stringify(input ?? {}) }]]
    default:
      return [block, []]
  }
}
