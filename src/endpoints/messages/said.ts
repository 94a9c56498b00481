import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { objectsIn } from '../join-deltas.ts'
import { type Said, type SaidFormat, type SaidInEvent, saidAt, saidWithin } from '../said.ts'

export const saidInMessage: SaidFormat = {
  whole: ({ content }) =>
    objectsIn(content).flatMap((block) => [...saidAt(block, 'text'), ...saidWithin(block['input'])]),
  event(event): SaidInEvent {
    const { type, index, delta, content_block: block } = event
    if (type === 'content_block_start' && isJsonObject(block)) return { said: saidWithin(block['input']), ends: [] }
    if (type === 'content_block_delta' && isJsonObject(delta)) {
      return { said: [...piece(event, delta, 'text'), ...piece(event, delta, 'partial_json')], ends: [] }
    }
    return { said: [], ends: type === 'content_block_stop' ? [`${index} `] : type === 'message_stop' ? [''] : [] }
  },
}

function piece(event: JsonObject, delta: JsonObject, field: 'text' | 'partial_json'): Said[] {
  const alone = (text: string) => ({ ...event, delta: { ...delta, [field]: text } })
  return saidAt(delta, field, { ...(field === 'partial_json' && { isJson: true }), of: `${event['index']} `, alone })
}
