import type { PromptSource } from '../domain/prompt-cache/segments.ts'
import { isJsonObject, type JsonObject } from '../domain/request/call-request.ts'

/** What of a request of each format becomes its prompt. Values are those of the request, not copies. */
export function chatPrompt(request: JsonObject): PromptSource {
  const turns = listIn(request['messages'])
  const isInstruction = (turn: unknown) =>
    isJsonObject(turn) && (turn['role'] === 'system' || turn['role'] === 'developer')
  const first = turns.findIndex((turn) => !isInstruction(turn))
  const begin = first < 0 ? turns.length : first
  const { tool_choice, parallel_tool_calls, reasoning_effort, response_format, verbosity, thinking } = request
  return {
    tools: listIn(request['tools'] ?? request['functions']).map((tool) => named(tool, nameOfTool(tool))),
    system: turns.slice(0, begin),
    params: { tool_choice, parallel_tool_calls, reasoning_effort, response_format, verbosity, thinking },
    messages: turns.slice(begin),
  }
}

export function messagesPrompt(request: JsonObject): PromptSource {
  const { system, tool_choice, thinking, output_config, speed } = request
  return {
    tools: listIn(request['tools']).map((tool) => named(tool, nameOfTool(tool))),
    system: Array.isArray(system) ? system : asList(system),
    params: { tool_choice, thinking, output_config, speed },
    messages: listIn(request['messages']),
  }
}

/** Null: what was said before is at the provider. */
export function responsesPrompt(request: JsonObject): PromptSource | null {
  const { instructions, input, tool_choice, parallel_tool_calls, reasoning, text } = request
  if ((request['previous_response_id'] ?? request['conversation'] ?? null) !== null) return null
  return {
    tools: listIn(request['tools']).map((tool) => named(tool, nameOfTool(tool))),
    system: asList(instructions),
    params: { tool_choice, parallel_tool_calls, reasoning, text },
    messages: Array.isArray(input) ? input : asList(input),
  }
}

export function contentsPrompt(request: JsonObject): PromptSource {
  const system = request['systemInstruction'] ?? request['system_instruction']
  const toolConfig = request['toolConfig'] ?? request['tool_config']
  const tools = listIn(request['tools']).flatMap((tool) => {
    const declared = isJsonObject(tool) ? (tool['functionDeclarations'] ?? tool['function_declarations']) : null
    return Array.isArray(declared) ? declared : [tool]
  })
  return {
    tools: tools.map((tool) => named(tool, isJsonObject(tool) ? (tool['name'] ?? Object.keys(tool)[0]) : null)),
    system: isJsonObject(system) ? listIn(system['parts']) : asList(system),
    params: { toolConfig },
    messages: listIn(request['contents']),
  }
}

function named(definition: unknown, name: unknown) {
  return { name, definition }
}

/** A tool that the provider runs has only a type. */
function nameOfTool(tool: unknown): unknown {
  if (!isJsonObject(tool)) return null
  const { function: called, custom, name, type } = tool
  const own = isJsonObject(called) ? called : isJsonObject(custom) ? custom : null
  return own?.['name'] ?? name ?? type
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function asList(value: unknown): unknown[] {
  return value === undefined || value === null ? [] : [value]
}
