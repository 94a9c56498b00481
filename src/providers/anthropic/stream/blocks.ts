import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { StreamPart } from '../../../domain/request/stream.ts'
import { reasoningBlock } from '../reasoning.ts'
import { isJsonAnswer } from '../request/json-mode.ts'

const NONE: StreamPart[] = []

type Block =
  /** `index` counts the calls of the answer, not its blocks. */
  | { kind: 'call'; index: number; input: unknown; hasInput: boolean }
  /** The input of our own tool is the text of the answer. */
  | { kind: 'json'; input: unknown; hasInput: boolean }
  | { kind: 'text' }
  /** As a later turn sends it back: known when it is complete. */
  | { kind: 'thinking'; block: JsonObject; thinking: string; signature: string }
  /** Server tools and unknown blocks. */
  | { kind: 'hidden' }

const TEXT: Block = { kind: 'text' }
const HIDDEN: Block = { kind: 'hidden' }

/** The blocks of one message, by their index on the wire. */
export class Blocks {
  hiddenBytes = 0
  readonly #open = new Map<unknown, Block>()
  #calls = 0
  /** JSON was asked for: texts wait, because they are no part of an answer that our own tool gives. */
  #waiting: string[] | null
  #hasJson = false

  constructor(isJsonWanted: boolean) {
    this.#waiting = isJsonWanted ? [] : null
  }

  get isOpen(): boolean {
    return this.#open.size > 0
  }

  get hasToolCalls(): boolean {
    return this.#calls > 0
  }

  /** Null when a call cannot be returned: it has no id or no name. */
  start({ index, content_block: block }: JsonObject): StreamPart[] | null {
    if (!isJsonObject(block)) return NONE
    if (block['type'] === 'text') {
      this.#open.set(index, TEXT)
      return this.#text(block['text'])
    }
    if (block['type'] === 'thinking' || block['type'] === 'redacted_thinking') {
      this.#open.set(index, startedThinking(block))
      return NONE
    }
    if (block['type'] !== 'tool_use') {
      this.#open.set(index, HIDDEN)
      return NONE
    }
    return this.#startCall(index, block)
  }

  delta({ index, delta }: JsonObject): StreamPart[] {
    if (!isJsonObject(delta)) return NONE
    const { type, text, partial_json: fragment, thinking } = delta
    const block = this.#open.get(index)
    if (type === 'text_delta' && block?.kind === 'text') return this.#text(text)
    if (type === 'input_json_delta' && typeof fragment === 'string') return this.#input(block, fragment)
    if (typeof thinking === 'string') this.hiddenBytes += Buffer.byteLength(thinking)
    if (block?.kind === 'thinking') continueThinking(block, delta)
    return NONE
  }

  /** A call without fragments has no arguments, or had them all at its start. */
  stop({ index }: JsonObject): StreamPart[] {
    const block = this.#open.get(index)
    this.#open.delete(index)
    if (block?.kind === 'thinking') return endOfThinking(block)
    if ((block?.kind !== 'call' && block?.kind !== 'json') || block.hasInput) return NONE
    return this.#input(block, JSON.stringify(block.input ?? {}))
  }

  /** The texts that no JSON came in place of. */
  end(): StreamPart[] {
    const waiting = this.#hasJson ? '' : (this.#waiting ?? []).join('')
    return waiting === '' ? [] : [{ type: 'text-delta', text: waiting }]
  }

  #startCall(index: unknown, { id, name, input }: JsonObject): StreamPart[] | null {
    if (this.#waiting !== null && typeof name === 'string' && isJsonAnswer(name)) {
      this.#open.set(index, this.#hasJson ? HIDDEN : { kind: 'json', input, hasInput: false })
      this.#hasJson = true
      return NONE
    }
    if (typeof id !== 'string' || id === '' || typeof name !== 'string' || name === '') return null
    const call: Block = { kind: 'call', index: this.#calls, input, hasInput: false }
    this.#open.set(index, call)
    this.#calls += 1
    return [{ type: 'tool-call-start', index: call.index, id, name }]
  }

  #text(text: unknown): StreamPart[] {
    if (typeof text !== 'string' || text === '') return NONE
    if (this.#waiting === null) return [{ type: 'text-delta', text }]
    this.#waiting.push(text)
    return NONE
  }

  #input(block: Block | undefined, text: string): StreamPart[] {
    if (text === '') return NONE
    if (block?.kind !== 'call' && block?.kind !== 'json') {
      this.hiddenBytes += Buffer.byteLength(text)
      return NONE
    }
    block.hasInput = true
    return [
      block.kind === 'json' ? { type: 'text-delta', text } : { type: 'tool-input-delta', index: block.index, text },
    ]
  }
}

type Thinking = Block & { kind: 'thinking' }

function startedThinking(block: JsonObject): Thinking {
  const { thinking, signature } = block
  return { kind: 'thinking', block, thinking: textOf(thinking), signature: textOf(signature) }
}

function continueThinking(block: Thinking, { thinking, signature }: JsonObject): void {
  block.thinking += textOf(thinking)
  block.signature += textOf(signature)
}

function endOfThinking({ block, thinking, signature }: Thinking): StreamPart[] {
  const complete = reasoningBlock({ ...block, thinking, signature })
  return complete === null ? NONE : [{ type: 'reasoning-end', block: complete }]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
