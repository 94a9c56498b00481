import { type Kysely, type RawBuilder, sql } from 'kysely'
import {
  CACHE_WRITE_CLASSES,
  type ClassColumn,
  OUTPUT_PARTS,
  TOKEN_CLASSES,
  type TokenClass,
} from '../../domain/pricing/classes.ts'
import type { Price } from '../../domain/pricing/price.ts'
import type { ExactInteger } from '../../store/engine/exact-integer.ts'
import type { Database, PriceVersionRow } from '../../store/engine/schema.ts'

/** The prices to apply: to every call, to the calls of one model, or to those that were priced with a version. */
export interface WhatIfPrice {
  /** Null: every call. */
  of: { provider: string; model: string } | { version: number } | null
  price: Price
}

/** Other tokens than those of the log: no prompt cached, all of it, or answers that end after so many tokens. */
export type AsIf = 'uncached' | 'cached' | { cap: number }

export interface WhatIfQuery {
  workspace: string
  from: number
  to: number
  keyId: string | null
  /** Empty for direct model ids. */
  route: string | null
  prices: readonly WhatIfPrice[]
  asIf?: AsIf
  /** Only calls that used nothing but tokens: `whatIfOfUses` has the others. */
  hasNoUses?: boolean
  /** Only calls that did not ask for a stream. */
  isWhole?: boolean
}

/** Calls of one model that share tier and percentage, and what they cost either way; null when that is unknown. */
export interface WhatIfGroup {
  provider: string | null
  model: string | null
  requests: number
  paidPicodollars: bigint | null
  whatIfPicodollars: bigint | null
  /** What they used that has no price there. */
  unit?: string | null
}

/** The newest price that was in force at a time; null when none was known yet. */
export async function priceVersionAt(
  db: Kysely<Database>,
  provider: string,
  model: string,
  at: number,
): Promise<PriceVersionRow | null> {
  const version = await db
    .selectFrom('price_versions')
    .selectAll()
    .where('provider', '=', provider)
    .where('model', '=', model)
    .where('created_at', '<=', at)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return version ?? null
}

/** The models that served calls in these hours. */
export async function modelsInUse(
  db: Kysely<Database>,
  { workspace, from, to }: Pick<WhatIfQuery, 'workspace' | 'from' | 'to'>,
): Promise<{ provider: string; model: string }[]> {
  return db
    .selectFrom('usage_hours')
    .select(['provider', 'model'])
    .distinct()
    .where('workspace', '=', workspace)
    .where('hour', '>', from - 3_600_000)
    .where('hour', '<', to)
    .where('model', '<>', '')
    .orderBy('provider')
    .orderBy('model')
    .execute()
}

/** In two parts, because SQLite refuses to add beyond 64 bits. */
const PART = 1_000_000_000n
const part = sql.raw(String(PART))

interface Row extends Record<TokenClass, ExactInteger> {
  provider: string | null
  model: string | null
  percent: number
  place: number
  paid: number
  requests: number
  remainders: number
  cost_high: ExactInteger | null
  cost_low: ExactInteger | null
}

/**
 * The calls of a range at other prices. The database adds up tokens of calls that share all prices, which are then
 * multiplied here without a limit of digits; only the rounding of a percentage needs each call, see `remainder`.
 */
export async function whatIf(db: Kysely<Database>, query: WhatIfQuery): Promise<WhatIfGroup[]> {
  const places = placesOf(query.prices)
  const charged = (each: ClassRow) => chargedIn(each, query.asIf)
  let calls = callsOf(db, query)
  if (query.hasNoUses === true) calls = calls.where('uses', 'is', null)
  const rows = await calls
    .select([
      'provider',
      'model',
      sql`coalesce(price_percent, 100)`.as('percent'),
      placeOf(places).as('place'),
      sql`case when cost_picodollars is null then 0 else 1 end`.as('paid'),
      sql`count(*)`.as('requests'),
      sql`sum(${remainder(places, charged)})`.as('remainders'),
      sql`sum(cost_picodollars / ${part})`.as('cost_high'),
      sql`sum(cost_picodollars % ${part})`.as('cost_low'),
      ...TOKEN_CLASSES.map((each) => sql`sum(${charged(each)})`.as(each.name)),
    ])
    .groupBy(sql`1, 2, 3, 4, 5`)
    .execute()
  return rows.map((row) => priced(row as unknown as Row, places))
}

/** The calls that have tokens. */
export function callsOf(db: Kysely<Database>, query: Omit<WhatIfQuery, 'prices'>) {
  let calls = db
    .selectFrom('requests')
    .where('workspace', '=', query.workspace)
    .where('started_at', '>=', query.from)
    .where('started_at', '<', query.to)
    .where('prompt_tokens', 'is not', null)
  if (query.keyId !== null) calls = calls.where('key_id', '=', query.keyId)
  if (query.route !== null) calls = calls.where('route', query.route === '' ? 'is' : '=', query.route || null)
  return query.isWhole === true ? calls.where('streamed', '=', 0) : calls
}

