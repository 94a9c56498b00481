import type { LoopSignal } from './signals.ts'

/** What a signal has found, in figures. */
export interface SignalFigures {
  signal: LoopSignal
  used: number
  limit: number
}

const WORDS: Readonly<Record<LoopSignal, (used: number, limit: number) => string>> = {
  same_tool_call: (used, limit) => `the same tool call ${used} times (limit ${limit})`,
  calls_a_minute: (used, limit) => `${used} calls within a minute (limit ${limit})`,
  context_growth: (used, limit) => `${used} calls in a row with more and more uncached input (limit ${limit})`,
  spend_times_usual: (used, limit) => `${used} USD within a minute (limit ${limit})`,
}

/** Figures only: nothing of what was said. */
export function signalWords({ signal, used, limit }: SignalFigures): string {
  return WORDS[signal](used, limit)
}
