/** Names of fields in requests of all formats. What is not listed may be a caller's own text. */
const NAMES: ReadonlySet<string> = new Set(
  `model messages input instructions system prompt content role name type text refusal audio data format
  temperature top_p top_k max_tokens max_completion_tokens max_output_tokens max_tool_calls n seed stop stop_sequences
  frequency_penalty presence_penalty top_logprobs logprobs logit_bias stream stream_options include_usage store background
  parallel_tool_calls user safety_identifier prompt_cache_key reasoning reasoning_effort effort summary service_tier speed
  tools tool tool_choice tool_call_id tool_calls tool_use_id function functions function_call arguments description
  parameters strict response_format json_schema schema json_object allOf anyOf oneOf $ref $defs properties required items
  additionalProperties enum metadata modalities prediction verbosity web_search_options truncation include conversation
  previous_response_id thread thinking budget_tokens output_config output_format inference_geo container mcp_servers
  context_management cache_control ttl image image_url image_file url detail file file_id file_data file_url filename
  input_audio input_text input_image input_file source media_type document citations title context is_error tool_result
  tool_use input_schema disable_parallel_tool_use id call_id output item_reference encrypted_content dimensions
  encoding_format input_type user_id extra_body`.split(/\s+/),
)

const LONGEST_PATH = 200

/** The path itself where it is made of known names and indexes only, as in `messages[0].content[2].type`; else null. */
export function fieldPath(path: string): string | null {
  if (path === '' || path.length > LONGEST_PATH) return null
  // Providers write `messages.0.content` and `messages.[0].content` as well.
  const steps = path.replaceAll(/\[(\d{1,6})\]/g, '.$1').split('.')
  const isKnown = steps.every((step, index) => NAMES.has(step) || (index > 0 && /^\d{0,6}$/.test(step)))
  return isKnown ? path : null
}
