import { z } from 'zod'

/** Why a field differs from what the caller sent. */
export const ADJUSTMENT_REASONS = {
  default_limit: 'the caller sent no output limit, so the configured default was sent',
  route_default: 'the caller left it out, so the default of the route was sent',
  route_cache: 'the route has prompts without a marker cached by the provider',
  fitted_to_budget: 'lowered to what the hard budget still allows',
  stepped_down: 'what is left of the budget does not cover the first choice, so a cheaper model was asked',
  renamed: 'the provider requires this name for the model',
  refused: 'the provider does not take it with this model, and the call can do without it',
  unused_key: 'the bearer token is another key, and that one counts',
  left_out: 'the hard budget does not cover what it can cost',
  guardrail: 'the guardrail of the workspace chose it',
  pinned: 'sent explicitly, so that no default of the provider or its account can exceed the hard budget',
} as const

/** One field that the gateway added, changed or left aside before the request was sent: numbers and fixed words, never content. */
export const Adjustment = z.strictObject({
  field: z.string().describe('As it was sent'),
  value: z
    .union([z.string(), z.number()])
    .nullable()
    .describe('As it was sent; null where only the name changed, of a whole field that was left out, and of a key'),
  reason: z.literal(Object.keys(ADJUSTMENT_REASONS) as (keyof typeof ADJUSTMENT_REASONS)[]),
  from: z
    .string()
    .optional()
    .describe(
      'The name that the caller sent, where it was renamed; the model that would have been asked, where another was',
    ),
})
export type Adjustment = z.infer<typeof Adjustment>

/** As a header value: "max_tokens=800;fitted_to_budget, max_completion_tokens;renamed;from=max_tokens". */
export function adjustmentsText(adjustments: readonly Adjustment[]): string {
  return adjustments
    .map(({ field, value, reason, from }) => {
      const assigned = value === null ? field : `${field}=${value}`
      return from === undefined ? `${assigned};${reason}` : `${assigned};${reason};from=${from}`
    })
    .join(', ')
}
