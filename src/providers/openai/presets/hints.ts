/** Fields of the newest clients that change nothing in an answer. */
export const HINTS = [
  'metadata',
  'prediction',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
  'store',
  'user',
  'verbosity',
] as const
