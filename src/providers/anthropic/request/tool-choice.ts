import type { JsonObject } from '../../../domain/request/call-request.ts'
import { mistake } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { usesFunctions } from '../../declared-functions.ts'
import { type ToolChoice, wantedChoice } from '../../tool-choice.ts'
import { quoted } from './content-parts.ts'
import { declaredTools, placeholderTool, type Tool } from './tools.ts'

/** `tools` and `tool_choice` of the Messages API; absent when there is nothing to send. */
export interface ToolFields {
  tools?: Tool[]
  tool_choice?: JsonObject
}

/** All tool fields together, because each depends on the others. */
export function toolFields(request: JsonObject, namesInHistory: ReadonlySet<string>): ToolFields {
  const declared = declaredTools(request)
  const choice = wantedChoice(request)
  if (declared.length === 0) return fieldsWithoutTools(choice, namesInHistory)
  const names = new Set(declared.map((tool) => tool.name))
  for (const name of choice?.allowed ?? (choice?.name === undefined ? [] : [choice.name])) {
    if (!names.has(name)) mistake(worded`${choiceField(request)}: no tool has the name ${quoted(name)}`)
  }
  const allowed = choice?.allowed
  const tools = allowed === undefined ? declared : declared.filter((tool) => allowed.has(tool.name))
  const toolChoice = wireChoice(choice, isSerial(request))
  return toolChoice === null ? { tools } : { tools, tool_choice: toolChoice }
}

/** Strict compatible servers reject a history that calls an undeclared tool. */
function fieldsWithoutTools(choice: ToolChoice | null, namesInHistory: ReadonlySet<string>): ToolFields {
  if (choice !== null && choice.type !== 'auto' && choice.type !== 'none') {
    mistake(worded`tool_choice: a tool is required, but the request has no tools`)
  }
  if (choice?.allowed !== undefined) mistake(worded`tool_choice: tools are allowed, but the request has no tools`)
  if (namesInHistory.size === 0) return {}
  return { tools: [...namesInHistory].map(placeholderTool), tool_choice: { type: 'none' } }
}

function isSerial(request: JsonObject): boolean {
  return request['parallel_tool_calls'] === false || usesFunctions(request)
}

/** Models that cannot be forced report it themselves: `any` and `tool` are never weakened to `auto`. */
function wireChoice(choice: ToolChoice | null, isSerialOnly: boolean): JsonObject | null {
  if (choice === null) return isSerialOnly ? { type: 'auto', disable_parallel_tool_use: true } : null
  const wire: JsonObject = { type: choice.type }
  if (choice.name !== undefined) wire['name'] = choice.name
  if (isSerialOnly && choice.type !== 'none') wire['disable_parallel_tool_use'] = true
  return wire
}

function choiceField(request: JsonObject): string {
  return (request['tool_choice'] ?? null) === null ? 'function_call' : 'tool_choice'
}
