import { z } from 'zod'
import { GatewayError } from '../errors.ts'
import { listOf } from '../list-of.ts'
import { problemOf } from '../problem-text.ts'
import { type Worded, worded } from '../wording/worded.ts'
import { isJsonObject, type JsonObject } from './call-request.ts'
import { boolean, either, fieldSchemas, hasFields, list, number, object, text, typed } from './chat-shape.ts'
import { misplacedTrigger } from './compaction.ts'

/**
 * The request of the Responses API, as far as the gateway must understand it before it knows the provider. As for chat,
 * ranges are not checked: the provider judges values.
 */
const FIELDS = {
  instructions: text,
  temperature: number,
  top_p: number,
  top_logprobs: number,
  max_output_tokens: number,
  max_tool_calls: number,
  stream: boolean,
  store: boolean,
  background: boolean,
  parallel_tool_calls: boolean,
  previous_response_id: text,
  conversation: either(text, object, 'expected a string or an object'),
  prompt: object,
  user: text,
  safety_identifier: text,
  service_tier: text,
  truncation: text,
  tools: list(typed),
  tool_choice: either(text, typed, 'expected a string or an object with a type'),
  text: object,
  reasoning: object,
  include: list(text),
  metadata: object,
  stream_options: object,
}

const content = either(text, list(typed), 'expected a string or an array of parts with a type')

/** An item is a message, or says what it is. */
const item = z
  .looseObject({ type: z.string().nullish(), role: z.string().nullish(), content: z.unknown().optional() })
  .superRefine((value, context) => {
    if (!isMessageItem(value)) {
      if (typeof value.type === 'string') return
      context.addIssue({ code: 'custom', path: ['type'], message: 'an item needs a type, or a role and content' })
    } else if (typeof value.role !== 'string') {
      context.addIssue({ code: 'custom', path: ['role'], message: 'is missing; expected a string' })
    } else if (!content.is(value.content)) {
      const message = 'expected a string or an array of parts with a type'
      context.addIssue({ code: 'custom', path: ['content'], message })
    }
  })

export const ResponsesRequestSchema = z
  .looseObject({
    model: z.string().min(1),
    input: z.union([z.string(), listOf(item)], 'expected a string or an array of items').nullish(),
    ...fieldSchemas(FIELDS),
  })
  .superRefine((request, context) => {
    if (hasInput(request)) return
    context.addIssue({ code: 'custom', path: ['input'], message: 'is missing; expected a string or an array of items' })
  })

export type ResponsesRequest = z.infer<typeof ResponsesRequestSchema>

/** Items without a type are messages. */
export function isMessageItem({ type, role }: JsonObject): boolean {
  return type === 'message' || ((type ?? null) === null && (role ?? null) !== null)
}

/** What the provider keeps may take the place of an input. */
function hasInput({ input, previous_response_id: previous, conversation, prompt }: JsonObject): boolean {
  return (input ?? previous ?? conversation ?? prompt ?? null) !== null
}

/** Checks the shape and returns the caller's own object, as `readChatRequest` does. */
export function readResponsesRequest(value: unknown, allowsStream = false): ResponsesRequest {
  if (!isJsonObject(value)) throw new GatewayError('invalid_request', worded`The body must be a JSON object.`)
  if (value['stream'] === true && !allowsStream) throw new GatewayError('not_implemented')
  if (!isUsual(value)) {
    const parsed = ResponsesRequestSchema.safeParse(value)
    if (!parsed.success) throw new GatewayError('invalid_request', inputProblem(value) ?? problemOf(parsed.error))
  }
  const at = misplacedTrigger(value['input'])
  if (at >= 0) {
    throw new GatewayError(
      'invalid_request',
      worded`input[${at}]: a compaction_trigger is the last item, and the only one`,
    )
  }
  return value as ResponsesRequest
}

const CHECKED = new Map(Object.entries(FIELDS))

/** Accepts common requests quickly; all others go to the schema. */
export function isUsual(request: JsonObject): boolean {
  const { model, input } = request
  if (typeof model !== 'string' || model === '' || !hasInput(request) || !hasFields(request, CHECKED)) return false
  return (input ?? null) === null || typeof input === 'string' || (Array.isArray(input) && input.every(isUsualItem))
}

function isUsualItem(value: unknown): boolean {
  if (!isJsonObject(value)) return false
  const { type, role } = value
  if (isMessageItem(value)) return typeof role === 'string' && content.is(value['content'])
  return typeof type === 'string' && (role === undefined || role === null || typeof role === 'string')
}

/** A union says only that nothing fits: where a list was sent, its first bad item says more. */
function inputProblem({ input }: JsonObject): Worded | null {
  if (!Array.isArray(input)) return null
  const parsed = z.object({ input: listOf(item) }).safeParse({ input })
  return parsed.success ? null : problemOf(parsed.error)
}
