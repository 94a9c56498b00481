import type { JsonObject } from '../../domain/request/call-request.ts'
import type { Frames } from './frames.ts'
import {
  callItem,
  contentPart,
  type ItemStatus,
  inputOf,
  type MessagePart,
  messageItem,
  reasoningItem,
  summaryPart,
  type ToolCall,
} from './items.ts'
import { Unwrapping } from './unwrapping.ts'

/** An item of a streamed answer. Each method returns the events that it causes. */
export interface OpenItem {
  /** Its current state. */
  item(status: ItemStatus): JsonObject
  close(status: ItemStatus): string
}

/** What the events of all items have in common. */
abstract class Item implements OpenItem {
  readonly frames: Frames
  readonly place: { item_id: string; output_index: number }

  constructor(frames: Frames, id: string, index: number) {
    this.frames = frames
    this.place = { item_id: id, output_index: index }
  }

  abstract item(status: ItemStatus): JsonObject
  abstract close(status: ItemStatus): string

  added(): string {
    const item = this.item('in_progress')
    return this.frames.write('response.output_item.added', { output_index: this.place.output_index, item })
  }

  done(status: ItemStatus): string {
    const item = this.item(status)
    return this.frames.write('response.output_item.done', { output_index: this.place.output_index, item })
  }
}

/** What the model says. A refusal is its own part. */
export class OpenMessage extends Item {
  readonly #parts: MessagePart[] = []

  item(status: ItemStatus): JsonObject {
    return messageItem(this.place.item_id, this.#parts, status)
  }

  text(delta: string): string {
    const { frames, part } = this.#part('output_text')
    if (part.type === 'output_text') part.text += delta
    return frames + this.frames.write('response.output_text.delta', { ...this.#at(), delta, logprobs: [] })
  }

  refusal(delta: string): string {
    const { frames, part } = this.#part('refusal')
    if (part.type === 'refusal') part.refusal += delta
    return frames + this.frames.write('response.refusal.delta', { ...this.#at(), delta })
  }

  close(status: ItemStatus): string {
    return this.#closePart() + this.done(status)
  }

  #part(type: MessagePart['type']): { frames: string; part: MessagePart } {
    const last = this.#parts.at(-1)
    if (last?.type === type) return { frames: '', part: last }
    const closed = this.#closePart()
    const part: MessagePart = type === 'refusal' ? { type, refusal: '' } : { type, text: '' }
    this.#parts.push(part)
    const added = this.frames.write('response.content_part.added', { ...this.#at(), part: contentPart(part) })
    return { frames: closed + added, part }
  }

  #closePart(): string {
    const part = this.#parts.at(-1)
    if (part === undefined) return ''
    const said =
      part.type === 'refusal'
        ? this.frames.write('response.refusal.done', { ...this.#at(), refusal: part.refusal })
        : this.frames.write('response.output_text.done', { ...this.#at(), text: part.text, logprobs: [] })
    return said + this.frames.write('response.content_part.done', { ...this.#at(), part: contentPart(part) })
  }

  #at() {
    return { ...this.place, content_index: this.#parts.length - 1 }
  }
}

/** What the model thinks. */
export class OpenReasoning extends Item {
  #summary = ''
  /** Null where the caller does not bring it back. */
  sealed: string | null = null

  get isSilent(): boolean {
    return this.#summary === ''
  }

  item(): JsonObject {
    return reasoningItem(this.place.item_id, this.#summary, this.sealed)
  }

  text(delta: string): string {
    const isFirst = this.#summary === ''
    const added = isFirst ? this.#write('reasoning_summary_part.added', { part: summaryPart('') }) : ''
    this.#summary += delta
    return added + this.#write('reasoning_summary_text.delta', { delta })
  }

  close(status: ItemStatus): string {
    if (this.#summary === '') return this.done(status)
    const said = this.#write('reasoning_summary_text.done', { text: this.#summary })
    return said + this.#write('reasoning_summary_part.done', { part: summaryPart(this.#summary) }) + this.done(status)
  }

  #write(type: string, fields: JsonObject): string {
    return this.frames.write(`response.${type}`, { ...this.place, summary_index: 0, ...fields })
  }
}

/** A call of one of the caller's tools. */
export class OpenCall extends Item {
  readonly #call: ToolCall
  readonly #unwrapping: Unwrapping | null
  #written = ''
  #isClosed = false

  constructor(frames: Frames, call: ToolCall, index: number) {
    super(frames, call.id, index)
    this.#call = call
    this.#unwrapping = call.kind === 'custom' ? new Unwrapping() : null
  }

  item(status: ItemStatus): JsonObject {
    return callItem(this.#call, this.#isClosed ? inputOf(this.#call, this.#written) : '', status)
  }

  input(fragment: string): string {
    this.#written += fragment
    const delta = this.#unwrapping === null ? fragment : this.#unwrapping.push(fragment)
    return delta === '' ? '' : this.#delta(delta)
  }

  close(status: ItemStatus): string {
    this.#isClosed = true
    const input = inputOf(this.#call, this.#written)
    if (this.#unwrapping === null) {
      return (
        this.#write('function_call_arguments.done', { name: this.#call.name, arguments: input }) + this.done(status)
      )
    }
    // A text that was wrapped otherwise has not been said yet.
    const { text } = this.#unwrapping
    const rest = input.startsWith(text) ? input.slice(text.length) : ''
    const said = rest === '' ? '' : this.#delta(rest)
    return said + this.#write('custom_tool_call_input.done', { input }) + this.done(status)
  }

  #delta(delta: string): string {
    return this.#write(this.#unwrapping === null ? 'function_call_arguments.delta' : 'custom_tool_call_input.delta', {
      delta,
    })
  }

  #write(type: string, fields: JsonObject): string {
    return this.frames.write(`response.${type}`, { ...this.place, ...fields })
  }
}
