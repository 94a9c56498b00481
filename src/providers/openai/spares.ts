/** Who asks, and how its prompt is cached: nothing of what is said, no limit and no tier. */
const OF_BOTH = [
  'metadata',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'user',
]

/** What a chat can be written without. */
export const CHAT_SPARES: readonly string[] = [...OF_BOTH, 'verbosity']

/** The same of a response. Agents send the last two. */
export const RESPONSES_SPARES: readonly string[] = [
  ...OF_BOTH,
  'reasoning.summary',
  'text.verbosity',
  'client_metadata',
  'input.*.internal_chat_message_metadata_passthrough',
]
