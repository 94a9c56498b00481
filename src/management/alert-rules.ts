import { coversWorkspace } from '../domain/access.ts'
import { isBuiltin, type OwnRule, RULE_TARGETS, ruleProblem } from '../domain/alerts/own-rules.ts'
import {
  ALERT_RULES,
  type AlertRule,
  type AlertRules,
  DEFAULT_RULES,
  type RuleSettings,
} from '../domain/alerts/rules.ts'
import { GatewayError } from '../domain/errors.ts'
import { missingTarget, readAllRules, writeAlertRules, writeOwnRules } from '../store/control/alert-rules.ts'
import type { alertOperations } from './contract/alerts.ts'
import { changeBeside, type ManagementDeps } from './deps.ts'
import type { HandlersOf } from './router.ts'

type Changes = 'alert-rules.list' | 'alert-rules.create' | 'alert-rules.update' | 'alert-rules.delete'

export function alertRuleHandlers(deps: ManagementDeps): Pick<HandlersOf<typeof alertOperations>, Changes> {
  return {
    async 'alert-rules.list'(_input, { access }) {
      const { builtin, own } = await readAllRules(deps.db)
      const seen = own.filter(({ workspace }) =>
        workspace === null ? access.workspaces === null : coversWorkspace(access, workspace),
      )
      return { data: [...ALERT_RULES.map((rule) => builtinView(builtin, rule)), ...seen.map(ownView)] }
    },
    'alert-rules.create': ({ body }, context) =>
      changeBeside(deps, context, async (transaction) => {
        const { own } = await readAllRules(transaction)
        const made = newRule(body)
        if (isBuiltin(made.name) || own.some(({ name }) => name === made.name)) {
          throw new GatewayError('conflict', `name: a rule '${made.name}' already exists.`)
        }
        const missing = await missingTarget(transaction, made)
        if (missing !== null) throw new GatewayError('invalid_request', missing)
        await writeOwnRules(transaction, [...own, made])
        return { result: ownView(made), audit: auditEntry('create', made.name, null, ownView(made)) }
      }),
    'alert-rules.update': ({ params: { rule: name }, body }, context) =>
      changeBeside(deps, context, async (transaction) => {
        const { builtin, own } = await readAllRules(transaction)
        const before = isBuiltin(name) ? builtinView(builtin, name) : ownView(existing(own, name))
        refuse(ruleProblem(before.rule, body))
        let after = before
        if (isBuiltin(name)) {
          const changed = { ...builtin, [name]: { ...builtin[name], ...body } }
          await writeAlertRules(transaction, changed)
          after = builtinView(changed, name)
        } else {
          const old = existing(own, name)
          const changed = { ...old, settings: { ...old.settings, ...(body as Partial<RuleSettings>) } }
          await writeOwnRules(transaction, [...own.filter((each) => each.name !== name), changed])
          after = ownView(changed)
        }
        return { result: after, audit: auditEntry('update', name, before, after) }
      }),
    'alert-rules.delete': ({ params: { rule: name } }, context) =>
      changeBeside(deps, context, async (transaction) => {
        if (isBuiltin(name)) {
          throw new GatewayError('conflict', `'${name}' is built in and cannot be deleted. Switch it off instead.`)
        }
        const { own } = await readAllRules(transaction)
        const before = ownView(existing(own, name))
        await writeOwnRules(
          transaction,
          own.filter((each) => each.name !== name),
        )
        return { result: undefined, audit: auditEntry('delete', name, before, null) }
      }),
  }
}

type Given = { name: string; rule: AlertRule } & Partial<Record<keyof RuleSettings | 'workspace' | 'key', unknown>>

/** Figures that are left out are those of the built-in rule as it is shipped. */
function newRule({ name, rule, ...given }: Given): OwnRule {
  refuse(ruleProblem(rule, given))
  const isTarget = (field: string) => (RULE_TARGETS as readonly string[]).includes(field)
  const figures = Object.entries(given).filter(([field, value]) => value !== undefined && !isTarget(field))
  const targets = RULE_TARGETS.map((target) => [target, given[target as 'key'] ?? null])
  const settings = { ...DEFAULT_RULES[rule], ...Object.fromEntries(figures) }
  return { name, rule, settings, ...Object.fromEntries(targets) }
}

function refuse(problem: string | null): void {
  if (problem !== null) throw new GatewayError('invalid_request', problem)
}

function existing(own: readonly OwnRule[], name: string): OwnRule {
  const found = own.find((rule) => rule.name === name)
  if (found === undefined) throw new GatewayError('not_found', `There is no alert rule '${name}'.`)
  return found
}

function auditEntry(change: string, name: string, before: unknown, after: unknown) {
  return { action: `alert-rules.${change}`, workspace: null, resource: `alert-rules/${name}`, before, after }
}

const NO_FIGURES = { thresholds: null, percent: null, factor: null, calls: null, seconds: null }
const NO_TARGETS = { workspace: null, key: null, route: null, provider: null }

function builtinView(rules: AlertRules, rule: AlertRule) {
  return { name: rule as string, rule, is_builtin: true, ...NO_TARGETS, ...NO_FIGURES, ...rules[rule] }
}

function ownView({ name, rule, settings, workspace, key, route, provider }: OwnRule) {
  return { name, rule, is_builtin: false, workspace, key, route, provider, ...NO_FIGURES, ...settings }
}
