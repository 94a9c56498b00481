/** What tells a loop from work, in the order in which a call is judged by them. */
export const LOOP_SIGNALS = ['same_tool_call', 'calls_a_minute', 'context_growth', 'spend_times_usual'] as const
export type LoopSignal = (typeof LOOP_SIGNALS)[number]

/** From the mildest on. */
export const LOOP_ACTIONS = ['alert', 'slow', 'stop'] as const
export type LoopAction = (typeof LOOP_ACTIONS)[number]

/** Tool calls of a conversation that are looked at, from its end. */
export const RECENT_TOOL_CALLS = 64
