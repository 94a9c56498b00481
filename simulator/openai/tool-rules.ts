import { isObject, type JsonObject, objectOrEmpty, objectsIn } from '../json.ts'
import type { OpenaiError } from './errors.ts'
import { missing, wrongType } from './field-rules.ts'

export const NAME = /^[a-zA-Z0-9_-]{1,64}$/

export function problemWithTools(body: JsonObject): OpenaiError | null {
  const tools = Array.isArray(body['tools']) ? body['tools'] : []
  for (const [index, tool] of tools.entries()) {
    const problem = problemWithTool(tool, `tools[${index}]`)
    if (problem) return problem
  }
  return problemWithChoice(body, tools.length)
}

function problemWithTool(tool: unknown, path: string): OpenaiError | null {
  if (!isObject(tool)) return wrongType(path, 'an object', tool)
  if (tool['type'] === undefined) return missing(`${path}.type`)
  if (tool['type'] === 'custom') return null
  if (tool['type'] !== 'function') {
    const message = `Invalid value: '${tool['type']}'. Supported values are: 'function' and 'custom'.`
    return { message, param: `${path}.type`, code: 'invalid_value' }
  }
  if (!isObject(tool['function'])) return missing(`${path}.function`)
  const { name, parameters, strict } = tool['function'] as { name?: unknown; parameters?: unknown; strict?: unknown }
  if (name === undefined) return missing(`${path}.function.name`)
  if (typeof name !== 'string' || !NAME.test(name)) return badName(`${path}.function.name`)
  if (parameters === undefined || parameters === null) return null
  if (!isObject(parameters)) return wrongType(`${path}.function.parameters`, 'an object', parameters)
  const subject = `function '${name}'`
  if (parameters['type'] !== undefined && parameters['type'] !== 'object') {
    return badSchema(
      subject,
      `schema must be a JSON Schema of 'type: "object"', got 'type: "${parameters['type']}"'.`,
      path,
    )
  }
  return strict === true ? problemWithStrict(parameters, subject, `${path}.function.parameters`) : null
}

function problemWithChoice(body: JsonObject, tools: number): OpenaiError | null {
  const choice = body['tool_choice'] ?? undefined
  for (const name of ['tool_choice', 'parallel_tool_calls']) {
    if (tools > 0 || body[name] === undefined || body[name] === null) continue
    return {
      message: `Invalid value for '${name}': '${name}' is only allowed when 'tools' are specified.`,
      param: name,
    }
  }
  if (typeof choice === 'string' && !['none', 'auto', 'required'].includes(choice)) {
    const message = `Invalid value: '${choice}'. Supported values are: 'none', 'auto', and 'required'.`
    return { message, param: 'tool_choice', code: 'invalid_value' }
  }
  const wanted = objectOrEmpty(objectOrEmpty(choice)['function'])['name']
  const declared = objectsIn(body['tools']).map((tool) => objectOrEmpty(tool['function'])['name'])
  if (wanted === undefined || declared.includes(wanted)) return null
  return { message: `Tool choice '${wanted}' not found in 'tools' parameter.`, param: 'tool_choice' }
}

export function problemWithFormat(body: JsonObject): OpenaiError | null {
  const format = body['response_format']
  if (!isObject(format)) return null
  switch (format['type']) {
    case 'text':
      return null
    case 'json_object':
      return /json/i.test(JSON.stringify(body['messages']))
        ? null
        : {
            message:
              "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
            param: 'messages',
          }
    case 'json_schema':
      return problemWithSchemaFormat(format['json_schema'])
    default: {
      const message = `Invalid value: '${format['type']}'. Supported values are: 'json_object', 'json_schema', and 'text'.`
      return { message, param: 'response_format.type', code: 'invalid_value' }
    }
  }
}

function problemWithSchemaFormat(value: unknown): OpenaiError | null {
  const path = 'response_format.json_schema'
  if (!isObject(value)) return missing(path)
  const { name, schema, strict } = value as { name?: unknown; schema?: unknown; strict?: unknown }
  if (name === undefined) return missing(`${path}.name`)
  if (typeof name !== 'string' || !NAME.test(name)) return badName(`${path}.name`)
  if (schema === undefined) return missing(`${path}.schema`)
  if (!isObject(schema)) return wrongType(`${path}.schema`, 'an object', schema)
  return strict === true ? problemWithStrict(schema, `response_format '${name}'`, 'response_format') : null
}

/** Strict schemas close every object and require every property. */
export function problemWithStrict(schema: unknown, subject: string, param: string): OpenaiError | null {
  if (Array.isArray(schema)) return firstStrict(schema, subject, param)
  if (!isObject(schema)) return null
  if (schema['type'] === 'object' || isObject(schema['properties'])) {
    if (schema['additionalProperties'] !== false) {
      return badSchema(
        subject,
        "In context=(), 'additionalProperties' is required to be supplied and to be false.",
        param,
      )
    }
    const required = Array.isArray(schema['required']) ? schema['required'] : []
    const open = Object.keys(objectOrEmpty(schema['properties'])).find((name) => !required.includes(name))
    if (open !== undefined) {
      return badSchema(
        subject,
        `In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing '${open}'.`,
        param,
      )
    }
  }
  const groups = ['properties', '$defs', 'definitions'].flatMap((key) => Object.values(objectOrEmpty(schema[key])))
  const children = [schema['items'], schema['anyOf'], ...groups]
  return firstStrict(children, subject, param)
}

function firstStrict(schemas: unknown[], subject: string, param: string): OpenaiError | null {
  for (const schema of schemas) {
    const problem = problemWithStrict(schema, subject, param)
    if (problem) return problem
  }
  return null
}

export function badSchema(subject: string, reason: string, param: string): OpenaiError {
  const code = subject.startsWith('function') ? 'invalid_function_parameters' : null
  return { message: `Invalid schema for ${subject}: ${reason}`, param, code }
}

export function badName(path: string): OpenaiError {
  const pattern = '^[a-zA-Z0-9_-]+$'
  return {
    message: `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '${pattern}'.`,
    param: path,
    code: 'invalid_value',
  }
}
