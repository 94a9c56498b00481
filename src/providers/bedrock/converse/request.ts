import type { Adjustment } from '../../../domain/request/adjustment.ts'
import { largestLimit } from '../../../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { ChatRequest } from '../../../domain/request/chat.ts'
import { limitToSend, NO_BOUNDS } from '../../../domain/request/output-limit.ts'
import { Rejection } from '../../../domain/request/rejection.ts'
import { toWire as toMessages } from '../../anthropic/request/request.ts'
import type { Target, Translation } from '../../family.ts'
import { settingsOf } from '../settings.ts'
import { converseBlocks, DocumentNames, withText } from './blocks.ts'
import { effortFields } from './effort.ts'
import { askedTier, mostPercent } from './tiers.ts'
import { converseTools } from './tools.ts'

/**
 * The caller's request for Converse, which is the Messages API in other words: turns, tools and cache markers follow
 * the same rules, so they are made there and renamed here.
 */
export function toWire(request: ChatRequest, target: Target): Translation {
  try {
    return translated(request, target)
  } catch (error) {
    if (error instanceof Rejection) return error.rejected
    throw error
  }
}

/** Means something else here, or nothing. */
const OWN_FIELDS: readonly string[] = ['reasoning_effort', 'service_tier', 'user', 'safety_identifier']

function translated(request: ChatRequest, target: Target): Translation {
  const { fields, own } = split(request)
  const made = toMessages(fields as ChatRequest, { ...target, model: '', bounds: NO_BOUNDS, pins: [] })
  if (made.kind !== 'wire') return made
  const ignored = new Set(made.ignored)
  for (const name of ['user', 'safety_identifier']) if ((own[name] ?? null) !== null) ignored.add(name)
  const tier = askedTier(own['service_tier'])
  const effort = effortFields(own['reasoning_effort'], target.model)
  if (effort.isReported) ignored.add('reasoning_effort')
  const { limit, adjustments } = effort.isUnlimited ? NO_LIMIT : limitOutput(request, target)
  if (effort.isUnlimited) for (const name of SAMPLING) if ((request[name] ?? null) !== null) ignored.add(name)
  const body: JsonObject = {
    ...conversation(made.body),
    ...inference(made.body, limit, effort.isUnlimited),
    ...output(made.body, request),
    ...(tier === null ? {} : { serviceTier: { type: tier } }),
    ...guardrail(target),
  }
  if (Object.keys(effort.fields).length > 0) body['additionalModelRequestFields'] = effort.fields
  const { toolConfig, isChoiceIgnored } = converseTools(made.body, hasToolBlocks(made.body))
  if (toolConfig !== undefined) body['toolConfig'] = toolConfig
  if (isChoiceIgnored) ignored.add('tool_choice')
  // There is no such setting: the model may call several.
  if (request['parallel_tool_calls'] === false && toolConfig !== undefined) ignored.add('parallel_tool_calls')
  const percent = mostPercent(tier)
  const bounds = { outputTokens: largestLimit([limit]), answers: 1, namedPercent: percent, accountPercent: percent }
  return { kind: 'wire', body, ignored: [...ignored], adjustments, bounds }
}

function split(request: unknown): { fields: unknown; own: JsonObject } {
  if (!isJsonObject(request)) return { fields: request, own: {} }
  const entries = Object.entries(request)
  const isOwn = ([name]: [string, unknown]) => OWN_FIELDS.includes(name)
  return {
    fields: Object.fromEntries(entries.filter((entry) => !isOwn(entry))),
    own: Object.fromEntries(entries.filter(isOwn)),
  }
}

/** What a model at its highest effort refuses; the hold then counts with the model's own limit. */
const SAMPLING = ['max_tokens', 'max_completion_tokens', 'temperature', 'top_p']
const NO_LIMIT = { limit: null, adjustments: [] }

/** Without a limit the model's own applies. */
function limitOutput(request: JsonObject, { bounds, traits }: Target): { limit: unknown; adjustments: Adjustment[] } {
  const named = request['max_tokens'] ?? request['max_completion_tokens']
  const { tokens, reason } = limitToSend(named, bounds, traits.maxOutputTokens)
  if (reason === null || typeof tokens !== 'number') return { limit: tokens, adjustments: [] }
  return { limit: tokens, adjustments: [{ field: 'max_tokens', value: tokens, reason }] }
}

function conversation({ system, messages }: JsonObject): JsonObject {
  const names = new DocumentNames()
  const turns = (Array.isArray(messages) ? messages : []).filter(isJsonObject)
  const systemBlocks = converseBlocks(system, names)
  return {
    ...(systemBlocks.length === 0 ? {} : { system: systemBlocks }),
    messages: turns.map(({ role, content }) => ({ role, content: withText(converseBlocks(content, names)) })),
  }
}

function hasToolBlocks({ messages }: JsonObject): boolean {
  const turns = Array.isArray(messages) ? messages.filter(isJsonObject) : []
  return turns.some(
    ({ content }) =>
      Array.isArray(content) && content.some((block) => isJsonObject(block) && block['type'] === 'tool_use'),
  )
}

function inference(
  { temperature, top_p: topP, stop_sequences: stopSequences }: JsonObject,
  limit: unknown,
  isUnlimited: boolean,
): JsonObject {
  const named = isUnlimited ? { stopSequences } : { maxTokens: limit, temperature, topP, stopSequences }
  const set = Object.entries(named).filter(([, value]) => value !== undefined && value !== null)
  return set.length === 0 ? {} : { inferenceConfig: Object.fromEntries(set) }
}

/** A schema is a text here. */
function output({ output_config: config }: JsonObject, { response_format: format }: JsonObject): JsonObject {
  const schema = isJsonObject(config) && isJsonObject(config['format']) ? config['format']['schema'] : undefined
  if (schema === undefined) return {}
  const definition = isJsonObject(format) ? format['json_schema'] : undefined
  const name = isJsonObject(definition) ? definition['name'] : undefined
  const jsonSchema = { schema: JSON.stringify(schema), ...(typeof name === 'string' ? { name } : {}) }
  return { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } }
}

function guardrail(target: Target): JsonObject {
  const { guardrail_id: id, guardrail_version: version } = settingsOf(target)
  return id === undefined ? {} : { guardrailConfig: { guardrailIdentifier: id, guardrailVersion: version } }
}
