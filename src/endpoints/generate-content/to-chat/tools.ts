import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { type ContentsRequest, fieldOf, objectField, textField } from '../../../domain/request/contents.ts'
import { mistake, quoted, refuse, requiredText } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { chatName } from '../../messages/tool-names.ts'
import { jsonSchema } from './schema.ts'

interface Declared {
  name: string
  tool: JsonObject
}

/** Agents offer it by default: without it they still work. */
const DROPPED = ['googleSearch', 'google_search']

export function toolFields(request: ContentsRequest, ignored: Set<string>): JsonObject {
  const declared: Declared[] = []
  for (const [at, tool] of (Array.isArray(request.tools) ? request.tools : []).entries()) {
    declared.push(...functionsOf(tool, `tools[${at}]`, ignored))
  }
  const seen = new Set<string>()
  for (const { name } of declared) {
    if (seen.has(name)) mistake(worded`tools: two functions have the name ${quoted(name)}`)
    seen.add(name)
  }
  const config = objectField(request, 'toolConfig')
  const calling = config === null ? null : objectField(config, 'functionCallingConfig')
  return declared.length === 0 ? {} : chosen(declared, calling)
}

function functionsOf(tool: unknown, path: string, ignored: Set<string>): Declared[] {
  if (!isJsonObject(tool)) return mistake(worded`${path}: expected an object`)
  const found: Declared[] = []
  for (const name in tool) {
    const value = tool[name]
    if (value === null || value === undefined) continue
    if (DROPPED.includes(name)) ignored.add('tools.googleSearch')
    else if (name !== 'functionDeclarations' && name !== 'function_declarations') {
      refuse(worded`${path}: the tool ${quoted(name)} is run by its provider and not supported by this one`)
    } else if (!Array.isArray(value)) mistake(worded`${path}.functionDeclarations: expected an array`)
    else for (const [at, each] of value.entries()) found.push(functionOf(each, `${path}.functionDeclarations[${at}]`))
  }
  return found
}

function functionOf(declared: unknown, path: string): Declared {
  if (!isJsonObject(declared)) return mistake(worded`${path}: expected an object`)
  const name = requiredText(declared['name'], `${path}.name`)
  if (name === '') mistake(worded`${path}.name: expected the name of the function`)
  const made: JsonObject = { name: chatName(name) }
  const description = textField(declared, 'description')
  if (description !== null) made['description'] = description
  const schema = fieldOf(declared, 'parametersJsonSchema') ?? fieldOf(declared, 'parameters') ?? null
  if (schema !== null && !isJsonObject(schema)) mistake(worded`${path}.parameters: expected a schema`)
  made['parameters'] = schema === null ? { type: 'object', properties: {} } : jsonSchema(schema)
  return { name, tool: { type: 'function', function: made } }
}

/** Chat can name one function that must be called; of several, only those are sent. */
function chosen(declared: readonly Declared[], calling: JsonObject | null): JsonObject {
  const named = calling === null ? null : fieldOf(calling, 'allowedFunctionNames')
  const names: readonly unknown[] = Array.isArray(named) ? named : []
  for (const name of names) {
    if (!declared.some((each) => each.name === name)) {
      mistake(worded`toolConfig.functionCallingConfig.allowedFunctionNames: no function has the name ${quoted(name)}`)
    }
  }
  const usable = names.length === 0 ? declared : declared.filter(({ name }) => names.includes(name))
  const tools = usable.map(({ tool }) => tool)
  const all = { tools: declared.map(({ tool }) => tool) }
  const mode = calling === null ? null : (calling['mode'] ?? null)
  switch (mode) {
    case null:
    case 'MODE_UNSPECIFIED':
      return all
    case 'AUTO':
      return { ...all, tool_choice: 'auto' }
    case 'VALIDATED':
      return { tools, tool_choice: 'auto' }
    case 'NONE':
      return { ...all, tool_choice: 'none' }
    case 'ANY': {
      const [only, ...others] = usable
      if (names.length === 0 || only === undefined || others.length > 0) return { tools, tool_choice: 'required' }
      return { ...all, tool_choice: { type: 'function', function: { name: chatName(only.name) } } }
    }
    default:
      return mistake(worded`toolConfig.functionCallingConfig.mode: ${quoted(mode)} is not a mode`)
  }
}
