/** Why an answer ended, in the common schema; `warning`: for our log. `failed`: there is no answer, and why. */
export type Ending = { kind: 'ended'; reason: string; warning: string | null } | { kind: 'failed'; message: string }

const FILTERED = /^(?:SAFETY|RECITATION|BLOCKLIST|PROHIBITED_CONTENT|SPII|LANGUAGE|IMAGE_\w+|NO_IMAGE)$/
/** The model made an invalid call: a retry may do better. */
const BAD_CALL = /^(?:MALFORMED_FUNCTION_CALL|UNEXPECTED_TOOL_CALL|TOO_MANY_TOOL_CALLS)$/

/** What an answer consists of besides its reason. */
export interface Said {
  hasContent: boolean
  hasCalls: boolean
  /** The caller uses `functions`. */
  isLegacy: boolean
}

export function ending(finishReason: string | null, { hasContent, hasCalls, isLegacy }: Said): Ending {
  const natural = hasCalls ? (isLegacy ? 'function_call' : 'tool_calls') : 'stop'
  if (finishReason === 'STOP') return ended(natural)
  if (finishReason === 'MAX_TOKENS' || finishReason === 'CONTINUATION') return ended('length')
  if (finishReason !== null && FILTERED.test(finishReason)) return ended('content_filter')
  const shown = shownName(finishReason)
  if (!hasContent && !hasCalls) {
    const isBadCall = finishReason !== null && BAD_CALL.test(finishReason)
    const what = isBadCall ? 'The model called a tool in a way that cannot be read' : 'The model gave no answer'
    return { kind: 'failed', message: `${what} (finishReason ${shown}).` }
  }
  return ended(natural, `finishReason ${shown}`)
}

/** The vendor's names are constants; anything else could be arbitrary text, and stays out of the log. */
export function shownName(name: string | null): string {
  if (name === null) return 'is missing'
  return /^[A-Z_]{1,60}$/.test(name) ? name : 'is unknown'
}

function ended(reason: string, warning: string | null = null): Ending {
  return { kind: 'ended', reason, warning }
}
