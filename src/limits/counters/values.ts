import { asPicodollars, type Picodollars } from '../../domain/pricing/price.ts'
import type { Scope } from '../ledger.ts'

/** Whole dollars and the rest: each is exact as a Lua number, their sum would not be. */
const REST = 1_000_000_000_000n

export function dollarsAndRest(amount: bigint): [dollars: string, rest: string] {
  return [String(amount / REST), String(amount % REST)]
}

export function amountOf(dollars: number, rest: number): Picodollars {
  return asPicodollars(BigInt(dollars) * REST + BigInt(rest))
}

export function nameOf({ kind, id }: Scope): string {
  return `${kind}:${id}`
}

export function scopeOf(name: string): Scope {
  const at = name.indexOf(':')
  return { kind: name.slice(0, at) === 'key' ? 'key' : 'workspace', id: name.slice(at + 1) }
}
