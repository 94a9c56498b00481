import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import type { Assembly } from '../assembly.ts'
import { joinText } from '../join-deltas.ts'

/** Of an item that is not done: the list of its parts, which of them, its type, and the field of its text. */
const PARTS: Readonly<Record<string, readonly [list: string, index: string, type: string, field: string]>> = {
  'response.output_text.delta': ['content', 'content_index', 'output_text', 'text'],
  'response.refusal.delta': ['content', 'content_index', 'refusal', 'refusal'],
  'response.reasoning_text.delta': ['content', 'content_index', 'reasoning_text', 'text'],
  'response.reasoning_summary_text.delta': ['summary', 'summary_index', 'summary_text', 'text'],
}

const INPUTS: Readonly<Record<string, string>> = {
  'response.function_call_arguments.delta': 'arguments',
  'response.custom_tool_call_input.delta': 'input',
}

interface Item {
  fields: JsonObject
  parts: Map<string, { list: string; part: JsonObject }>
}

/** The response that the events of a stream add up to: the last event has it; of a stream that was cut, what was said. */
export function assembleResponse(mostText?: number): Assembly {
  const items = new Map<unknown, Item>()
  let response: JsonObject = {}
  return {
    add(event) {
      const { type, output_index: index, item } = event
      if (isJsonObject(event['response'])) response = event['response']
      if (typeof type !== 'string' || index === undefined) return
      const known = items.get(index)
      if (isJsonObject(item)) items.set(index, { fields: { ...item }, parts: new Map() })
      else if (known !== undefined) addDelta(known, type, event, mostText)
      else if (type === 'response.output_text.delta') {
        const message = { fields: { type: 'message', role: 'assistant' }, parts: new Map() }
        items.set(index, message)
        addDelta(message, type, event, mostText)
      }
    },
    answer() {
      if (Array.isArray(response['output']) && response['output'].length > 0) return response
      return { ...response, output: [...items.values()].map(written) }
    },
  }
}

function addDelta({ fields, parts }: Item, type: string, event: JsonObject, most: number | undefined): void {
  const input = INPUTS[type]
  if (input !== undefined) fields[input] = joinText(fields[input], event['delta'], most)
  const [list, index, kind, field] = PARTS[type] ?? []
  if (list === undefined || index === undefined || field === undefined) return
  const name = `${list} ${String(event[index])}`
  const part: JsonObject = parts.get(name)?.part ?? { type: kind }
  part[field] = joinText(part[field], event['delta'], most)
  parts.set(name, { list, part })
}

function written({ fields, parts }: Item): JsonObject {
  if (parts.size === 0) return fields
  const item: Record<string, unknown> = { ...fields }
  for (const list of new Set([...parts.values()].map((each) => each.list))) {
    item[list] = [...parts.values()].flatMap((each) => (each.list === list ? [each.part] : []))
  }
  return item
}
