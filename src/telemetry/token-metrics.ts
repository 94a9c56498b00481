import type { Registry } from 'prom-client'
import { Tally } from './tally.ts'

export interface TokenMetrics {
  /** By issuer, as it is configured, and reason. */
  tokenRefusals: Tally
}

export function tokenMetrics(registry: Registry): TokenMetrics {
  return {
    tokenRefusals: new Tally({
      name: 'switchyard_token_refusals_total',
      help: 'Calls with a token of a configured issuer that were refused for it, by issuer and reason.',
      labels: ['issuer', 'reason'],
      registry,
    }),
  }
}
