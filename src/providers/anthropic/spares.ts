/** What a cache marker may say beside that it is one. */
const MARKER_FIELDS = ['scope', 'ttl'].flatMap((name) =>
  ['system.*', 'tools.*', 'messages.*.content.*'].map((place) => `${place}.cache_control.${name}`),
)

/**
 * What a message can be written without: nothing of what is said, no tool, no limit and no choice of price that would
 * make it dearer. Agents send these by default, and servers of this format differ in which they know.
 */
export const SPARES: readonly string[] = [
  'context_management',
  'diagnostics',
  'metadata',
  'speed',
  'output_config.effort',
  'thinking.display',
  'tools.*.defer_loading',
  'tools.*.eager_input_streaming',
  'tools.*.input_examples',
  ...MARKER_FIELDS,
]
