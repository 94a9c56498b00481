import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'

/** The response that the events of a stream add up to: the last event has it; of a stream that was cut, what was said. */
export function assembleResponse(events: readonly JsonObject[]): JsonObject {
  const last = events.findLast(({ response }) => isJsonObject(response))?.['response']
  const response = isJsonObject(last) ? last : {}
  if (Array.isArray(response['output']) && response['output'].length > 0) return response
  const output: JsonObject[] = []
  const texts = new Map<unknown, string>()
  for (const { type, output_index: index, item, delta } of events) {
    if (type === 'response.output_item.done' && isJsonObject(item)) output[Number(index)] = item
    if (type === 'response.output_text.delta') texts.set(index, (texts.get(index) ?? '') + String(delta))
  }
  for (const [index, text] of texts) {
    output[Number(index)] ??= { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }
  }
  return { ...response, output: output.filter(isJsonObject) }
}
