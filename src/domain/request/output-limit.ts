import type { Adjustment } from './adjustment.ts'
import { isCount } from './bounds.ts'

/** How long an answer may get by what was set here, beside what the caller says. */
export interface OutputBounds {
  /** Sent where the caller names no limit. */
  default: number | null
  /** Sent in place of anything longer: no more fits into a hard budget. */
  most: number | null
}

export const NO_BOUNDS: OutputBounds = { default: null, most: null }

/** What to send as the limit of the answer, and why where neither the caller nor the family said it. */
export interface LimitToSend {
  tokens: unknown
  reason: Adjustment['reason'] | null
}

/**
 * `named` is the caller's own, `otherwise` what the family sends by itself. A default is never more than the model can give,
 * for the provider would refuse it. What is no count, as 0, says nothing about the length, so a bound replaces it.
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