type ClassRow = (typeof TOKEN_CLASSES)[number]

/** A row from before a class was added has no count of it. */
function tokensIn(column: ClassColumn): RawBuilder<unknown> {
  return sql`coalesce(${sql.ref(column)}, 0)`
}

const sumOf = (columns: readonly ClassColumn[]) => sql`(${sql.join(columns.map(tokensIn), sql` + `)})`
const CACHE_CLASSES = [...TOKEN_CLASSES.filter(({ name }) => name === 'cachedInput'), ...CACHE_WRITE_CLASSES]
const CACHEABLE = [...TOKEN_CLASSES.filter(({ name }) => name === 'input'), ...CACHE_CLASSES]
const isCacheable = new Set<TokenClass>(CACHEABLE.map(({ name }) => name))

/** `chargedTokens` of a row, or what they would be. */
function chargedIn({ name, column }: ClassRow, asIf?: AsIf): RawBuilder<unknown> {
  if (typeof asIf === 'string' && isCacheable.has(name)) {
    const holder = asIf === 'cached' ? 'cachedInput' : 'input'
    return name === holder ? sumOf(CACHEABLE.map((each) => each.column)) : sql`0`
  }
  if (name !== 'output') return sql`(${tokensIn(column)})`
  const parts = sumOf(OUTPUT_PARTS.map((part) => part.column))
  const all = sql`(${tokensIn(column)} - ${parts})`
  if (typeof asIf !== 'object') return all
  // Where sound and images would have been cut is unknown.
  return sql`(case when ${parts} = 0 and ${tokensIn(column)} > ${sql.lit(asIf.cap)} then ${sql.lit(asIf.cap)} else ${all} end)`
}

/** Every set of prices that may apply, with the condition under which it does; the first that holds counts. */
interface Place {
  condition: RawBuilder<unknown>
  prices: Price['base']
}

function placesOf(prices: readonly WhatIfPrice[]): Place[] {
  return prices.flatMap(({ of, price }) => {
    const ours = conditionOf(of)
    const tiers = price.tiers.map(({ above, prices }) => ({
      condition: sql`${ours} and prompt_tokens > ${sql.lit(above)}`,
      prices,
    }))
    return [...tiers, { condition: ours, prices: price.base }]
  })
}

function conditionOf(of: WhatIfPrice['of']): RawBuilder<unknown> {
  if (of === null) return sql`1 = 1`
  if ('version' in of) return sql`(price_version = ${sql.lit(of.version)})`
  return sql`(provider = ${of.provider} and model = ${of.model})`
}

function placeOf(places: readonly Place[]): RawBuilder<unknown> {
  // What a call used beside tokens is part of what it cost, and sums of tokens say nothing of it.
  const ofTools = sql`when uses is not null then -1`
  return chosen([ofTools, ...places.map(({ condition }, index) => sql`when ${condition} then ${sql.lit(index)}`)], -1)
}

function chosen(cases: readonly RawBuilder<unknown>[], otherwise: number): RawBuilder<unknown> {
  return cases.length === 0
    ? sql`${sql.lit(otherwise)}`
    : sql`case ${sql.join(cases, sql` `)} else ${sql.lit(otherwise)} end`
}

/**
 * A call costs (list × percent + 50) / 100, rounded down. The sum of that over calls is the sum of the undivided values
 * minus the sum of their remainders, and a remainder needs only the last two digits of every factor: no overflow.
 */
function remainder(places: readonly Place[], charged: (each: ClassRow) => RawBuilder<unknown>): RawBuilder<unknown> {
  const cases = places.flatMap(({ condition, prices }) => {
    const terms = TOKEN_CLASSES.flatMap((each) => {
      const digits = Number((prices?.[each.name] ?? 0n) % 100n)
      return digits === 0 ? [] : [sql`${charged(each)} % 100 * ${sql.lit(digits)}`]
    })
    const list = terms.length === 0 ? sql`0` : sql.join(terms, sql` + `)
    return [sql`when ${condition} then ((${list}) % 100 * (coalesce(price_percent, 100) % 100) + 50) % 100`]
  })
  return chosen(cases, 50)
}

function priced(row: Row, places: readonly Place[]): WhatIfGroup {
  const prices = places[row.place]?.prices ?? null
  let whatIfPicodollars: bigint | null = null
  if (prices !== null) {
    const list = TOKEN_CLASSES.reduce((sum, { name }) => sum + BigInt(row[name]) * prices[name], 0n)
    whatIfPicodollars = (list * BigInt(row.percent) + 50n * BigInt(row.requests) - BigInt(row.remainders)) / 100n
  }
  const paid = BigInt(row.cost_high ?? 0) * PART + BigInt(row.cost_low ?? 0)
  return {
    provider: row.provider,
    model: row.model,
    requests: row.requests,
    paidPicodollars: row.paid === 1 ? paid : null,
    whatIfPicodollars,
  }
}
