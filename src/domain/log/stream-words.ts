/** How a stream ended that had sent content. */
export const STREAM_ENDINGS = ['finished', 'failed_mid_stream', 'caller_left', 'interrupted', 'slow_reader'] as const
export type StreamEnding = (typeof STREAM_ENDINGS)[number]

/**
 * Who counted the tokens of a call: its provider; the provider some of them and the gateway the rest; or the gateway
 * all of them, by the length of what was sent. `measured`: the gateway knew what is
 * billed, such as seconds of sound. `prompt_held`: that length does not show the prompt's tokens, so it
 * counts as held.
 */
export const USAGE_SOURCES = ['provider', 'provider_partial', 'estimated', 'measured', 'prompt_held'] as const
export type UsageSource = (typeof USAGE_SOURCES)[number]

/** Where an attempt at a stream failed. */
export const ATTEMPT_PHASES = ['connect', 'headers', 'before_content', 'after_content'] as const
export type AttemptPhase = (typeof ATTEMPT_PHASES)[number]
