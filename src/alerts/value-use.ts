import { type Kysely, sql } from 'kysely'
import { periodBounds } from '../domain/budgets/budget-period.ts'
import { valueName } from '../domain/budgets/each.ts'
import { isUsable } from '../domain/key.ts'
import type { EachBudget, Limits } from '../domain/limits.ts'
import { picodollarsOfUsd } from '../domain/pricing/price.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { Scope } from '../limits/ledger.ts'
import type { ExactInteger } from '../store/engine/exact-integer.ts'
import type { Database } from '../store/engine/schema.ts'
import type { BudgetUse } from './budget-use.ts'

const DAY_MS = 86_400_000
/** Of one budget: more alerts at once help no one. */
const MOST_VALUES = 20

interface Template {
  scope: Scope
  name: string
  workspace: string
  budget: EachBudget & { each: string; warn_at: number }
}

/** Sessions, agents, users, projects and values of tags that have reached the part from which their budget warns. */
export async function readValueUses(db: Kysely<Database>, snapshot: Snapshot, now: number): Promise<BudgetUse[]> {
  const uses: BudgetUse[] = []
  for (const template of templatesOf(snapshot, now)) uses.push(...(await usesOf(db, template, snapshot, now)))
  return uses
}

function templatesOf(snapshot: Snapshot, now: number): Template[] {
  const found: Template[] = []
  const add = (of: Omit<Template, 'budget'>, limits: Limits | null) => {
    for (const budget of limits?.budgets ?? []) {
      const { each, warn_at: warnAt } = budget
      if (each === undefined || each === 'key' || warnAt === undefined) continue
      found.push({ ...of, budget: { ...budget, each, warn_at: warnAt } })
    }
  }
  for (const { name, limits } of snapshot.workspaces.values()) {
    add({ scope: { kind: 'workspace', id: name }, name, workspace: name }, limits)
  }
  for (const key of snapshot.keys.values()) {
    const { id, name, workspace, limits } = key
    if (workspace !== null && isUsable(key, now)) add({ scope: { kind: 'key', id }, name, workspace }, limits)
  }
  return found
}

/** Among those that were used since yesterday; an agent by what it has spent itself. */
async function usesOf(
  db: Kysely<Database>,
  { scope, name, workspace, budget }: Template,
  snapshot: Snapshot,
  now: number,
): Promise<BudgetUse[]> {
  const { each, per, warn_at: warnAt } = budget
  const [kind, of] = each.startsWith('tag:') ? ['tag', each.slice(4)] : [each, null]
  const isByKey = scope.kind === 'key' || kind === 'session' || kind === 'agent'
  const { startsAt } = periodBounds(per, now)
  const limit = picodollarsOfUsd(budget.usd)
  const warnFrom = (limit * BigInt(warnAt) + 99n) / 100n
  const sum = sql<ExactInteger>`cast(sum(counted_picodollars) as bigint)`
  const by = isByKey ? (['of_name', 'value', 'key_id'] as const) : (['of_name', 'value'] as const)
  let rows = db
    .selectFrom('value_days')
    .select([...by, sum.as('spent')])
    .where('workspace', '=', workspace)
    .where('kind', '=', kind)
    .where('day', '>=', startsAt)
    .groupBy([...by])
    .having(sql<boolean>`sum(counted_picodollars) >= ${warnFrom} and max(day) >= ${now - 2 * DAY_MS}`)
    .orderBy(sum, 'desc')
    .limit(MOST_VALUES)
  if (of !== null) rows = rows.where('of_name', '=', of)
  if (scope.kind === 'key') rows = rows.where('key_id', '=', scope.id)
  const found = (await rows.execute()) as { of_name: string; value: string; key_id?: string; spent: ExactInteger }[]
  return found.map(({ of_name: ofName, value, key_id: keyId, spent }) => ({
    ...{ scope, workspace, per, startsAt, isHard: budget.mode === 'hard', limit, spent: BigInt(spent), warnAt },
    name: keyId === undefined ? name : (snapshot.keys.get(keyId)?.name ?? keyId),
    value: valueName({ kind: kind as 'session', of: ofName, value }),
  }))
}
