import type { GatewayError } from '../domain/errors.ts'
import type { CloseRecord } from '../request-log/record.ts'

type Why = Pick<CloseRecord, 'reason' | 'param' | 'providerCode' | 'figures'>

const NONE: Why = { reason: null, param: null, providerCode: null, figures: null }

const LONGEST_REASON = 500
const LONGEST_FIGURE = 100

/** What of an error's details is a figure, or says whose. No text of a caller is, but for a direct model's name. */
const FIGURES = [
  ...[
    'scope',
    'scope_id',
    'each',
    'value',
    'session',
    'kind',
    'limit',
    'used',
    'needed',
    'per',
    'resets_at',
    'unknown',
    'retry_after_seconds',
  ],
  ...['limit_usd', 'spent_usd', 'held_usd', 'hold_usd', 'max_tokens_that_fits', 'fit_at_least', 'provider', 'model'],
]

/** What the row keeps of why a call failed. */
export function whyOf(error: GatewayError | 'caller-left' | null): Why {
  if (error === null || error === 'caller-left') return NONE
  const { kept, param } = error.worded
  const reason = kept.length > LONGEST_REASON ? `${kept.slice(0, LONGEST_REASON - 1)}…` : kept
  return { reason, param, providerCode: error.providerCode, figures: figuresOf(error) }
}

function figuresOf({ details = {}, retryAfterSeconds }: GatewayError): Why['figures'] {
  const given = { retry_after_seconds: retryAfterSeconds, ...details } as Record<string, unknown>
  const figures = FIGURES.flatMap((name): [string, string | number][] => {
    const value = given[name]
    if (typeof value === 'number') return [[name, value]]
    return typeof value === 'string' ? [[name, value.slice(0, LONGEST_FIGURE)]] : []
  })
  return figures.length === 0 ? null : Object.fromEntries(figures)
}
