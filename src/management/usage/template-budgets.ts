import { periodBounds } from '../../domain/budgets/budget-period.ts'
import { kindOfEach, type ValueScope } from '../../domain/budgets/each.ts'
import type { EachBudget, Limits } from '../../domain/limits.ts'
import type { BudgetState } from '../../limits/admission.ts'
import { isOfKey, type RaisedBy, raisesOf, valueBudget } from '../../limits/each/each-budgets.ts'
import type { ValueBudget } from '../../limits/each/value-budget.ts'
import type { Scope } from '../../limits/ledger.ts'
import { type LiveValues, readLiveValues, type ValuesAsked } from '../../request-log/values/live-values.ts'
import type { ManagementDeps } from '../deps.ts'
import { type BudgetUse, toBudgetUse } from './budget-use.ts'
import { keyNames } from './key-names.ts'

/** Of one budget: who needs more asks for the usage. */
const MOST_SHOWN = 5
const DAY_MS = 86_400_000

export interface Owner {
  scope: Scope
  workspace: string
  limits: Limits
}

export interface TemplateBudget {
  each: string | null
  per: EachBudget['per']
  mode: EachBudget['mode']
  limit_usd: string
  live: number
  tightest: (BudgetUse & { value: string | null; session: string | null; key_id: string | null; key: string | null })[]
}

interface Template {
  owner: Owner
  budget: EachBudget
  asked: ValuesAsked
}

/**
 * The budgets that a key or workspace has for each value of something, or for further periods, each with how many values
 * are live and the tightest of them. In the order of the owners, and of their `budgets`.
 */
export async function readTemplateBudgets(
  deps: Pick<ManagementDeps, 'reads' | 'snapshot' | 'ledger'>,
  owners: readonly Owner[],
  now: number,
): Promise<TemplateBudget[][]> {
  const all = owners.map((owner) => (owner.limits.budgets ?? []).map((budget) => templateOf(owner, budget, now)))
  const templates = all.flat()
  const live = await readAll(deps.reads, templates, now)
  const raise = raisesOf(deps.snapshot)
  const budgets = templates.map((template, place) => budgetsOf(template, live[place], raise))
  const states = await deps.ledger.lookAt(budgets.flat())
  let taken = 0
  const found = templates.map((template, place) => {
    const own = budgets[place] ?? []
    const uses = own.map((budget, index) => ({ budget, state: states[taken + index] }))
    taken += own.length
    return { template, live: live[place]?.live ?? own.length, uses: tightestOf(uses) }
  })
  const ids = found.flatMap(({ uses }) => uses.map(({ budget }) => budget.scope.keyId)).filter((id) => id !== '')
  const names = await keyNames(deps, { ids })
  return all.map((own) => found.splice(0, own.length).map((each) => toView(each, names)))
}

function templateOf(owner: Owner, budget: EachBudget, now: number): Template {
  const { workspace, scope } = owner
  const isOfOwnKey = scope.kind === 'key'
  const asked: ValuesAsked = {
    workspace,
    ...kindOfEach(budget.each),
    isByKey: isOfOwnKey || isOfKey(budget.each),
    keyIds: isOfOwnKey ? [scope.id] : null,
    startsAt: periodBounds(budget.per, now).startsAt,
    since: Math.floor(now / DAY_MS) * DAY_MS - DAY_MS,
  }
  return { owner, budget, asked }
}

/** Those of many keys are read together. */
async function readAll(
  db: ManagementDeps['reads'],
  templates: readonly Template[],
  now: number,
): Promise<(LiveValues | undefined)[]> {
  const groups = new Map<string, ValuesAsked>()
  const nameOf = ({ keyIds, ...rest }: ValuesAsked) => JSON.stringify([rest, keyIds !== null])
  for (const { asked } of templates) {
    if (asked.kind === '' || (asked.kind === 'key' && asked.keyIds !== null)) continue
    const known = groups.get(nameOf(asked))
    const keyIds = asked.keyIds === null ? null : [...new Set([...(known?.keyIds ?? []), ...asked.keyIds])]
    groups.set(nameOf(asked), { ...asked, keyIds })
  }
  const found = new Map<string, Map<string, LiveValues>>()
  for (const [name, asked] of groups) found.set(name, await readLiveValues(db, asked, MOST_SHOWN, now))
  return templates.map(({ asked }) => {
    const lists = found.get(nameOf(asked))
    return lists === undefined ? undefined : (lists.get(asked.keyIds?.[0] ?? '') ?? NONE)
  })
}

const NONE: LiveValues = { live: 0, values: [] }

/** A budget of the key or workspace itself has one value, which is always there. */
function budgetsOf({ owner, budget, asked }: Template, live: LiveValues | undefined, raise: RaisedBy): ValueBudget[] {
  const { workspace, scope } = owner
  const itself: ValueScope = {
    ...{ workspace, keyId: scope.kind === 'key' ? scope.id : '', kind: asked.kind, of: '', value: '' },
  }
  return (live?.values ?? [itself]).map((value) => valueBudget(scope, budget, value, raise))
}

function tightestOf(uses: readonly { budget: ValueBudget; state: BudgetState | undefined }[]) {
  const known = uses.flatMap(({ budget, state }) => (state === undefined ? [] : [{ budget, state }]))
  const left = ({ limit, spent, held }: BudgetState) => limit - spent - held
  return known.sort((a, b) => (left(a.state) < left(b.state) ? -1 : 1)).slice(0, MOST_SHOWN)
}

interface Found {
  template: Template
  live: number
  uses: { budget: ValueBudget; state: BudgetState }[]
}

function toView({ template, live, uses }: Found, names: ReadonlyMap<string, string>): TemplateBudget {
  const { each, per, mode, usd } = template.budget
  return {
    each: each ?? null,
    per,
    mode,
    limit_usd: usd,
    live,
    tightest: uses.map(({ budget: { scope }, state }) => ({
      value: scope.value === '' ? null : scope.value,
      session: scope.kind === 'agent' ? scope.of : null,
      key_id: scope.keyId === '' ? null : scope.keyId,
      key: names.get(scope.keyId) ?? null,
      ...toBudgetUse(state),
    })),
  }
}
