import type { Uses } from './usage.ts'

/**
 * What one unit is. Of `request`, a call pays once however often it used the thing; of time, a use is a millisecond; of all
 * others each use is paid. Free quotas of a vendor are never subtracted: they belong to the account, not to a call.
 */
export const UNITS = [
  'call',
  'request',
  'distinct_query',
  'result',
  'container',
  'minute',
  'search',
  'image',
  'character',
  'page',
  'audio_second',
  'audio_minute',
  'audio_hour',
] as const
export type Unit = (typeof UNITS)[number]

const MILLISECONDS: Readonly<Partial<Record<Unit, number>>> = {
  audio_second: 1_000,
  audio_minute: 60_000,
  audio_hour: 3_600_000,
}

/** Milliseconds in a unit of time; null for all others. */
export function millisecondsOf(unit: Unit): number | null {
  return MILLISECONDS[unit] ?? null
}

/**
 * What models do that is billed by units in place of tokens, by the name in the uses of a call and in the prices of a model.
 * Of a model with prices per token, one without a price of its own is covered by the tokens.
 */
export const IMAGE = 'image'
export const AUDIO_INPUT = 'audio_input'
export const AUDIO_OUTPUT = 'audio_output'
export const CHARACTER = 'character'
export const PAGE = 'page'
export const SEARCH_UNIT = 'search_unit'
const TIME: readonly Unit[] = ['audio_second', 'audio_minute', 'audio_hour']
const IN_PLACE_OF_TOKENS: ReadonlyMap<string, readonly Unit[]> = new Map([
  [IMAGE, ['image']],
  [AUDIO_INPUT, TIME],
  [AUDIO_OUTPUT, TIME],
  [CHARACTER, ['character']],
  [PAGE, ['page']],
  [SEARCH_UNIT, ['search']],
])

/** In a name, of what is left open: `image:1024x1024:any`. */
export const ANY = 'any'

/** A price per use, of a model: of a tool that the provider runs, or of what the model itself does. */
export interface UnitPrice {
  /** An image has one by size and quality: `image`, `image:1024x1024`, `image:any:high`, `image:1024x1024:high`. */
  name: string
  unit: Unit
  /** Decimal USD for a thousand, at most six decimals: exact in picodollars. */
  usd_per_1000: string
  /** Of time: what a call pays at least, and the steps to which it is rounded up. */
  minimum_ms?: number | undefined
  step_ms?: number | undefined
}

/** Compiled for the hot path. */
export interface UnitRate {
  isOnce: boolean
  /** Picodollars. */
  each: bigint
  /** Of time, in milliseconds. */
  time?: { unit: bigint; minimum: number; step: number }
}

export function compileUnit({ unit, minimum_ms, step_ms }: UnitPrice, each: bigint): UnitRate {
  const milliseconds = millisecondsOf(unit)
  const rate: UnitRate = { isOnce: unit === 'request', each }
  if (milliseconds !== null) rate.time = { unit: BigInt(milliseconds), minimum: minimum_ms ?? 0, step: step_ms ?? 1 }
  return rate
}

/** How many of so many uses are paid. */
export function paidUses(uses: number, { isOnce, time }: UnitRate): number {
  if (time === undefined) return isOnce ? Math.min(uses, 1) : uses
  return Math.ceil(Math.max(uses, time.minimum) / time.step) * time.step
}

/** Of a part of a unit, rounded half up to a picodollar. */
export function feeOf(uses: number, rate: UnitRate): bigint {
  const fee = BigInt(paidUses(uses, rate)) * rate.each
  return rate.time === undefined ? fee : (fee + rate.time.unit / 2n) / rate.time.unit
}

/**
 * The price of what a call used, by its name. Where the name says more than one thing (`image:1024x1024:high`), the most
 * specific price that fits; where it leaves something open, the dearest that may fit.
 */
export function rateOf<Rate extends UnitRate>(
  name: string,
  rates: ReadonlyMap<string, Rate> | undefined,
): Rate | undefined {
  if (rates === undefined || !name.includes(':')) return rates?.get(name)
  const asked = name.split(':')
  const isOpen = asked.includes(ANY)
  let found: { rate: Rate; said: number } | undefined
  for (const [known, rate] of rates) {
    const parts = known.split(':')
    if (parts.some((part, at) => part !== ANY && asked[at] !== ANY && part !== asked[at])) continue
    const said = isOpen ? 0 : parts.filter((part) => part !== ANY).length
    const isDearer = found?.said === said && rate.each > found.rate.each
    if (found === undefined || said > found.said || isDearer) found = { rate, said }
  }
  return found?.rate
}

/** Whether tokens are paid in its place where it has no price. */
export function isInPlaceOfTokens(name: string): boolean {
  return IN_PLACE_OF_TOKENS.has(headOf(name))
}

/** The units in which it is counted: a price in another would be off by orders of magnitude. Null: any. */
export function unitsOf(name: string): readonly Unit[] | null {
  return IN_PLACE_OF_TOKENS.get(headOf(name)) ?? null
}

/** Whether its uses are milliseconds. */
export function isTimed(name: string): boolean {
  return unitsOf(name) === TIME
}

function headOf(name: string): string {
  const end = name.indexOf(':')
  return end === -1 ? name : name.slice(0, end)
}

/** Whether a call that used these is paid by units alone. */
export function arePaidAlone(uses: Uses): boolean {
  for (const name in uses) if (!isInPlaceOfTokens(name)) return false
  return true
}

/**
 * Of all uses together; null where one of them has no price: unknown is not free. `hasTokens`: the call has tokens, and
 * their prices are known.
 */
export function feesOf(
  uses: Uses,
  rates: ReadonlyMap<string, UnitRate> | undefined,
  hasTokens: boolean,
): bigint | null {
  let fees = 0n
  for (const name in uses) {
    const rate = rateOf(name, rates)
    if (rate !== undefined) fees += feeOf(uses[name] ?? 0, rate)
    else if (!hasTokens || !isInPlaceOfTokens(name)) return null
  }
  return fees
}
