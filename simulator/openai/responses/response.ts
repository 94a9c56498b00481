import { type JsonObject, objectOrEmpty, objectsIn } from '../../json.ts'
import { newId } from '../../random.ts'
import type { PlannedReply, ToolCall } from '../../reply.ts'
import type { Account } from '../../stage.ts'
import { tierOf } from '../completion.ts'
import { sealed } from './sealed.ts'

/** The response object: what was asked for comes back in it, with the vendor's defaults. */
export function writeResponse(reply: PlannedReply, body: JsonObject, account: Account): JsonObject {
  const incomplete = incompleteReason(reply)
  const now = Math.floor(Date.now() / 1000)
  return {
    id: newId('resp_', 48),
    object: 'response',
    created_at: now,
    status: incomplete === null ? 'completed' : 'incomplete',
    background: body['background'] ?? false,
    completed_at: incomplete === null ? now : null,
    error: null,
    incomplete_details: incomplete === null ? null : { reason: incomplete },
    instructions: body['instructions'] ?? null,
    max_output_tokens: body['max_output_tokens'] ?? null,
    max_tool_calls: body['max_tool_calls'] ?? null,
    model: body['model'],
    output: writeOutput(reply, body),
    parallel_tool_calls: body['parallel_tool_calls'] ?? true,
    previous_response_id: body['previous_response_id'] ?? null,
    prompt_cache_key: body['prompt_cache_key'] ?? null,
    reasoning: { effort: null, summary: null, ...objectOrEmpty(body['reasoning']) },
    safety_identifier: body['safety_identifier'] ?? null,
    service_tier: tierOf(body['service_tier'], account),
    store: body['store'] ?? true,
    temperature: body['temperature'] ?? 1,
    text: { format: { type: 'text' }, verbosity: 'medium', ...objectOrEmpty(body['text']) },
    tool_choice: body['tool_choice'] ?? 'auto',
    tools: body['tools'] ?? [],
    top_logprobs: body['top_logprobs'] ?? 0,
    top_p: body['top_p'] ?? 1,
    truncation: body['truncation'] ?? 'disabled',
    usage: writeUsage(reply),
    user: body['user'] ?? null,
    metadata: body['metadata'] ?? {},
  }
}

/** The conversation is to be replaced by one item that only the vendor can read. */
function isCompaction({ input }: JsonObject): boolean {
  return objectsIn(input).at(-1)?.['type'] === 'compaction_trigger'
}

function incompleteReason({ finish, finishOverride }: PlannedReply): string | null {
  if (finishOverride !== null && finishOverride !== 'completed') return finishOverride
  return finish === 'length' ? 'max_output_tokens' : null
}

function writeOutput(reply: PlannedReply, body: JsonObject): JsonObject[] {
  if (isCompaction(body)) return [{ id: newId('cmp_', 48), type: 'compaction', encrypted_content: sealed() }]
  const output: JsonObject[] = []
  if (reply.usage.thinkingTokens > 0) output.push(writeReasoning(reply, body))
  for (let search = 0; search < (reply.usage.searches ?? 0); search++) {
    const action = { type: 'search', query: 'trains', queries: ['trains', 'timetable'] }
    output.push({ id: newId('ws_', 48), type: 'web_search_call', status: 'completed', action })
  }
  const content = writeContent(reply)
  if (content.length > 0) {
    const status = reply.finish === 'length' ? 'incomplete' : 'completed'
    output.push({ id: newId('msg_', 48), type: 'message', status, content, role: 'assistant' })
  }
  return [...output, ...reply.toolCalls.map((call) => writeCall(call, reply.finish === 'length'))]
}

/** The vendor keeps the reasoning, or returns it encrypted to a caller who asks for it. */
function writeReasoning(reply: PlannedReply, body: JsonObject): JsonObject {
  const wantsSealed = Array.isArray(body['include']) && body['include'].includes('reasoning.encrypted_content')
  return {
    id: newId('rs_', 48),
    type: 'reasoning',
    summary: reply.thinking === '' ? [] : [{ type: 'summary_text', text: reply.thinking }],
    ...(wantsSealed ? { encrypted_content: sealed() } : {}),
  }
}

function writeContent({ text, refusal, toolCalls }: PlannedReply): JsonObject[] {
  const content: JsonObject[] = []
  if (text !== '' || (refusal === null && toolCalls.length === 0)) {
    content.push({ type: 'output_text', annotations: [], logprobs: [], text })
  }
  if (refusal !== null) content.push({ type: 'refusal', refusal })
  return content
}

function writeCall(call: ToolCall, isCut: boolean): JsonObject {
  const status = isCut ? 'incomplete' : 'completed'
  const group = call.namespace === undefined ? {} : { namespace: call.namespace }
  const common = { status, call_id: newId('call_', 24), name: call.name, ...group }
  return call.isCustom
    ? { id: newId('ctc_', 48), type: 'custom_tool_call', ...common, input: String(call.input) }
    : { id: newId('fc_', 48), type: 'function_call', ...common, arguments: JSON.stringify(call.input) }
}

function writeUsage({ usage }: PlannedReply): JsonObject {
  const { freshTokens, cachedTokens, cacheWriteTokens, completionTokens, thinkingTokens } = usage
  const inputTokens = freshTokens + cachedTokens + cacheWriteTokens
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: thinkingTokens },
    total_tokens: inputTokens + completionTokens,
  }
}

/** What a response that broke off looks like. */
export function failedResponse(response: JsonObject, error: JsonObject): JsonObject {
  const code = error['code'] ?? 'server_error'
  return {
    ...response,
    status: 'failed',
    completed_at: null,
    output: [],
    usage: null,
    error: { code, message: error['message'] },
  }
}
