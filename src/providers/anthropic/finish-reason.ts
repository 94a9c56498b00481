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

const DEFAULT_REFUSAL = "Request declined by the provider's safety system."

/** The end of an answer as the caller sees it. */
export interface Ending {
  reason: string
  /** Null unless the provider refused to answer. */
  refusal: string | null
  warning: string | null
}

/** `explanation`: of a refusal, if there is one. */
export function ending(
  stopReason: string | null | undefined,
  hasToolCalls: boolean,
  isLegacy: boolean,
  explanation: unknown,
): Ending {
  const { reason, isKnown } = finishReason(stopReason, hasToolCalls)
  const words = typeof explanation === 'string' ? explanation : ''
  return {
    reason: isLegacy && reason === 'tool_calls' ? 'function_call' : reason,
    refusal: stopReason === 'refusal' ? words || DEFAULT_REFUSAL : null,
    warning: isKnown ? null : `unknown stop_reason ${shown(stopReason)}`,
  }
}

function shown(reason: string | null | undefined): string {
  return typeof reason === 'string' ? JSON.stringify(reason.slice(0, 100)) : 'null'
}
