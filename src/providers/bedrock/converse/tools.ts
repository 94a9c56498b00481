import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'

/** Tools of the Messages API as a `toolConfig`. */
export interface ConverseTools {
  toolConfig?: JsonObject
  /** There is no such choice, and the history needs its tools: the model may call one. */
  isChoiceIgnored: boolean
}

export function converseTools({ tools, tool_choice: choice }: JsonObject, hasToolHistory: boolean): ConverseTools {
  if (!Array.isArray(tools) || tools.length === 0) return { isChoiceIgnored: false }
  const type = isJsonObject(choice) ? choice['type'] : undefined
  const isNone = type === 'none'
  if (isNone && !hasToolHistory) return { isChoiceIgnored: false }
  const toolConfig: JsonObject = { tools: tools.filter(isJsonObject).map(toolSpec) }
  if (isJsonObject(choice) && !isNone) toolConfig['toolChoice'] = toolChoice(choice)
  return { toolConfig, isChoiceIgnored: isNone }
}

function toolSpec({ name, description, input_schema: schema, strict }: JsonObject): JsonObject {
  const described = typeof description === 'string' && description !== '' ? { description } : {}
  return { toolSpec: { name, ...described, inputSchema: { json: schema }, ...(strict === true ? { strict } : {}) } }
}

function toolChoice({ type, name }: JsonObject): JsonObject {
  if (type === 'tool') return { tool: { name } }
  return type === 'any' ? { any: {} } : { auto: {} }
}
