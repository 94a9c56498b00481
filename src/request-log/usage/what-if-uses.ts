import type { Kysely } from 'kysely'
import { costOf, type Price } from '../../domain/pricing/price.ts'
import { isInPlaceOfTokens, rateOf } from '../../domain/pricing/unit-prices.ts'
import { hasTokens, type TokenUsage } from '../../domain/pricing/usage.ts'
import type { Database, RequestRow } from '../../store/engine/schema.ts'
import { USAGE_COLUMNS, usageOf } from '../row.ts'
import { callsOf, type WhatIfGroup, type WhatIfQuery } from './what-if.ts'

const AT_ONCE = 1_000

/**
 * The calls that used more than tokens: each is priced as the call itself would have been. There are few of them, and the
 * price of an image goes by its name.
 */
export async function whatIfOfUses(db: Kysely<Database>, query: WhatIfQuery): Promise<WhatIfGroup[]> {
  const groups = new Map<string, WhatIfGroup>()
  let last: { started_at: number; id: string } | undefined
  do {
    let calls = callsOf(db, query)
      .where('uses', 'is not', null)
      .select([...USAGE_COLUMNS, 'id', 'started_at', 'provider', 'model', 'price_version', 'cost_picodollars'])
      .orderBy('started_at')
      .orderBy('id')
      .limit(AT_ONCE)
    const { started_at: at, id } = last ?? { started_at: -1, id: '' }
    calls = calls.where(({ or, and, eb }) =>
      or([eb('started_at', '>', at), and([eb('started_at', '=', at), eb('id', '>', id)])]),
    )
    const rows = await calls.execute()
    for (const row of rows) count(groups, row, usageOf(row), priceFor(row, query))
    last = rows.length < AT_ONCE ? undefined : rows.at(-1)
  } while (last !== undefined)
  return [...groups.values()]
}

type Call = Pick<RequestRow, 'provider' | 'model' | 'price_version' | 'cost_picodollars'>

function priceFor({ provider, model, price_version: version }: Call, { prices }: WhatIfQuery): Price | undefined {
  const found = prices.find(({ of }) => {
    if (of === null) return true
    return 'version' in of ? of.version === version : of.provider === provider && of.model === model
  })
  return found?.price
}

function count(groups: Map<string, WhatIfGroup>, call: Call, usage: TokenUsage | null, price: Price | undefined): void {
  if (usage === null) return
  const { provider, model } = call
  const paid = call.cost_picodollars === null ? null : BigInt(call.cost_picodollars)
  const cost = price === undefined ? null : costOf(usage, price)
  const unit = price === undefined || cost !== null ? null : unitWithoutPrice(usage, price)
  const name = JSON.stringify([provider, model, paid === null, cost === null, unit])
  const known = groups.get(name)
  groups.set(name, {
    ...{ provider, model, unit },
    requests: (known?.requests ?? 0) + 1,
    paidPicodollars: paid === null ? null : (known?.paidPicodollars ?? 0n) + paid,
    whatIfPicodollars: cost === null ? null : (known?.whatIfPicodollars ?? 0n) + cost,
  })
}

function unitWithoutPrice(usage: TokenUsage, { base, units }: Price): string | null {
  const arePaid = base !== null && hasTokens(usage)
  const names = Object.keys(usage.uses ?? {})
  return names.find((name) => rateOf(name, units) === undefined && !(arePaid && isInPlaceOfTokens(name))) ?? null
}
