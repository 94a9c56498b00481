import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { mistake, refuse } from '../../../domain/request/rejection.ts'
import { quoted, requiredText } from './content-parts.ts'
import { declaredTools, placeholderTool, type Tool, usesFunctions } from './tools.ts'

/** `tools` and `tool_choice` of the Messages API; absent when there is nothing to send. */
export interface ToolFields {
  tools?: Tool[]
  tool_choice?: JsonObject
}

interface Choice {
  type: 'auto' | 'none' | 'any' | 'tool'
  name?: string
  /** Only these tools may be called. */
  allowed?: Set<string>
}

/** All tool fields together, because each depends on the others. */
export function toolFields(request: JsonObject, namesInHistory: ReadonlySet<string>): ToolFields {
  const declared = declaredTools(request)
  const choice = wantedChoice(request)
  if (declared.length === 0) return fieldsWithoutTools(choice, namesInHistory)
  const names = new Set(declared.map((tool) => tool.name))
  for (const name of choice?.allowed ?? (choice?.name === undefined ? [] : [choice.name])) {
    if (!names.has(name)) mistake(`${choiceField(request)}: no tool has the name ${quoted(name)}`)
  }
  const allowed = choice?.allowed
  const tools = allowed === undefined ? declared : declared.filter((tool) => allowed.has(tool.name))
  const toolChoice = wireChoice(choice, isSerial(request))
  return toolChoice === null ? { tools } : { tools, tool_choice: toolChoice }
}

/** Strict compatible servers reject a history that calls an undeclared tool. */
function fieldsWithoutTools(choice: Choice | null, namesInHistory: ReadonlySet<string>): ToolFields {
  if (choice !== null && choice.type !== 'auto' && choice.type !== 'none') {
    mistake('tool_choice: a tool is required, but the request has no tools')
  }
  if (choice?.allowed !== undefined) mistake('tool_choice: tools are allowed, but the request has no tools')
  if (namesInHistory.size === 0) return {}
  return { tools: [...namesInHistory].map(placeholderTool), tool_choice: { type: 'none' } }
}

function isSerial(request: JsonObject): boolean {
  return request['parallel_tool_calls'] === false || usesFunctions(request)
}

/** Models that cannot be forced report it themselves: `any` and `tool` are never weakened to `auto`. */
function wireChoice(choice: Choice | null, isSerialOnly: boolean): JsonObject | null {
  if (choice === null) return isSerialOnly ? { type: 'auto', disable_parallel_tool_use: true } : null
  const wire: JsonObject = { type: choice.type }
  if (choice.name !== undefined) wire['name'] = choice.name
  if (isSerialOnly && choice.type !== 'none') wire['disable_parallel_tool_use'] = true
  return wire
}

function choiceField(request: JsonObject): string {
  return (request['tool_choice'] ?? null) === null ? 'function_call' : 'tool_choice'
}

function wantedChoice(request: JsonObject): Choice | null {
  const choice = request['tool_choice'] ?? null
  if (choice !== null) return isJsonObject(choice) ? choiceOfObject(choice) : choiceOfWord(choice, 'tool_choice')
  const legacy = request['function_call'] ?? null
  if (legacy === null) return null
  if (!isJsonObject(legacy)) return choiceOfWord(legacy, 'function_call')
  return { type: 'tool', name: requiredText(legacy['name'], 'function_call.name') }
}

function choiceOfWord(word: unknown, field: string): Choice {
  if (word === 'auto' || word === 'none') return { type: word }
  if (word === 'required' && field === 'tool_choice') return { type: 'any' }
  return mistake(`${field}: ${quoted(word)} is not a choice`)
}

function choiceOfObject(choice: JsonObject): Choice {
  switch (choice['type']) {
    case 'function':
      return { type: 'tool', name: functionName(choice, 'tool_choice') }
    case 'allowed_tools':
      return choiceOfAllowed(choice['allowed_tools'])
    default:
      return refuse(`tool_choice.type: ${quoted(choice['type'])} is not supported by this provider`)
  }
}

function functionName(holder: JsonObject, path: string): string {
  const named = holder['function']
  if (!isJsonObject(named)) return mistake(`${path}.function: expected an object with a name`)
  return requiredText(named['name'], `${path}.function.name`)
}

function choiceOfAllowed(allowed: unknown): Choice {
  const path = 'tool_choice.allowed_tools'
  if (!isJsonObject(allowed)) return mistake(`${path}: expected an object`)
  const { mode, tools } = allowed
  if (mode !== 'auto' && mode !== 'required') return mistake(`${path}.mode: expected 'auto' or 'required'`)
  if (!Array.isArray(tools) || tools.length === 0) return mistake(`${path}.tools: expected at least one tool`)
  const names = tools.map((tool, index) => allowedName(tool, `${path}.tools[${index}]`))
  return { type: mode === 'auto' ? 'auto' : 'any', allowed: new Set(names) }
}

function allowedName(tool: unknown, path: string): string {
  if (!isJsonObject(tool)) return mistake(`${path}: expected an object`)
  const type = tool['type'] ?? 'function'
  if (type !== 'function') return refuse(`${path}.type: ${quoted(type)} tools are not supported by this provider`)
  return functionName(tool, path)
}
