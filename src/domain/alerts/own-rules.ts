import { z } from 'zod'
import { Alias, ProviderName } from '../route.ts'
import { ALERT_RULES, type AlertRule, type AlertRules, DEFAULT_RULES, RuleSettings } from './rules.ts'

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

const Name = z.string().min(1).max(64)

/** A rule in a configuration file, under its name; a built-in one without `rule`. */
export const RuleDefinition = z.strictObject({
  rule: z.enum(ALERT_RULES).optional(),
  ...RuleSettings.partial().shape,
  workspace: Name.optional(),
  key: Name.optional(),
  route: Alias.optional(),
  provider: ProviderName.optional(),
})

/** What each kind can be limited to: what it is measured by. */
const TARGETS_OF: Readonly<Record<AlertRule, readonly RuleTarget[]>> = {
  budget: ['workspace', 'key'],
  circuit_open: ['provider'],
  provider_account: ['provider'],
  error_rate: ['workspace', 'route'],
  latency: ['workspace', 'route', 'provider'],
  log_backlog: [],
  unpriced: ['workspace', 'provider'],
  stated_cost: ['workspace', 'provider'],
  reconciliation_drift: ['provider'],
  loop: ['workspace'],
  prompt_cache: ['workspace', 'route'],
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

/** Without its name and kind. */
export function ruleFields<T extends object>(given: T): Omit<T, 'name' | 'rule'> {
  const { name: _name, rule: _rule, ...fields } = given as T & { name?: unknown; rule?: unknown }
  return fields as Omit<T, 'name' | 'rule'>
}

/** Figures that are left out are the shipped ones. */
export function ownRule(given: { name: string; rule: AlertRule } & Given): OwnRule {
  const { name, rule } = given
  const figures = Object.keys(DEFAULT_RULES[rule]).flatMap((field) => {
    const value = given[field as keyof RuleSettings]
    return value === undefined ? [] : [[field, value]]
  })
  const targets = RULE_TARGETS.map((target) => [target, given[target] ?? null])
  const settings = { ...DEFAULT_RULES[rule], ...Object.fromEntries(figures) }
  return { name, rule, settings, ...(Object.fromEntries(targets) as Record<RuleTarget, string | null>) }
}

export function isBuiltin(name: string): name is AlertRule {
  return (ALERT_RULES as readonly string[]).includes(name)
}

/** As if it were the only rule. */
export function rulesOfOwn({ rule, settings }: OwnRule): AlertRules {
  const off = Object.fromEntries(ALERT_RULES.map((kind) => [kind, { ...DEFAULT_RULES[kind], enabled: false }]))
  return { ...off, [rule]: { ...DEFAULT_RULES[rule], ...settings } } as unknown as AlertRules
}
