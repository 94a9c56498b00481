import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { mistake } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { type DeclaredFunction, declaredFunctions } from '../../declared-functions.ts'
import { withDefs } from './schema-references.ts'

/** A tool declaration of the Messages API. */
export interface Tool extends JsonObject {
  name: string
}

export function declaredTools(request: JsonObject): Tool[] {
  return declaredFunctions(request).map(toolOf)
}

function toolOf({ name, description, parameters, isStrict, path }: DeclaredFunction): Tool {
  const tool: Tool = { name }
  if (description !== null) tool['description'] = description
  tool['input_schema'] = inputSchema(parameters, `${path}.parameters`)
  if (isStrict) tool['strict'] = true
  return tool
}

function inputSchema(parameters: unknown, path: string): JsonObject {
  if (parameters === null || parameters === undefined) return emptySchema()
  if (!isJsonObject(parameters)) return mistake(worded`${path}: expected a JSON schema`)
  if (Object.keys(parameters).length === 0) return emptySchema()
  const schema = withDefs(parameters)
  if ((schema['type'] ?? null) !== null) return schema
  return 'type' in schema ? { ...schema, type: 'object' } : { type: 'object', ...schema }
}

function emptySchema(): JsonObject {
  return { type: 'object', properties: {} }
}

/** Declares a tool that the history calls but the request no longer declares. */
export function placeholderTool(name: string): Tool {
  return { name, input_schema: emptySchema() }
}
