import { ALERT_RULES, type AlertRule, type AlertRules, DEFAULT_RULES, type RuleSettings } from './rules.ts'

/** What a rule can be limited to, each by its name. */
export const RULE_TARGETS = ['workspace', 'key', 'route', 'provider'] as const
export type RuleTarget = (typeof RULE_TARGETS)[number]

/** A rule of a built-in kind with its own figures. A target that is null: it watches all of them. */
export interface OwnRule extends Record<RuleTarget, string | null> {
  name: string
  rule: AlertRule
  /** All figures of its kind. */
  settings: Partial<RuleSettings> & Pick<RuleSettings, 'enabled'>
}

/** What each kind can be limited to: what it is measured by. */
const TARGETS_OF: Readonly<Record<AlertRule, readonly RuleTarget[]>> = {
  budget: ['workspace', 'key'],
  circuit_open: ['provider'],
  provider_account: ['provider'],
  error_rate: ['workspace', 'route'],
  latency: ['workspace', 'route', 'provider'],
  log_backlog: [],
  unpriced: ['workspace', 'provider'],
}

type Given = Partial<Record<RuleTarget | keyof RuleSettings, unknown>>

/** Why a rule of this kind cannot have these fields; null: it can. */
export function ruleProblem(rule: AlertRule, given: Given): string | null {
  const targets: readonly string[] = TARGETS_OF[rule]
  const isTarget = (field: string) => (RULE_TARGETS as readonly string[]).includes(field)
  for (const [field, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue
    const fits = isTarget(field) ? targets.includes(field) : field in DEFAULT_RULES[rule]
    if (!fits) return `${field}: not for a rule of kind ${rule}`
  }
  const needs = (['key', 'route'] as const).find((target) => (given[target] ?? null) !== null)
  if (needs !== undefined && (given.workspace ?? null) === null) return `workspace: required with ${needs}`
  return null
}

export function isBuiltin(name: string): name is AlertRule {
  return (ALERT_RULES as readonly string[]).includes(name)
}

/** As if it were the only rule. */
export function rulesOfOwn({ rule, settings }: OwnRule): AlertRules {
  const off = Object.fromEntries(ALERT_RULES.map((kind) => [kind, { ...DEFAULT_RULES[kind], enabled: false }]))
  return { ...off, [rule]: { ...DEFAULT_RULES[rule], ...settings } } as unknown as AlertRules
}
