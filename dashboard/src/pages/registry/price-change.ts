import type { Item } from '../../api/client.ts'
import { PRICE_CLASSES, type PriceField } from '../../format/token-classes.ts'

export type PriceVersion = Item<'registry.history'>
export type PriceList = Pick<PriceVersion, PriceField | 'tiers' | 'unit_prices'>

export interface PriceMove {
  /** "Input", "Output above 200,000 tokens". */
  name: string
  before: string | null
  after: string | null
  direction: 'up' | 'down' | 'set' | 'unset'
  /** `+12.5 %`; null where there is nothing to compare with. */
  percent: string | null
}

const SCALE = 12

/** A decimal of at most twelve places as a whole number of its last place. */
function scaled(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.slice(0, SCALE).padEnd(SCALE, '0'))
}

/** Which way a price went; null when it stayed. The comparison is exact, only the percentage is rounded. */
export function moveOf(name: string, before: string | null, after: string | null): PriceMove | null {
  if (before === null && after === null) return null
  if (before === null) return { name, before, after, direction: 'set', percent: null }
  if (after === null) return { name, before, after, direction: 'unset', percent: null }
  const [old, now] = [scaled(before), scaled(after)]
  if (old === now) return null
  return { name, before, after, direction: now > old ? 'up' : 'down', percent: percentOf(old, now) }
}

function percentOf(old: bigint, now: bigint): string | null {
  if (old === 0n) return null
  const tenths = Number(((now - old) * 100_000n) / old) / 100
  const rounded = Math.abs(tenths) >= 1000 ? (tenths / 10).toFixed(0) : (tenths / 10).toFixed(1).replace(/\.0$/, '')
  const sign = now > old ? '+' : '−'
  const figure = rounded.replace('-', '')
  // A change is never rounded away.
  return `${sign}${figure === '0' ? '<0.1' : figure} %`
}

/** What a version changed against the one before it: every class, of every length of prompt. */
export function movesOf(before: PriceList | null, after: PriceList): PriceMove[] {
  const lengths = new Set([...(before?.tiers ?? []), ...after.tiers].map((tier) => tier.prompt_tokens_above))
  const moves = classMoves('', before, after)
  for (const length of [...lengths].sort((a, b) => a - b)) {
    const tierOf = (list: PriceList | null) => list?.tiers.find((tier) => tier.prompt_tokens_above === length) ?? null
    moves.push(...classMoves(` above ${length.toLocaleString('en-US')} tokens`, tierOf(before), tierOf(after)))
  }
  const names = new Set([...(before?.unit_prices ?? []), ...after.unit_prices].map(({ name }) => name))
  for (const name of names) {
    const of = (list: PriceList | null) => list?.unit_prices.find((price) => price.name === name)?.usd_per_1000 ?? null
    const move = moveOf(`${name} per 1,000`, of(before), of(after))
    if (move !== null) moves.push(move)
  }
  return moves
}

type Classes = Record<PriceField, string | null>

function classMoves(suffix: string, before: Classes | null, after: Classes | null): PriceMove[] {
  return PRICE_CLASSES.flatMap(({ field, name }) => {
    const move = moveOf(name + suffix, before?.[field] ?? null, after?.[field] ?? null)
    return move === null ? [] : [move]
  })
}

/** Whether a change of a registry field, as an import reports it, is about a price, and which way it goes. */
export function fieldMove(field: string, before: unknown, after: unknown): PriceMove | null {
  const name = PRICE_CLASSES.find((known) => known.field === field)?.name
  if (name === undefined) return null
  const text = (value: unknown) => (typeof value === 'string' ? value : null)
  return moveOf(name, text(before), text(after))
}
