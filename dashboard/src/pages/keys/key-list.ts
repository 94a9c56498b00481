import type { Item } from '../../api/client.ts'
import type { Sort } from '../../components/data-table.tsx'
import { fullness } from '../../format/budget.ts'
import { type KeyState, keyState } from '../../format/key-state.ts'
import { drawableUsd } from '../../format/money.ts'

export type Key = Item<'keys.list'>
export type Budget = Item<'budgets.list'>

/** A key with what it has used of its limits; null for one without limits, or that no longer works. */
export interface ListedKey extends Key {
  use: Budget | null
}

/** Rows made before: one whose key and use are the same is the same row, and is not drawn again. */
export type KnownRows = Map<string, { key: Key; use: Budget | null; row: ListedKey }>

export function withUse(keys: readonly Key[], budgets: readonly Budget[], known: KnownRows = new Map()): ListedKey[] {
  const uses = new Map(budgets.filter(({ scope }) => scope === 'key').map((budget) => [budget.id, budget]))
  return keys.map((key) => {
    const use = uses.get(key.id) ?? null
    const before = known.get(key.id)
    if (before !== undefined && before.key === key && before.use === use) return before.row
    const row = { ...key, use }
    known.set(key.id, { key, use, row })
    return row
  })
}

/** The money of the period that the budget is for; null without one. */
export function budgetMoney({ use }: Pick<ListedKey, 'use'>) {
  const budget = use?.limits.budget
  if (use === null || budget === undefined) return null
  const { per, mode } = budget
  const { limit_usd, spent_usd, unconfirmed_usd, held_usd, resets_at } = use.periods[per]
  return limit_usd === null ? null : { per, mode, limit_usd, spent_usd, unconfirmed_usd, held_usd, resets_at }
}

export interface KeyFilter {
  search: string
  /** Shows revoked ones too. */
  revoked: boolean
}

/** By name, or by the beginning of the value: with a leaked key, that is all one has. */
export function matching(keys: readonly ListedKey[], { search, revoked }: KeyFilter, now: number): ListedKey[] {
  const wanted = search.trim().toLowerCase()
  return keys.filter((key) => {
    if (!revoked && keyState(key, now) === 'revoked') return false
    const { name, prefix, id } = key
    const isPasted = wanted.startsWith(prefix.toLowerCase())
    return isPasted || [name, prefix, id].some((text) => text.toLowerCase().includes(wanted))
  })
}

const STATE_ORDER: Readonly<Record<KeyState, number>> = {
  expired: 0,
  expiring: 1,
  paused: 2,
  replaced: 3,
  live: 4,
  revoked: 5,
}

function sortValue(key: ListedKey, by: string, now: number): string | number {
  switch (by) {
    case 'state':
      return STATE_ORDER[keyState(key, now)]
    case 'last-used':
      return key.last_used_at === null ? 0 : Date.parse(key.last_used_at)
    case 'spent':
      return drawableUsd(key.spent_usd)
    case 'budget': {
      const money = budgetMoney(key)
      return money === null ? -1 : fullness(money.limit_usd, money.spent_usd, money.unconfirmed_usd, money.held_usd)
    }
    default:
      return key.name.toLowerCase()
  }
}

/** Equal ones stay newest first, as the gateway lists them; so do all without a name to sort by. Each value is worked out once: there may be thousands. */
export function sorted(keys: readonly ListedKey[], { by, descending }: Sort, now: number): ListedKey[] {
  const direction = descending ? -1 : 1
  return keys
    .map((key) => ({ key, value: by === '' ? 0 : sortValue(key, by, now) }))
    .sort((a, b) => (a.value === b.value ? 0 : a.value < b.value ? -direction : direction))
    .map(({ key }) => key)
}
