import { amountOf } from '../amount.ts'

/**
 * The lists that gateways and the server's scripts exchange, and that the server keeps, with the names of their places.
 * Scripts are written with these names, and script.ts puts the numbers in; TypeScript writes and reads by them.
 *
 * Money is two places, dollars and `…_rest` in picodollars: Lua's numbers are doubles, exact up to 2^53.
 */
export const LISTS = {
  /** What the server keeps of a scope. What is leased has no period: it counts in whichever is present. */
  scope: [
    ...['day_ends', 'day_began', 'week_began', 'month_began', 'total_began'],
    ...['day_spent', 'day_spent_rest', 'week_spent', 'week_spent_rest'],
    ...['month_spent', 'month_spent_rest', 'total_spent', 'total_spent_rest'],
    // The sums of all leases, in_flight too.
    ...['leased', 'leased_rest', 'leased_calls', 'leased_requests', 'leased_tokens', 'in_flight'],
    'changes',
    // Of the last minute; the seconds are 0 when it is empty.
    ...['requests', 'tokens', 'oldest_second', 'newest_second'],
    // Until then idle leases are called back, and nothing is granted in advance.
    'recalled_until',
    // Leased money that no call holds.
    ...['idle', 'idle_rest'],
  ],
  /** What a node may use of a scope without asking. `has_idle`: 1 when some of it may be idle. */
  lease: ['money', 'money_rest', 'calls', 'requests', 'tokens', 'in_flight', 'has_idle', 'idle', 'idle_rest'],
  /** 0 is none. `period`: 1 to 4. */
  limits: ['rpm', 'tpm', 'parallel', 'period', 'is_hard', 'budget', 'budget_rest'],

  /** A node's report. `is_full`: 1 when everything up to its position is reported. */
  message: ['is_full', 'reports', 'calls', 'left'],
  report: [
    // `limits`: false is none.
    ...['name', 'limits'],
    // What the lease is set to.
    ...['kept', 'kept_rest', 'kept_calls', 'kept_requests', 'kept_tokens', 'in_flight', 'has_idle'],
    // What is asked for besides.
    ...['wanted', 'wanted_rest', 'wanted_calls', 'wanted_requests', 'wanted_tokens'],
    // What one call usually holds.
    ...['usual', 'usual_rest', 'usual_tokens'],
    // `spent`: costs; `minute`: changes of the minute; `counted`: calls that the server counted when it admitted them
    // and that have no row yet.
    ...['spent', 'minute', 'idle', 'idle_rest', 'counted'],
  ],
  cost: ['at', 'dollars', 'rest'],
  second: ['at', 'requests', 'tokens'],
  /** A call that waits for a decision; -1 is unknown. `requests`: 0 of a running call that holds more. Key and workspace are places in `reports`. */
  call: ['key', 'workspace', 'money', 'money_rest', 'tokens', 'requests'],
  /** A call to book by its id: a node left it behind when it died. */
  left: ['id', 'key', 'workspace', 'at', 'cost', 'cost_rest'],

  /** A scope's state for a node: its lease, what was spent in the budget's period, and the sums of all nodes. */
  state: [
    ...['money', 'money_rest', 'calls', 'requests', 'tokens', 'idle', 'idle_rest', 'spent', 'spent_rest'],
    ...['leased', 'leased_rest', 'all_idle', 'all_idle_rest', 'minute_requests', 'minute_tokens', 'newest_second'],
  ],
  /** `kind`: admitted, refused or ask-again. */
  outcome: ['kind', 'key', 'workspace'],
  /** A scope's state at a decision. For the waits, in milliseconds, -1 is never and -2 is "fits". */
  view: [
    ...['is_over_budget', 'spent', 'spent_rest', 'held', 'held_rest', 'requests', 'tokens', 'in_flight'],
    ...['rpm_wait', 'tpm_wait', 'is_over_parallel'],
  ],

  /** What a rebuild writes: a scope as logged, how far spools were folded, and ids of calls without an end. */
  logged: [
    ...['name', 'day_spent', 'day_spent_rest', 'week_spent', 'week_spent_rest'],
    ...['month_spent', 'month_spent_rest', 'total_spent', 'total_spent_rest', 'minute'],
  ],
  rebuilt: ['nodes', 'positions', 'left'],
  position: ['node', 'seq'],

  leased_node: ['node', 'scopes'],
  leased_scope: ['name', 'money', 'money_rest'],
} as const satisfies Record<string, readonly string[]>

type Lists = typeof LISTS
export type ListName = keyof Lists
export type Field<List extends ListName> = Lists[List][number]

/** A value in a list. */
export type Value = number | string | boolean | readonly Value[]

export function toList<List extends ListName>(list: List, values: Readonly<Record<Field<List>, Value>>): Value[] {
  const fields: readonly Field<List>[] = LISTS[list]
  return fields.map((field) => values[field])
}

/** The two places of an amount. */
export function places<Name extends string>(name: Name, money: bigint): Record<Name | `${Name}_rest`, number> {
  const { dollars, rest } = amountOf(money)
  return { [name]: dollars, [`${name}_rest`]: rest } as Record<Name | `${Name}_rest`, number>
}

/** A list by the names of its places. */
export function valuesOf<List extends ListName>(list: List, values: Value): Readonly<Record<Field<List>, Value>> {
  const named = LISTS[list].map((field, place) => [field, (values as readonly Value[])[place]])
  return Object.fromEntries(named) as Record<Field<List>, Value>
}

/** The same of a list of numbers. */
export function figuresOf<List extends ListName>(list: List, figures: Value): Readonly<Record<Field<List>, number>> {
  return valuesOf(list, figures) as Record<Field<List>, number>
}
