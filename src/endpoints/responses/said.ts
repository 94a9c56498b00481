import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { objectsIn } from '../join-deltas.ts'
import { type Said, type SaidFormat, type SaidInEvent, saidAt } from '../said.ts'

/** What the events of a text are called, and where the last of them has all of it. */
const TEXTS: Readonly<Record<string, { field: string; isJson?: true }>> = {
  'response.output_text': { field: 'text' },
  'response.refusal': { field: 'refusal' },
  'response.function_call_arguments': { field: 'arguments', isJson: true },
  'response.mcp_call_arguments': { field: 'arguments', isJson: true },
  'response.custom_tool_call_input': { field: 'input' },
}

export const saidInResponse: SaidFormat = {
  whole: ({ output }) => objectsIn(output).flatMap(saidByItem),
  event(event): SaidInEvent {
    const { type, output_index: index, content_index: place = '', item, part, response } = event
    const [, name = '', moment] = /^(.*)\.(\w+)$/.exec(String(type)) ?? []
    const text = TEXTS[name]
    const of = `${index} ${place} `
    if (text !== undefined && moment === 'delta') {
      const { logprobs: _, ...rest } = event
      const alone = (delta: string) => ({ ...rest, delta })
      return { said: saidAt(event, 'delta', { ...(text.isJson && { isJson: true }), of, alone }), ends: [] }
    }
    if (text !== undefined) return { said: saidAt(event, text.field, text.isJson && { isJson: true }), ends: [of] }
    if (isJsonObject(part)) return { said: saidByPart(part), ends: moment === 'done' ? [of] : [] }
    if (isJsonObject(item)) return { said: saidByItem(item), ends: moment === 'done' ? [`${index} `] : [] }
    if (isJsonObject(response)) return { said: saidInResponse.whole(response), ends: [''] }
    return { said: [], ends: [] }
  },
}

function saidByItem(item: JsonObject): Said[] {
  switch (item['type']) {
    case 'message':
      return objectsIn(item['content']).flatMap(saidByPart)
    case 'function_call':
    case 'mcp_call':
      return saidAt(item, 'arguments', { isJson: true })
    case 'custom_tool_call':
      return saidAt(item, 'input')
    default:
      return []
  }
}

function saidByPart(part: JsonObject): Said[] {
  return part['type'] === 'output_text' ? saidAt(part, 'text') : saidAt(part, 'refusal')
}
