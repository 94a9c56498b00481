import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import type { Assembly } from '../assembly.ts'
import { joinText } from '../join-deltas.ts'

/** Which field of a block the text of a delta belongs to. */
const DELTA_FIELDS = { text: 'text', thinking: 'thinking', signature: 'signature', partial_json: 'input' } as const

/** The message that the events of a stream add up to. The input of a tool is a text, as it came. */
export function assembleMessage(mostText?: number): Assembly {
  const blocks = new Map<unknown, JsonObject>()
  let message: JsonObject = {}
  return {
    add({ type, message: begun, index, content_block: block, delta, usage, error }) {
      if (type === 'message_start' && isJsonObject(begun)) message = { ...begun }
      else if (type === 'content_block_start' && isJsonObject(block)) blocks.set(index, begin(block))
      else if (type === 'content_block_delta' && isJsonObject(delta)) addTo(blocks.get(index), delta, mostText)
      else if (type === 'message_delta' && isJsonObject(delta)) Object.assign(message, delta, usage && { usage })
      else if (type === 'error') message['error'] = error
    },
    answer: () => ({ ...message, content: [...blocks.values()] }),
  }
}

/** Its input, empty here, follows in pieces. */
function begin(block: JsonObject): JsonObject {
  return 'input' in block ? { ...block, input: '' } : { ...block }
}

function addTo(block: JsonObject | undefined, delta: JsonObject, most: number | undefined): void {
  if (block === undefined) return
  for (const [from, to] of Object.entries(DELTA_FIELDS)) {
    if (typeof delta[from] === 'string') block[to] = joinText(block[to], delta[from], most)
  }
}
