import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { refuse } from '../../../domain/request/rejection.ts'
import { named, worded } from '../../../domain/wording/worded.ts'
import { thinkingTraits } from '../models.ts'
import type { Draft } from './draft.ts'
import type { ToolFields } from './tool-choice.ts'
import type { Tool } from './tools.ts'

/**
 * `json_object` asks for JSON without a schema, for which the API has no mode: the gateway adds a tool that takes any
 * object and must be called, and its input is the answer.
 */
const JSON_TOOL: Tool = {
  name: 'gateway_json_answer',
  description:
    'Gives your answer to the user, who expects it as JSON. The input of this tool is that JSON object itself, with ' +
    'the keys that the conversation asks for; nothing is wrapped around it.',
  input_schema: { type: 'object', additionalProperties: true },
}

const WANTED = worded`response_format.type: 'json_object' is a forced tool at this provider`

export function asksForJson(request: JsonObject): boolean {
  const format = request['response_format']
  return isJsonObject(format) && format['type'] === 'json_object'
}

export function isJsonAnswer(name: string | null | undefined): boolean {
  return name === JSON_TOOL.name
}

/** The tool fields with that tool added, and thinking turned off, because it forbids a forced tool. */
export function jsonModeFields({ tools = [], tool_choice: choice }: ToolFields, draft: Draft): JsonObject {
  if (tools.some(({ name }) => isJsonAnswer(name)))
    refuse(worded`${WANTED} of the name '${named(JSON_TOOL.name)}': rename your own`)
  return { ...thinkingOff(draft), tools: [...tools, JSON_TOOL], tool_choice: wireChoice(choice, tools.length > 0) }
}

/** Optional tools stay optional: the model calls one of them, or answers. */
function wireChoice(choice: JsonObject | undefined, hasTools: boolean): JsonObject {
  switch (choice?.['type'] ?? (hasTools ? 'auto' : 'none')) {
    case 'none':
      return { type: 'tool', name: JSON_TOOL.name, disable_parallel_tool_use: true }
    case 'auto':
      return { ...choice, type: 'any' }
    default:
      return refuse(worded`${WANTED}, and tool_choice demands another: send one of the two`)
  }
}

/** A thinking model cannot be forced. Models that think only on request need no setting. */
function thinkingOff({ body, target }: Draft): JsonObject {
  const { thinking } = thinkingTraits(target.model, target.traits)
  if (!thinking.includes('disabled')) {
    return refuse(worded`${WANTED}, which the thinking of this model forbids: send a json_schema`)
  }
  const asked = body['thinking']
  if (isJsonObject(asked) && asked['type'] !== 'disabled') {
    return refuse(worded`${WANTED}, which thinking forbids: leave out reasoning_effort, or send a json_schema`)
  }
  return thinking.includes('adaptive') ? { thinking: { type: 'disabled' } } : {}
}
