import type { Item } from '../../api/client.ts'
import { type Budget, moneyOf } from '../../components/limits/budget-watch.ts'
import type { PER } from '../../format/budget.ts'
import { isZero } from '../../format/exact.ts'
import { shortUsd } from '../../format/money.ts'

export interface Payer {
  id: string
  name: string
  /** What is left to spend, or how to tell it from another. */
  note: string
  canPay: boolean
}

type Key = Pick<Item<'keys.list'>, 'id' | 'name' | 'prefix' | 'paused_at'>

/** The keys that a call can be billed to, those furthest from their limits first. */
export function payersOf(keys: readonly Key[], budgets: readonly Budget[]): Payer[] {
  const byKey = new Map(budgets.filter(({ scope }) => scope === 'key').map((budget) => [budget.id, budget]))
  const rank = ({ id }: Key) => RANKS[byKey.get(id)?.state ?? 'ok']
  return keys
    .filter((key) => key.paused_at === null)
    .toSorted((a, b) => rank(a) - rank(b))
    .map((key) => payerOf(key, byKey.get(key.id)))
}

/** `near` is also one that has refused calls. */
const RANKS = { ok: 0, near: 1, over: 2 }

function payerOf({ id, name, prefix }: Key, budget: Budget | undefined): Payer {
  const money = budget === undefined ? null : moneyOf(budget)
  if (money === null || money.mode === 'soft' || money.remaining_usd === null) {
    return { id, name, note: `${prefix}…`, canPay: true }
  }
  if (isZero(money.remaining_usd)) return { id, name, note: 'budget used up', canPay: false }
  return { id, name, note: `${shortUsd(money.remaining_usd)} left ${PER_NOTE[money.per]}`, canPay: true }
}

const PER_NOTE: Record<keyof typeof PER, string> = {
  day: 'today',
  week: 'this week',
  month: 'this month',
  total: 'in total',
}
