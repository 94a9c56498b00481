/** Why the answer ended, in the common schema, and whether the provider's reason is known. */
export interface FinishReason {
  reason: 'stop' | 'length' | 'tool_calls' | 'content_filter'
  isKnown: boolean
}

export function finishReason(stopReason: string | null | undefined, hasToolCalls: boolean): FinishReason {
  switch (stopReason) {
    case 'end_turn':
    case 'tool_use':
      return { reason: hasToolCalls ? 'tool_calls' : 'stop', isKnown: true }
    case 'stop_sequence':
      return { reason: 'stop', isKnown: true }
    case 'max_tokens':
    case 'model_context_window_exceeded':
    case 'pause_turn':
    case 'compaction':
      return { reason: 'length', isKnown: true }
    case 'refusal':
      return { reason: 'content_filter', isKnown: true }
    default:
      return { reason: 'stop', isKnown: false }
  }
}
