import type { Answer } from '../../../domain/request/answer.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { Chunk, StreamPart } from '../../../domain/request/stream.ts'
import { spokenBytes } from './spoken-bytes.ts'

/** A whole response as the events of a stream, from a server that ignored `stream: true`. */
export function partsOf({ body, finishReason, warning }: Answer): StreamPart[] {
  const events = new Events()
  const begun = { ...body, status: 'in_progress', output: [], usage: null }
  events.add('response.created', { response: begun })
  events.add('response.in_progress', { response: begun })
  const output = Array.isArray(body['output']) ? body['output'] : []
  for (const [index, item] of output.entries()) if (isJsonObject(item)) addItem(events, item, index)
  events.add(body['status'] === 'incomplete' ? 'response.incomplete' : 'response.completed', { response: body }, true)
  return [...events.chunks, { type: 'message-end', finishReason: finishReason ?? 'stop', warning }]
}

class Events {
  readonly chunks: Chunk[] = []
  readonly #said = new Set<unknown>()

  add(type: string, fields: JsonObject, isEnd = false): void {
    const value: JsonObject = { type, sequence_number: this.chunks.length, ...fields }
    const { visible } = isEnd ? { visible: 0 } : spokenBytes(type, value, this.#said)
    this.chunks.push({ type: 'chunk', json: JSON.stringify(value), value, contentBytes: visible, isEnd })
  }
}

function addItem(events: Events, item: JsonObject, index: number): void {
  const { id, content } = item
  const at = { item_id: id, output_index: index }
  const isMessage = item['type'] === 'message'
  const started = isMessage ? { ...item, status: 'in_progress', content: [] } : item
  events.add('response.output_item.added', { output_index: index, item: started })
  if (isMessage && Array.isArray(content)) {
    for (const [place, part] of content.entries()) {
      if (isJsonObject(part)) addPart(events, part, { ...at, content_index: place })
    }
  }
  events.add('response.output_item.done', { output_index: index, item })
}

function addPart(events: Events, part: JsonObject, at: JsonObject): void {
  const isRefusal = part['type'] === 'refusal'
  const empty = isRefusal ? { ...part, refusal: '' } : { ...part, text: '' }
  events.add('response.content_part.added', { ...at, part: empty })
  if (isRefusal) {
    events.add('response.refusal.delta', { ...at, delta: part['refusal'] })
    events.add('response.refusal.done', { ...at, refusal: part['refusal'] })
  } else {
    events.add('response.output_text.delta', { ...at, delta: part['text'], logprobs: [] })
    events.add('response.output_text.done', { ...at, text: part['text'], logprobs: [] })
  }
  events.add('response.content_part.done', { ...at, part })
}
