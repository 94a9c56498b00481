/** How much of a limit is used, for a bar and the figure beside it. */
export interface BudgetUse {
  /** From 0 to 100, for the widths of the bar: what is spent, and behind it what is set aside or unconfirmed. */
  spentWidth: number
  heldWidth: number
  /** As the gateway decides it: near from 80 %, over from 100 %. */
  state: 'ok' | 'near' | 'over'
  /** Rounded down: a limit that is not reached is never shown as 100 %. */
  percent: string
}

/** Whole picodollars: the API's amounts have at most twelve digits behind the point. */
function picodollars(usd: string): bigint {
  const [whole = '0', fraction = ''] = usd.split('.')
  return BigInt(whole + fraction.slice(0, 12).padEnd(12, '0'))
}

/** Exact to the last digit where it decides a colour or a figure; floating-point only for the widths. */
export function budgetUse(limitUsd: string, spentUsd: string, ...others: readonly string[]): BudgetUse {
  const limit = picodollars(limitUsd)
  const spent = picodollars(spentUsd)
  const used = others.reduce((sum, usd) => sum + picodollars(usd), spent)
  const tenths = limit === 0n ? 1000n : (used * 1000n) / limit
  const width = (amount: bigint) =>
    limit === 0n ? 100 : Number(amount > limit ? 10_000n : (amount * 10_000n) / limit) / 100
  const spentWidth = width(spent)
  return {
    spentWidth,
    heldWidth: width(used) - spentWidth,
    state: used >= limit ? 'over' : used * 100n >= limit * 80n ? 'near' : 'ok',
    percent: percentText(tenths, used),
  }
}

function percentText(tenths: bigint, used: bigint): string {
  if (tenths === 0n) return used === 0n ? '0 %' : '<0.1 %'
  if (tenths < 100n) return `${tenths / 10n}.${tenths % 10n} %`
  return `${(tenths / 10n).toLocaleString('en-US')} %`
}

/** For sorting by how full a budget is; null, no budget, comes last. */
export function fullness(limitUsd: string | null, ...amounts: readonly string[]): number {
  if (limitUsd === null) return -1
  const limit = picodollars(limitUsd)
  const used = amounts.reduce((sum, usd) => sum + picodollars(usd), 0n)
  return limit === 0n ? Number.POSITIVE_INFINITY : Number((used * 1_000_000n) / limit)
}

export const PER = { day: 'a day', week: 'a week', month: 'a month', total: 'in total' } as const
