import type { Reply } from '../../api/client.ts'
import { addExact, compareExact, isZero, magnitude } from '../../format/exact.ts'

export type Reconciliation = Reply<'reconciliation.get'>
type Provider = Reconciliation['data'][number]

/** A model of a provider in one period. */
export type CellRow = Provider['cells'][number] & {
  /** In the address, while it is open. */
  id: string
  provider: string
}

export type Cause = Provider['causes'][number]

type Open = NonNullable<CellRow['unconfirmed']>

/**
 * The settled calls of a provider that are neither confirmed nor released, by what their reports say: billed or not. Null:
 * there are none.
 */
export function openOf({ cells }: Provider, isBilled: boolean, now: Date): Open | null {
  const found = cells.flatMap(({ unconfirmed, settles_at: settles }) =>
    unconfirmed === null || new Date(settles) > now || isZero(unconfirmed.billed_usd) === isBilled ? [] : [unconfirmed],
  )
  if (found.length === 0) return null
  const keys = new Map<string, Open['keys'][number]>()
  for (const each of found.flatMap(({ keys: own }) => own)) {
    keys.set(each.id, { ...each, open_calls: each.open_calls + (keys.get(each.id)?.open_calls ?? 0) })
  }
  return {
    open_calls: found.reduce((sum, each) => sum + each.open_calls, 0),
    open_most_usd: addExact(found.map((each) => each.open_most_usd)),
    billed_usd: addExact(found.map((each) => each.billed_usd)),
    keys: [...keys.values()],
  }
}

/** Or has calls to release, because nothing was billed for them. */
export function isDifferent({
  difference_usd: difference,
  causes,
  unconfirmed,
}: Pick<CellRow, 'difference_usd' | 'causes' | 'unconfirmed'>): boolean {
  return !isZero(difference) || causes.length > 0 || unconfirmed !== null
}

/** The newest day first, and on each the largest difference. */
export function cellsOf({ data }: Reconciliation): CellRow[] {
  return data
    .flatMap(({ provider, cells }) =>
      cells.map((cell) => ({ ...cell, provider, id: [cell.period, provider, cell.model ?? ''].join(' ') })),
    )
    .toSorted(
      (a, b) =>
        b.period.localeCompare(a.period) ||
        compareExact(magnitude(b.difference_usd), magnitude(a.difference_usd)) ||
        a.id.localeCompare(b.id),
    )
}

const TITLES: Readonly<Record<string, string>> = {
  missing_rows: 'Missing rows',
  not_settled: 'Not settled yet',
  charges: 'Other charges',
  midnight: 'Over midnight',
  class: 'Other token class',
  tier: 'Service tier',
  price: 'Price',
  tools: 'Tools',
  mapping: 'Model name',
  unconfirmed: 'Calls without an answer',
  unconfirmed_or_foreign: 'Unanswered or foreign calls',
  foreign: 'Foreign calls',
  not_billed: 'Not billed',
  rounding: 'Rounding',
}

export function causeTitle(cause: string): string {
  return TITLES[cause] ?? cause
}

/** `+0.0435`, `−3.10`: a difference always has its sign. */
export function signed(usd: string): string {
  const text = cents(magnitude(usd))
  return usd.startsWith('-') ? `−${text}` : `+${text}`
}

/** Every digit, and two decimals at least. */
export function cents(usd: string): string {
  const [whole = '0', fraction = ''] = usd.split('.')
  return `${whole}.${fraction.padEnd(2, '0')}`
}
