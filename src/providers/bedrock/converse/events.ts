import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { messageUsage, stopReason } from './message.ts'

const NONE: JsonObject[] = []

/** Events of Converse as events of the Messages API, where every block has a start. */
export class MessageEvents {
  /** Indices of the blocks that have begun and not ended. */
  readonly #open = new Set<unknown>()

  of(name: string | null, event: JsonObject): JsonObject[] {
    const index = event['contentBlockIndex']
    switch (name) {
      case 'contentBlockDelta':
        return isJsonObject(event['delta']) ? this.#delta(index, event['delta']) : NONE
      case 'contentBlockStart':
        return this.#start(index, event['start'])
      case 'contentBlockStop':
        return this.#open.delete(index) ? [{ type: 'content_block_stop', index }] : NONE
      case 'messageStop':
        return [
          ...this.#endBlocks(),
          { type: 'message_delta', delta: { stop_reason: stopReason(event['stopReason']) } },
        ]
      case 'metadata':
        return [{ type: 'message_delta', usage: messageUsage(event['usage']) }, { type: 'message_stop' }]
      default:
        return NONE
    }
  }

  #start(index: unknown, start: unknown): JsonObject[] {
    const use = isJsonObject(start) ? start['toolUse'] : null
    if (!isJsonObject(use)) return NONE
    this.#open.add(index)
    const block = { type: 'tool_use', id: use['toolUseId'], name: use['name'], input: {} }
    return [{ type: 'content_block_start', index, content_block: block }]
  }

  #delta(index: unknown, { text, toolUse, reasoningContent: reasoning }: JsonObject): JsonObject[] {
    if (typeof text === 'string') return this.#added(index, TEXT, { type: 'text_delta', text })
    if (isJsonObject(toolUse)) {
      const fragment = { type: 'input_json_delta', partial_json: toolUse['input'] }
      return [{ type: 'content_block_delta', index, delta: fragment }]
    }
    if (!isJsonObject(reasoning)) return NONE
    const { text: thinking, signature, redactedContent: data } = reasoning
    if (typeof data === 'string') return this.#added(index, { type: 'redacted_thinking', data }, {})
    if (typeof signature === 'string') return this.#added(index, THINKING, { type: 'signature_delta', signature })
    return this.#added(index, THINKING, { type: 'thinking_delta', thinking })
  }

  /** Texts and thoughts begin with their first delta. */
  #added(index: unknown, block: JsonObject, delta: JsonObject): JsonObject[] {
    const event = { type: 'content_block_delta', index, delta }
    if (this.#open.has(index)) return [event]
    this.#open.add(index)
    return [{ type: 'content_block_start', index, content_block: block }, event]
  }

  /** Closes blocks that the model left open. */
  #endBlocks(): JsonObject[] {
    const ends = [...this.#open].map((index) => ({ type: 'content_block_stop', index }))
    this.#open.clear()
    return ends
  }
}

const TEXT = { type: 'text', text: '' }
const THINKING = { type: 'thinking', thinking: '', signature: '' }
