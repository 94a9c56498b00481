import type { ReasoningBlock } from '../../domain/request/answer.ts'
import { isJsonObject } from '../../domain/request/call-request.ts'
import { UNSIGNED } from '../../domain/request/messages.ts'
import { frame, frameOf } from './frames.ts'

type Kind = 'text' | 'thinking' | 'redacted_thinking' | 'tool_use'

interface Block {
  kind: Kind
  /** The beginning of the block as its first event shows it. */
  start: object
  /** What is not sent yet. */
  waiting: string
  /** Of a tool's input, all of it: when it is complete, the next block may begin. */
  input: string
  /** Of thinking. */
  signature: string
  /** It is complete; later deltas do not change it. */
  isClosed: boolean
}

/**
 * The blocks of a streamed message. Clients want them strictly one after the other with indices without gaps, but
 * fragments of several tool calls may come interleaved: the first block of the queue is open, the others wait.
 */
export class Blocks {
  hasToolCalls = false
  readonly #queue: Block[] = []
  readonly #calls = new Map<number, Block>()
  /** Of the first block in the queue. */
  #index = 0
  #isOpen = false

  text(text: string): string {
    this.#last('text', { type: 'text', text: '' }).waiting += text
    return this.#advance()
  }

  thinking(text: string): string {
    this.#last('thinking', { type: 'thinking', thinking: '', signature: '' }).waiting += text
    return this.#advance()
  }

  /** Its text may have come before. */
  endOfThinking(reasoning: ReasoningBlock): string {
    const last = this.#queue.at(-1)
    const isKnown = last?.kind === 'thinking' && !last.isClosed
    if (reasoning.type === 'redacted_thinking') {
      this.#add('redacted_thinking', reasoning).isClosed = true
    } else {
      const block = isKnown ? last : this.#add('thinking', { type: 'thinking', thinking: '', signature: '' })
      if (!isKnown) block.waiting = reasoning.thinking
      block.signature = reasoning.signature
      block.isClosed = true
    }
    return this.#advance()
  }

  startCall(index: number, id: string, name: string): string {
    this.hasToolCalls = true
    this.#calls.set(index, this.#add('tool_use', { type: 'tool_use', id, name, input: {} }))
    return this.#advance()
  }

  input(index: number, text: string): string {
    const block = this.#calls.get(index)
    if (block === undefined || block.isClosed) return ''
    block.waiting += text
    block.input += text
    return this.#advance()
  }

  /** No more content: every block is sent and closed. */
  end(): string {
    let frames = ''
    for (const block of this.#queue) block.isClosed = true
    while (this.#queue.length > 0) frames += this.#advance()
    return frames
  }

  #last(kind: Kind, start: object): Block {
    const last = this.#queue.at(-1)
    return last?.kind === kind && !last.isClosed ? last : this.#add(kind, start)
  }

  #add(kind: Kind, start: object): Block {
    const block: Block = { kind, start, waiting: '', input: '', signature: '', isClosed: false }
    this.#queue.push(block)
    return block
  }

  /** Sends what the open block has, closes it if it is complete, and opens the next. */
  #advance(): string {
    let frames = ''
    for (let block = this.#queue[0]; block !== undefined; block = this.#queue[0]) {
      frames += this.#sent(block)
      if (!block.isClosed && !(this.#queue.length > 1 && isComplete(block))) break
      block.isClosed = true
      frames += this.#closed(block)
      this.#queue.shift()
    }
    return frames
  }

  #sent(block: Block): string {
    let frames = ''
    if (!this.#isOpen) {
      this.#isOpen = true
      frames = frameOf({ type: 'content_block_start', index: this.#index, content_block: block.start })
    }
    if (block.waiting === '') return frames
    frames += this.#delta(DELTAS[block.kind] + JSON.stringify(block.waiting))
    block.waiting = ''
    return frames
  }

  #closed(block: Block): string {
    const signature = JSON.stringify(block.signature === '' ? UNSIGNED : block.signature)
    const signed = block.kind === 'thinking' ? this.#delta(`"signature_delta","signature":${signature}`) : ''
    const frames = `${signed}${frameOf({ type: 'content_block_stop', index: this.#index })}`
    this.#index += 1
    this.#isOpen = false
    return frames
  }

  #delta(json: string): string {
    return frame(
      'content_block_delta',
      `{"type":"content_block_delta","index":${this.#index},"delta":{"type":${json}}}`,
    )
  }
}

const DELTAS: Readonly<Record<Kind, string>> = {
  text: '"text_delta","text":',
  thinking: '"thinking_delta","thinking":',
  tool_use: '"input_json_delta","partial_json":',
  redacted_thinking: '',
}

/** Whether anything may still be added. Looked at only while another block waits. */
function isComplete({ kind, input }: Block): boolean {
  if (kind !== 'tool_use') return true
  if (!input.trimEnd().endsWith('}')) return false
  try {
    return isJsonObject(JSON.parse(input))
  } catch {
    return false
  }
}
