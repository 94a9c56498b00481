import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { mistake, refuse } from '../../../domain/request/rejection.ts'
import { quoted, requiredText } from './content-parts.ts'
import { withDefs } from './schema-references.ts'

/** A tool declaration of the Messages API. */
export interface Tool extends JsonObject {
  name: string
}

/** The tools of `tools` or of the deprecated `functions`, in the caller's order. */
export function declaredTools(request: JsonObject): Tool[] {
  const tools = listAt(request, 'tools')
  const functions = listAt(request, 'functions')
  if (tools.length > 0 && functions.length > 0) {
    return refuse('functions: functions beside tools are not supported by this provider')
  }
  const declared =
    functions.length > 0
      ? functions.map((definition, index) => toolOf(definition, `functions[${index}]`))
      : tools.map((tool, index) => functionTool(tool, `tools[${index}]`))
  return withoutDuplicates(declared)
}

/** `functions` are answered in their own format (`message.function_call`). */
export function usesFunctions(request: JsonObject): boolean {
  const functions = request['functions']
  return Array.isArray(functions) && functions.length > 0
}

function listAt(request: JsonObject, field: string): unknown[] {
  const value = request[field] ?? []
  return Array.isArray(value) ? value : mistake(`${field}: expected an array`)
}

function functionTool(tool: unknown, path: string): Tool {
  if (!isJsonObject(tool)) return mistake(`${path}: expected an object`)
  const type = tool['type'] ?? 'function'
  if (type !== 'function') return refuse(`${path}.type: ${quoted(type)} tools are not supported by this provider`)
  return toolOf(tool['function'], `${path}.function`)
}

function toolOf(definition: unknown, path: string): Tool {
  if (!isJsonObject(definition)) return mistake(`${path}: expected an object with a name`)
  const tool: Tool = { name: requiredText(definition['name'], `${path}.name`) }
  const description = definition['description'] ?? null
  if (description !== null) tool['description'] = requiredText(description, `${path}.description`)
  tool['input_schema'] = inputSchema(definition['parameters'], `${path}.parameters`)
  if (definition['strict'] === true) tool['strict'] = true
  return tool
}

function inputSchema(parameters: unknown, path: string): JsonObject {
  if (parameters === null || parameters === undefined) return emptySchema()
  if (!isJsonObject(parameters)) return mistake(`${path}: expected a JSON schema`)
  if (Object.keys(parameters).length === 0) return emptySchema()
  const schema = withDefs(parameters)
  if ((schema['type'] ?? null) !== null) return schema
  return 'type' in schema ? { ...schema, type: 'object' } : { type: 'object', ...schema }
}

function emptySchema(): JsonObject {
  return { type: 'object', properties: {} }
}

function withoutDuplicates(tools: Tool[]): Tool[] {
  const names = new Set<string>()
  for (const { name } of tools) {
    if (names.has(name)) mistake(`tools: two tools have the name ${quoted(name)}`)
    names.add(name)
  }
  return tools
}

/** Declares a tool that the history calls but the request no longer declares. */
export function placeholderTool(name: string): Tool {
  return { name, input_schema: emptySchema() }
}
