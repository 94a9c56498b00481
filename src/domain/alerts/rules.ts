import { z } from 'zod'

export const ALERT_RULES = [
  'budget',
  'circuit_open',
  'provider_account',
  'error_rate',
  'latency',
  'log_backlog',
  'unpriced',
  'stated_cost',
  'reconciliation_drift',
  'loop',
  'prompt_cache',
] as const
export type AlertRule = (typeof ALERT_RULES)[number]

const Factor = z.number().min(1.1).max(100)
const Calls = z.int().min(1).max(1_000_000)

/** What may be set; each rule has some of them. */
export const RuleSettings = z.strictObject({
  enabled: z.boolean(),
  thresholds: z.array(z.int().min(1).max(1000)).min(1).max(10).describe('Percent of a budget that has been spent'),
  percent: z.int().min(1).max(100).describe('Share from which the rule fires: of failed calls, or of a day’s bill'),
  factor: Factor.describe('How many times the usual level'),
  calls: Calls.describe('So many calls within ten minutes, for `prompt_cache` within two hours, or nothing is judged'),
  seconds: z.int().min(1).max(86_400).describe('For how long'),
  usd: z.number().min(0).max(1_000_000_000).describe('Amount above which the rule fires'),
})
export type RuleSettings = z.infer<typeof RuleSettings>

export interface AlertRules {
  budget: Pick<RuleSettings, 'enabled' | 'thresholds'>
  circuit_open: Pick<RuleSettings, 'enabled' | 'seconds'>
  provider_account: Pick<RuleSettings, 'enabled'>
  error_rate: Pick<RuleSettings, 'enabled' | 'percent' | 'factor' | 'calls'>
  latency: Pick<RuleSettings, 'enabled' | 'factor' | 'calls'>
  log_backlog: Pick<RuleSettings, 'enabled' | 'seconds'>
  unpriced: Pick<RuleSettings, 'enabled'>
  stated_cost: Pick<RuleSettings, 'enabled'>
  reconciliation_drift: Pick<RuleSettings, 'enabled' | 'usd' | 'percent'>
  loop: Pick<RuleSettings, 'enabled'>
  prompt_cache: Pick<RuleSettings, 'enabled' | 'factor' | 'calls'>
}

export const DEFAULT_RULES: AlertRules = {
  budget: { enabled: true, thresholds: [50, 80, 100] },
  circuit_open: { enabled: true, seconds: 60 },
  provider_account: { enabled: true },
  error_rate: { enabled: true, percent: 10, factor: 3, calls: 20 },
  latency: { enabled: true, factor: 2, calls: 50 },
  log_backlog: { enabled: true, seconds: 60 },
  unpriced: { enabled: true },
  stated_cost: { enabled: true },
  reconciliation_drift: { enabled: true, usd: 1, percent: 5 },
  loop: { enabled: true },
  prompt_cache: { enabled: true, factor: 2, calls: 50 },
}
