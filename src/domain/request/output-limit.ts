import type { Adjustment } from './adjustment.ts'
import { isCount } from './bounds.ts'

/** The configured output limits, beside what the caller sends. */
export interface OutputBounds {
  /** Sent when the caller sends no limit. */
  default: number | null
  /** Replaces any higher limit: no more fits into a hard budget. */
  most: number | null
}

export const NO_BOUNDS: OutputBounds = { default: null, most: null }

/** The output limit to send, and the reason when it comes from neither the caller nor the family. */
export interface LimitToSend {
  tokens: unknown
  reason: Adjustment['reason'] | null
}

/**
 * `named` comes from the caller, `otherwise` is the family's own default. A default never exceeds the model's maximum,
 * because the provider would reject it. A value that is not a count, such as 0, limits nothing, so a bound replaces it.
 */
export function limitToSend(
  named: unknown,
  { default: usual, most }: OutputBounds,
  maxOutputTokens: number | null,
  otherwise: number | null = null,
): LimitToSend {
  const set = usual === null ? otherwise : Math.min(usual, maxOutputTokens ?? usual)
  const wanted = named ?? set
  if (most !== null && !(isCount(wanted) && wanted <= most)) return { tokens: most, reason: 'fitted_to_budget' }
  return { tokens: wanted, reason: (named ?? null) === null && usual !== null ? 'default_limit' : null }
}
