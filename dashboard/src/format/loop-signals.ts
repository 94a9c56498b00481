/** A test holds it complete. */
export const LOOP_WORDS = {
  same_tool_call: 'Same tool call repeated',
  calls_a_minute: 'Many calls a minute',
  context_growth: 'Context keeps growing',
  spend_times_usual: 'Spends more than usual',
} as const
export type LoopSignal = keyof typeof LOOP_WORDS

/** What a row of the log says, such as `same_tool_call,calls_a_minute`, for people. */
export function loopText(signals: string): string {
  const [first = '', ...rest] = signals.split(',').map((signal) => LOOP_WORDS[signal as LoopSignal] ?? signal)
  return [first, ...rest.map((words) => words.charAt(0).toLowerCase() + words.slice(1))].join(', ')
}
