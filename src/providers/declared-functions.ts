import { isJsonObject, type JsonObject } from '../domain/request/call-request.ts'
import { mistake, quoted, refuse, requiredText } from '../domain/request/rejection.ts'
import { worded } from '../domain/wording/worded.ts'

/** A function that a chat request declares. */
export interface DeclaredFunction {
  name: string
  description: string | null
  /** As sent: a JSON schema, or missing. */
  parameters: unknown
  isStrict: boolean
  /** For messages about it. */
  path: string
}

/** Those of `tools` or of the deprecated `functions`, in the caller's order. */
export function declaredFunctions(request: JsonObject): DeclaredFunction[] {
  const tools = listAt(request, 'tools')
  const functions = listAt(request, 'functions')
  if (tools.length > 0 && functions.length > 0) {
    return refuse(worded`functions: functions beside tools are not supported by this provider`)
  }
  const declared =
    functions.length > 0
      ? functions.map((definition, index) => declaredFunction(definition, `functions[${index}]`))
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
  return Array.isArray(value) ? value : mistake(worded`${field}: expected an array`)
}

function functionTool(tool: unknown, path: string): DeclaredFunction {
  if (!isJsonObject(tool)) return mistake(worded`${path}: expected an object`)
  const type = tool['type'] ?? 'function'
  if (type !== 'function') return refuse(worded`${path}.type: ${quoted(type)} tools are not supported by this provider`)
  return declaredFunction(tool['function'], `${path}.function`)
}

function declaredFunction(definition: unknown, path: string): DeclaredFunction {
  if (!isJsonObject(definition)) return mistake(worded`${path}: expected an object with a name`)
  const { parameters, strict } = definition
  const name = requiredText(definition['name'], `${path}.name`)
  const described = definition['description'] ?? null
  const description = described === null ? null : requiredText(described, `${path}.description`)
  return { name, description, parameters, isStrict: strict === true, path }
}

function withoutDuplicates(declared: DeclaredFunction[]): DeclaredFunction[] {
  const names = new Set<string>()
  for (const { name } of declared) {
    if (names.has(name)) mistake(worded`tools: two tools have the name ${quoted(name)}`)
    names.add(name)
  }
  return declared
}
