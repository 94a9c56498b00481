import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { MessagesRequest } from '../../../domain/request/messages.ts'
import { mistake, quoted, refuse, requiredText } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { chatName } from '../tool-names.ts'
import type { Notes } from './notes.ts'

/** Agents offer it by default: without it they still work. */
const SEARCH = /^web_search_/

export function toolFields(
  { tools, tool_choice: choice }: MessagesRequest,
  { ignored }: Pick<Notes, 'ignored'>,
): JsonObject {
  const functions: JsonObject[] = []
  const names = new Set<string>()
  const dropped = new Set<unknown>()
  for (const [index, tool] of (tools ?? []).entries()) {
    const path = `tools[${index}]`
    if (!isJsonObject(tool)) return mistake(worded`${path}: expected an object`)
    if (typeof tool['type'] === 'string' && SEARCH.test(tool['type'])) {
      dropped.add(tool['name'])
      ignored.add('tools.web_search')
      continue
    }
    functions.push({ type: 'function', function: functionOf(tool, path, names, ignored) })
  }
  const chosen = isJsonObject(choice) ? toolChoice(choice, names, dropped) : {}
  return functions.length === 0 ? {} : { tools: functions, ...chosen }
}

function functionOf(tool: JsonObject, path: string, names: Set<string>, ignored: Set<string>): JsonObject {
  const { type, name, description, input_schema: schema, strict, cache_control: marker } = tool
  if ((type ?? 'custom') !== 'custom') {
    return refuse(worded`${path}.type: ${quoted(type)} tools are not supported by this provider`)
  }
  const own = requiredText(name, `${path}.name`)
  if (own === '') mistake(worded`${path}.name: expected the name of the tool`)
  if (names.has(own)) mistake(worded`${path}.name: two tools have the name ${quoted(own)}`)
  names.add(own)
  if (!isJsonObject(schema)) return mistake(worded`${path}.input_schema: expected a JSON schema`)
  if ((marker ?? null) !== null) ignored.add('cache_control')
  const result: JsonObject = { name: chatName(own) }
  if ((description ?? null) !== null) result['description'] = requiredText(description, `${path}.description`)
  result['parameters'] = schema
  if (strict === true) result['strict'] = true
  return result
}

function toolChoice(choice: JsonObject, names: ReadonlySet<string>, dropped: ReadonlySet<unknown>): JsonObject {
  const parallel = choice['disable_parallel_tool_use'] === true ? { parallel_tool_calls: false } : {}
  return { ...chosenTool(choice, names, dropped), ...parallel }
}

function chosenTool({ type, name }: JsonObject, names: ReadonlySet<string>, dropped: ReadonlySet<unknown>): JsonObject {
  switch (type) {
    case 'auto':
    case 'none':
      return { tool_choice: type }
    case 'any':
      if (names.size === 0 && dropped.size > 0)
        refuse(worded`tool_choice: the web search is not supported by this provider`)
      return { tool_choice: 'required' }
    case 'tool': {
      const own = requiredText(name, 'tool_choice.name')
      if (dropped.has(own)) refuse(worded`tool_choice.name: ${quoted(own)} is not supported by this provider`)
      if (!names.has(own)) mistake(worded`tool_choice.name: no tool has the name ${quoted(own)}`)
      return { tool_choice: { type: 'function', function: { name: chatName(own) } } }
    }
    default:
      return mistake(worded`tool_choice.type: ${quoted(type)} is not a choice`)
  }
}
