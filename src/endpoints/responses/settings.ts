import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { isCompaction } from '../../domain/request/compaction.ts'
import type { ResponsesRequest } from '../../domain/request/responses.ts'
import { SEALED_REASONING } from './fields.ts'
import { toolOutline } from './tools.ts'

/** Longer settings are not repeated in an answer. */
const LONGEST = 16_384

/** The request's own settings, as an answer repeats them. They are the same from an outline of the request. */
export function settingsOf(request: JsonObject): JsonObject {
  const { temperature, top_p, max_output_tokens, parallel_tool_calls, user, truncation, service_tier } = request
  return {
    max_output_tokens: max_output_tokens ?? null,
    metadata: short(request['metadata']) ?? {},
    parallel_tool_calls: parallel_tool_calls ?? true,
    reasoning: reasoningOf(request['reasoning']),
    service_tier: service_tier ?? null,
    temperature: temperature ?? null,
    text: textOf(request['text']),
    tool_choice: short(request['tool_choice']) ?? 'auto',
    top_p: top_p ?? null,
    truncation: truncation ?? 'disabled',
    user: user ?? null,
  }
}

function short(value: unknown): unknown {
  if (typeof value === 'string') return value.slice(0, LONGEST)
  return isJsonObject(value) && JSON.stringify(value).length <= LONGEST ? value : null
}

function reasoningOf(value: unknown): JsonObject {
  const { effort, summary } = isJsonObject(value) ? value : {}
  return { effort: effort ?? null, summary: summary ?? null }
}

/** Its schema may be long: the name says which one it was. */
function textOf(value: unknown): JsonObject {
  const { format, verbosity } = isJsonObject(value) ? value : {}
  const { type, name } = isJsonObject(format) ? format : {}
  return {
    format: { type: type ?? 'text', ...(typeof name === 'string' ? { name } : {}) },
    ...(typeof verbosity === 'string' ? { verbosity } : {}),
  }
}

/** Of a large request: what its answer depends on. */
export function outline(request: ResponsesRequest): Partial<ResponsesRequest> {
  const { metadata, tool_choice, reasoning, text } = settingsOf(request)
  const small = { metadata, tool_choice, reasoning, text, tools: toolOutline(request) }
  const shown: JsonObject = { ...small, include: asksForSealed(request) ? [SEALED_REASONING] : [] }
  // By its last item it is known what is to be written.
  if (isCompaction(request)) shown['input'] = request.input?.slice(-1)
  return shown as Partial<ResponsesRequest>
}

/** The caller brings the model's reasoning back in the next turn. */
export function asksForSealed({ include }: JsonObject): boolean {
  return Array.isArray(include) && include.includes(SEALED_REASONING)
}
