import { isJsonObject, type JsonObject } from '../domain/request/call-request.ts'
import { mistake, quoted, refuse, requiredText } from '../domain/request/rejection.ts'
import { worded } from '../domain/wording/worded.ts'

/** What a chat request says about the use of its tools. */
export interface ToolChoice {
  type: 'auto' | 'none' | 'any' | 'tool'
  name?: string
  /** Only these tools may be called. */
  allowed?: Set<string>
}

/** Of `tool_choice`, or of the older `function_call`; null: it says nothing. */
export function wantedChoice(request: JsonObject): ToolChoice | null {
  const choice = request['tool_choice'] ?? null
  if (choice !== null) return isJsonObject(choice) ? choiceOfObject(choice) : choiceOfWord(choice, 'tool_choice')
  const legacy = request['function_call'] ?? null
  if (legacy === null) return null
  if (!isJsonObject(legacy)) return choiceOfWord(legacy, 'function_call')
  return { type: 'tool', name: requiredText(legacy['name'], 'function_call.name') }
}

function choiceOfWord(word: unknown, field: string): ToolChoice {
  if (word === 'auto' || word === 'none') return { type: word }
  if (word === 'required' && field === 'tool_choice') return { type: 'any' }
  return mistake(worded`${field}: ${quoted(word)} is not a choice`)
}

function choiceOfObject(choice: JsonObject): ToolChoice {
  switch (choice['type']) {
    case 'function':
      return { type: 'tool', name: functionName(choice, 'tool_choice') }
    case 'allowed_tools':
      return choiceOfAllowed(choice['allowed_tools'])
    default:
      return refuse(worded`tool_choice.type: ${quoted(choice['type'])} is not supported by this provider`)
  }
}

function functionName(holder: JsonObject, path: string): string {
  const named = holder['function']
  if (!isJsonObject(named)) return mistake(worded`${path}.function: expected an object with a name`)
  return requiredText(named['name'], `${path}.function.name`)
}

function choiceOfAllowed(allowed: unknown): ToolChoice {
  const path = 'tool_choice.allowed_tools'
  if (!isJsonObject(allowed)) return mistake(worded`${path}: expected an object`)
  const { mode, tools } = allowed
  if (mode !== 'auto' && mode !== 'required') return mistake(worded`${path}.mode: expected 'auto' or 'required'`)
  if (!Array.isArray(tools) || tools.length === 0) return mistake(worded`${path}.tools: expected at least one tool`)
  const names = tools.map((tool, index) => allowedName(tool, `${path}.tools[${index}]`))
  return { type: mode === 'auto' ? 'auto' : 'any', allowed: new Set(names) }
}

function allowedName(tool: unknown, path: string): string {
  if (!isJsonObject(tool)) return mistake(worded`${path}: expected an object`)
  const type = tool['type'] ?? 'function'
  if (type !== 'function') return refuse(worded`${path}.type: ${quoted(type)} tools are not supported by this provider`)
  return functionName(tool, path)
}
