import { isObject, type JsonObject, objectOrEmpty, objectsIn } from '../../json.ts'
import type { OpenaiError } from '../errors.ts'
import { missing, wrongType } from '../field-rules.ts'
import { badName, badSchema, NAME, problemWithStrict } from '../tool-rules.ts'
import { invalidValue } from './field-rules.ts'

const HOSTED_TOOLS = [
  ...['apply_patch', 'code_interpreter', 'computer', 'computer_use_preview', 'file_search', 'image_generation'],
  ...['local_shell', 'mcp', 'programmatic_tool_calling', 'shell', 'tool_search', 'web_search', 'web_search_2025_08_26'],
  ...['web_search_preview', 'web_search_preview_2025_03_11'],
]
const TOOL_TYPES = ['function', 'custom', 'namespace', ...HOSTED_TOOLS]
const FORMATS = ['text', 'json_object', 'json_schema']

export function problemWithTools(body: JsonObject): OpenaiError | null {
  return problemWithList(body['tools'], 'tools') ?? problemWithChoice(body)
}

function problemWithList(tools: unknown, path: string): OpenaiError | null {
  for (const [index, tool] of (Array.isArray(tools) ? tools : []).entries()) {
    const problem = problemWithTool(tool, `${path}[${index}]`)
    if (problem) return problem
  }
  return null
}

function problemWithTool(tool: unknown, path: string): OpenaiError | null {
  if (!isObject(tool)) return wrongType(path, 'an object', tool)
  const { type, name, tools } = tool
  if (type === undefined) return missing(`${path}.type`)
  if (!TOOL_TYPES.includes(String(type))) return invalidValue(`${path}.type`, type, TOOL_TYPES)
  if (HOSTED_TOOLS.includes(String(type))) return null
  if (name === undefined) return missing(`${path}.name`)
  if (typeof name !== 'string' || !NAME.test(name)) return badName(`${path}.name`)
  if (type === 'namespace') return problemWithList(tools, `${path}.tools`)
  return type === 'custom' ? problemWithCustom(tool, path) : problemWithFunction(tool, path, name)
}

function problemWithCustom({ format }: JsonObject, path: string): OpenaiError | null {
  if (format === undefined || format === null) return null
  const { type, syntax, definition } = objectOrEmpty(format)
  if (type === 'text') return null
  if (type !== 'grammar') return invalidValue(`${path}.format.type`, type, ['text', 'grammar'])
  if (syntax !== 'lark' && syntax !== 'regex') return invalidValue(`${path}.format.syntax`, syntax, ['lark', 'regex'])
  return typeof definition === 'string' ? null : missing(`${path}.format.definition`)
}

function problemWithFunction(tool: JsonObject, path: string, name: string): OpenaiError | null {
  const { parameters, strict } = tool
  if (parameters === undefined || parameters === null) return null
  if (!isObject(parameters)) return wrongType(`${path}.parameters`, 'an object', parameters)
  const subject = `function '${name}'`
  if (parameters['type'] !== undefined && parameters['type'] !== 'object') {
    const reason = `schema must be a JSON Schema of 'type: "object"', got 'type: "${parameters['type']}"'.`
    return badSchema(subject, reason, `${path}.parameters`)
  }
  return strict === true ? problemWithStrict(parameters, subject, `${path}.parameters`) : null
}

function problemWithChoice(body: JsonObject): OpenaiError | null {
  const choice = body['tool_choice']
  if (choice === undefined || choice === null) return null
  if (typeof choice === 'string') {
    if (!['none', 'auto', 'required'].includes(choice)) {
      return invalidValue('tool_choice', choice, ['none', 'auto', 'required'])
    }
    const isIdle = choice === 'required' && objectsIn(body['tools']).length === 0
    return isIdle
      ? { message: "Tool choice 'required' must be specified with 'tools' parameter.", param: 'tool_choice' }
      : null
  }
  const { type, name } = objectOrEmpty(choice)
  if (type === undefined) return missing('tool_choice.type')
  if (type !== 'function' && type !== 'custom') return null
  if (name === undefined) return missing('tool_choice.name')
  const isDeclared = objectsIn(body['tools']).some((tool) => tool['type'] === type && tool['name'] === name)
  return isDeclared ? null : { message: `Tool choice '${type}' not found in 'tools' parameter.`, param: 'tool_choice' }
}

export function problemWithTextFormat(body: JsonObject): OpenaiError | null {
  const { format } = objectOrEmpty(body['text'])
  if (!isObject(format)) return null
  const { type, name, schema, strict } = format
  if (!FORMATS.includes(String(type))) return invalidValue('text.format.type', type, FORMATS)
  if (type === 'json_object' && !/json/i.test(JSON.stringify([body['input'], body['instructions']]))) {
    const message =
      "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'."
    return { message, param: 'input' }
  }
  if (type !== 'json_schema') return null
  if (name === undefined) return missing('text.format.name')
  if (typeof name !== 'string' || !NAME.test(name)) return badName('text.format.name')
  if (schema === undefined) return missing('text.format.schema')
  if (!isObject(schema)) return wrongType('text.format.schema', 'an object', schema)
  return strict === true ? problemWithStrict(schema, `response_format '${name}'`, 'text.format.schema') : null
}
