/** How a vendor completes texts; all of them continue a prompt. */
export interface Completing {
  path: string
  /** What of the base address does not belong to this path. */
  without?: RegExp
  /** Fields that it does not take and that change the answer. */
  refuses?: readonly string[]
  /** One prompt at a time, as a text. */
  takesOneText?: true
  /** Its answers are those of its chat. */
  isChatShaped?: true
}

/** As most servers have it. */
export const PLAIN_TEXT: Completing = { path: '/completions' }
