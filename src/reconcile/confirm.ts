import type { Attributed } from './attribute.ts'
import { least } from './steps/step.ts'

/** A call with unconfirmed spend; `confirmed`: what a correction says of it, null: none does. Picodollars. */
export interface UnconfirmedCall {
  id: string
  keyId: string
  startedAt: number
  most: bigint
  confirmed: bigint | null
}

export interface ConfirmedCall {
  id: string
  picodollars: bigint
}

/**
 * What the report bills for the calls of a cell that are neither confirmed nor released. The amount of a stretch of time is
 * divided by what each of its calls can have cost: a report does not say which of them it was. No call gets more than that,
 * and together they get the amount to the picodollar, less what was confirmed before.
 */
export function confirmedCalls({ cell, takes }: Attributed, calls: readonly UnconfirmedCall[]): ConfirmedCall[] {
  return takes.flatMap(({ cause, part, amount }) => {
    const stretch = 'interval' in part ? cell.intervals[part.interval] : undefined
    if (cause !== 'unconfirmed' || stretch === undefined) return []
    const own = calls.filter(({ startedAt }) => startedAt >= stretch.start && startedAt < stretch.end)
    const known = own.reduce((sum, { confirmed }) => sum + (confirmed ?? 0n), 0n)
    return divided(
      amount > known ? amount - known : 0n,
      own.filter(({ confirmed }) => confirmed === null),
    )
  })
}

/** Exactly: each rounds what those before it have left over. */
function divided(amount: bigint, calls: readonly UnconfirmedCall[]): ConfirmedCall[] {
  const whole = calls.reduce((sum, { most }) => sum + most, 0n)
  const due = least(amount, whole)
  let [before, given] = [0n, 0n]
  return calls.map(({ id, most }) => {
    before += most
    const picodollars = whole === 0n ? 0n : (due * before) / whole - given
    given += picodollars
    return { id, picodollars }
  })
}

/** Of this cell: what is confirmed by its report, or may be. */
export function billedUnconfirmed({ takes }: Attributed): bigint {
  const own = takes.filter(({ cause }) => cause === 'unconfirmed')
  return own.reduce((sum, { amount }) => sum + amount, 0n)
}
