import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { joinText } from '../join-deltas.ts'

/** Which field of a block the text of a delta belongs to. */
const DELTA_FIELDS = { text: 'text', thinking: 'thinking', signature: 'signature', partial_json: 'input' } as const

/** The message that the events of a stream add up to. The input of a tool is a text, as it came. */
export function assembleMessage(events: readonly JsonObject[]): JsonObject {
  const blocks: JsonObject[] = []
  let message: JsonObject = {}
  for (const { type, message: begun, index, content_block: block, delta, usage, error } of events) {
    if (type === 'message_start' && isJsonObject(begun)) message = { ...begun }
    else if (type === 'content_block_start' && isJsonObject(block)) blocks[Number(index)] = begin(block)
    else if (type === 'content_block_delta' && isJsonObject(delta)) add(blocks[Number(index)], delta)
    else if (type === 'message_delta' && isJsonObject(delta)) Object.assign(message, delta, usage && { usage })
    else if (type === 'error') message['error'] = error
  }
  return { ...message, content: blocks.filter(isJsonObject) }
}

/** Its input, empty here, follows in pieces. */
function begin(block: JsonObject): JsonObject {
  return 'input' in block ? { ...block, input: '' } : { ...block }
}

function add(block: JsonObject | undefined, delta: JsonObject): void {
  if (block === undefined) return
  for (const [from, to] of Object.entries(DELTA_FIELDS)) {
    if (typeof delta[from] === 'string') block[to] = joinText(block[to], delta[from])
  }
}
