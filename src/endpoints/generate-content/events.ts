import type { ReasoningBlock, Stamp } from '../../domain/request/answer.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { ContentsRequest } from '../../domain/request/contents.ts'
import type { Chunk, StreamEnd, StreamPart, StreamWriter } from '../../domain/request/stream.ts'
import type { StreamFormat } from '../endpoint.ts'
import { callPart, finishReasonOf, showsThoughts, signedParts, usageMetadata } from './answer-parts.ts'
import { errorFrame } from './errors.ts'
import { signatureOf } from './signatures.ts'
import { callersNames } from './tool-names.ts'

export const contentEvents: StreamFormat<ContentsRequest> = {
  isRequested: ({ stream }) => stream === true,
  open: (request, stamp) => new ContentEvents(request, stamp),
  error: errorFrame,
  // With the blank line: the official client takes what stands before data for a part of its event, and drops both.
  keepAlive: ': keep-alive\r\n\r\n',
}

interface OpenCall {
  id: string
  name: string
  written: string
}

/** One streamed answer: a provider's own events, or events made of parts. What ends it waits for `end`. */
class ContentEvents implements StreamWriter {
  readonly #stamp: Stamp
  readonly #showsThoughts: boolean
  readonly #callersName: (name: string) => string
  readonly #calls = new Map<number, OpenCall>()
  readonly #reasoning: ReasoningBlock[] = []
  #hasShownThought = false
  #finishReason: string | null = null
  /** The provider's last events. */
  readonly #held: Chunk[] = []
  #isNative = false

  constructor(request: ContentsRequest, stamp: Stamp) {
    this.#stamp = stamp
    this.#showsThoughts = showsThoughts(request)
    this.#callersName = callersNames(request)
  }

  write(part: StreamPart): string {
    switch (part.type) {
      case 'chunk':
        this.#isNative = true
        if (!part.isEnd) return frame(lineOf(part))
        this.#held.push(part)
        return ''
      case 'text-delta':
      case 'refusal-delta':
        return part.text === '' ? '' : this.#frameOf({ text: part.text })
      case 'reasoning-delta':
        return this.#think(part.text)
      case 'reasoning-end': {
        const { block } = part
        this.#reasoning.push(block)
        const isNew = block.type === 'thinking' && !this.#hasShownThought
        const shown = isNew ? this.#think(block.thinking) : ''
        this.#hasShownThought = false
        return shown
      }
      case 'tool-call-start':
        this.#calls.set(part.index, { id: part.id, name: this.#callersName(part.name), written: '' })
        return ''
      case 'tool-input-delta': {
        const call = this.#calls.get(part.index)
        if (call !== undefined) call.written += part.text
        return ''
      }
      case 'message-end':
        this.#finishReason = part.finishReason
        return ''
      case 'failed':
        return ''
    }
  }

  /** Calls go out whole, and so that no client acts on one before its row is durable. */
  end({ tokens, gateway }: StreamEnd): string {
    if (this.#isNative) return this.#heldFrames(gateway)
    const calls = [...this.#calls.values()].map(({ id, name, written }) => callPart(id, name, written))
    // Clients take an event without parts for a broken one.
    const parts = calls.length === 0 ? [{ text: '' }] : calls
    const signed = signedParts(parts, signatureOf(this.#reasoning, this.#stamp.sealing))
    const { model: modelVersion, id: responseId } = this.#stamp
    const content = { role: 'model', parts: signed }
    const candidate = { content, finishReason: finishReasonOf(this.#finishReason), index: 0 }
    const usage = usageMetadata(tokens)
    return frame(
      JSON.stringify({ candidates: [candidate], usageMetadata: usage, modelVersion, responseId, xGateway: gateway }),
    )
  }

  #heldFrames(gateway: JsonObject): string {
    const lines = this.#held.map(lineOf)
    const last = lines.pop() ?? '{}'
    const inside = last.slice(0, last.lastIndexOf('}')).trimEnd()
    const added = `"xGateway":${JSON.stringify(gateway)}}`
    lines.push(inside === '{' ? `{${added}` : `${inside},${added}`)
    return lines.map(frame).join('')
  }

  #think(text: string): string {
    if (!this.#showsThoughts || text === '') return ''
    this.#hasShownThought = true
    return this.#frameOf({ text, thought: true })
  }

  #frameOf(part: JsonObject): string {
    const { model: modelVersion, id: responseId } = this.#stamp
    const candidates = [{ content: { role: 'model', parts: [part] }, index: 0 }]
    return frame(JSON.stringify({ candidates, modelVersion, responseId }))
  }
}

/** A line break between two tokens would end the line of the frame. */
function lineOf({ json, value }: Chunk): string {
  return /[\r\n]/.test(json) ? JSON.stringify(value) : json
}

function frame(json: string): string {
  return `data: ${json}\r\n\r\n`
}
