import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { type Worded, worded } from '../../domain/wording/worded.ts'

/**
 * Fields that cost nothing beside the tokens that are held, at any server that speaks this family's formats. Not
 * listed, and so refused under a hard budget: services beside the model (search, plugins), the choice of other models
 * or more expensive hosts, further answers, and anything the server adds to the prompt (templates, documents).
 */
const COMMON = `model stream stream_options temperature top_p top_k top_a min_p typical_p seed stop frequency_penalty
  presence_penalty repetition_penalty length_penalty logit_bias top_logprobs user safety_identifier metadata store
  service_tier tools tool_choice parallel_tool_calls reasoning reasoning_effort include verbosity prompt_cache_key
  prompt_cache_retention prompt_cache_options cache_control session_id`

export const CHAT_FIELDS =
  namesIn(`${COMMON} messages max_tokens max_completion_tokens n logprobs functions function_call
  response_format prediction modalities audio thinking enable_thinking thinking_budget include_reasoning
  reasoning_format reasoning_split separate_reasoning chat_template_kwargs random_seed min_tokens stop_token_ids
  bad_words ignore_eos skip_special_tokens spaces_between_special_tokens include_stop_str_in_output allowed_token_ids
  add_generation_prompt continue_final_message add_special_tokens truncate_prompt_tokens prompt_logprobs
  return_token_ids return_tokens_as_token_ids guided_json guided_regex guided_choice guided_grammar structured_outputs
  cache_salt request_id usage transforms context_length_exceeded_behavior`)

export const RESPONSES_FIELDS = namesIn(`${COMMON} input instructions max_output_tokens max_tool_calls truncation text
  previous_response_id conversation client_metadata`)

/** The hold covers `input` alone. */
export const EMBEDDINGS_FIELDS = namesIn(`model input encoding_format dimensions output_dimension output_dtype user
  input_type truncate truncate_prompt_tokens normalize`)

/** The hold covers every answer that is generated, also those of `best_of` that are not returned. */
export const COMPLETIONS_FIELDS =
  namesIn(`${COMMON} prompt suffix max_tokens n best_of echo logprobs random_seed min_tokens
  stop_token_ids bad_words ignore_eos skip_special_tokens spaces_between_special_tokens include_stop_str_in_output
  allowed_token_ids add_special_tokens truncate_prompt_tokens prompt_logprobs return_token_ids
  return_tokens_as_token_ids guided_json guided_regex guided_choice guided_grammar structured_outputs cache_salt
  request_id`)

/** What of them is billed may be more than the output limit of the request: only the model's own one bounds it. */
const LOOSE = ['prediction', 'enable_thinking', 'thinking_budget']

function namesIn(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/))
}

/** Why a hard budget refuses a request; null: no field costs more than is held. `dropped`: fields that are not sent. */
export function costlyField(
  request: JsonObject,
  free: ReadonlySet<string>,
  dropped: readonly string[] = [],
): Worded | null {
  for (const name in request) {
    const value = request[name] ?? false
    if (value === false || free.has(name) || dropped.includes(name)) continue
    return worded`${name.slice(0, 60)}: a hard budget applies, and what this costs is unknown; leave it out`
  }
  return null
}

/** The same for chat, whose tools may be the provider's. */
export function costlyChat(request: JsonObject, dropped: readonly string[] = []): Worded | null {
  const { tools } = request
  if (Array.isArray(tools) && !dropped.includes('tools') && tools.some(isHosted)) {
    return worded`tools: a hard budget applies, and what a tool of the provider costs is unknown; leave it out`
  }
  return costlyField(request, CHAT_FIELDS, dropped)
}

function isHosted(tool: unknown): boolean {
  return !isJsonObject(tool) || (tool['type'] !== 'function' && tool['type'] !== 'custom')
}

export function hasLooseField(body: JsonObject): boolean {
  if (hasOwnBudget(body['reasoning']) || hasOwnBudget(body['thinking'])) return true
  return LOOSE.some((name) => (body[name] ?? false) !== false)
}

/** Of thinking: some servers do not count it against the output limit. */
function hasOwnBudget(setting: unknown): boolean {
  return isJsonObject(setting) && (setting['max_tokens'] ?? setting['budget_tokens'] ?? null) !== null
}
