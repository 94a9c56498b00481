import { coversWorkspace } from '../domain/access.ts'
import { isBuiltin, type OwnRule, ownRule, ruleFields, ruleProblem } from '../domain/alerts/own-rules.ts'
import { ALERT_RULES, type AlertRule, type AlertRules, type RuleSettings } from '../domain/alerts/rules.ts'
import { GatewayError } from '../domain/errors.ts'
import { readManaged } from '../store/control/alert-managed.ts'
import { missingTarget, readAllRules, writeAlertRules, writeOwnRules } from '../store/control/alert-rules.ts'
import { refuseManaged } from './alert-managed.ts'
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
      const { rules: managed } = await readManaged(deps.db)
      const all = [...ALERT_RULES.map((rule) => builtinView(builtin, rule)), ...seen.map(ownView)]
      return {
        data: all.map((view) => (managed.includes(view.name) ? { ...view, managed_by: 'config' as const } : view)),
      }
    },
    'alert-rules.create': ({ body }, context) =>
      changeBeside(deps, context, async (transaction) => {
        const { own } = await readAllRules(transaction)
        refuse(ruleProblem(body.rule, ruleFields(body)))
        const made = ownRule(body)
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
        await refuseManaged(transaction, 'rules', name)
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
        await refuseManaged(transaction, 'rules', name)
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

const NO_FIGURES = { thresholds: null, percent: null, factor: null, calls: null, seconds: null, usd: null }
const UNMANAGED = null as 'config' | null
const NO_TARGETS = { workspace: null, key: null, route: null, provider: null }

function builtinView(rules: AlertRules, rule: AlertRule) {
  return {
    name: rule as string,
    rule,
    is_builtin: true,
    managed_by: UNMANAGED,
    ...NO_TARGETS,
    ...NO_FIGURES,
    ...rules[rule],
  }
}

function ownView({ name, rule, settings, workspace, key, route, provider }: OwnRule) {
  return {
    name,
    rule,
    is_builtin: false,
    managed_by: UNMANAGED,
    workspace,
    key,
    route,
    provider,
    ...NO_FIGURES,
    ...settings,
  }
}
