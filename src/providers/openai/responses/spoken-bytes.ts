import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'

/** UTF-8 bytes that an event adds to the answer. `hidden`: reasoning that only the provider can read. */
export interface SpokenBytes {
  visible: number
  hidden: number
}

const NOTHING: SpokenBytes = { visible: 0, hidden: 0 }
/** Items that carry no content until their first delta. */
const SILENT: ReadonlySet<unknown> = new Set(['message', 'reasoning'])

/** `said`: the items that have spoken in deltas; their end repeats it all. */
export function spokenBytes(type: unknown, value: JsonObject, said: Set<unknown>): SpokenBytes {
  if (typeof type !== 'string') return NOTHING
  const { delta, item, output_index: index } = value
  if (type.endsWith('.delta') || type.endsWith('.partial_image')) {
    const visible = bytesOf(delta ?? value['partial_image_b64'])
    if (visible > 0) said.add(index)
    return { visible, hidden: 0 }
  }
  if (!isJsonObject(item)) return NOTHING
  if (type === 'response.output_item.added') {
    // A call is content: clients show it, and a hosted one has its price.
    return SILENT.has(item['type']) ? NOTHING : { visible: Math.max(1, bytesOf(item['name'])), hidden: 0 }
  }
  if (type !== 'response.output_item.done') return NOTHING
  const hidden = bytesOf(item['encrypted_content'])
  return { visible: said.has(index) ? 0 : itemBytes(item), hidden }
}

/** Servers that send no deltas say everything at the end of an item. */
function itemBytes({ content, summary, arguments: written, input }: JsonObject): number {
  let bytes = bytesOf(written) + bytesOf(input)
  for (const parts of [content, summary]) {
    if (!Array.isArray(parts)) continue
    for (const part of parts) if (isJsonObject(part)) bytes += bytesOf(part['text']) + bytesOf(part['refusal'])
  }
  return bytes
}

function bytesOf(text: unknown): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : 0
}
