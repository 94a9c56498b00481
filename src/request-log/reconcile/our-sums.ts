import { type Kysely, type RawBuilder, sql } from 'kysely'
import { OUTPUT_PARTS, TOKEN_CLASSES } from '../../domain/pricing/classes.ts'
import { type ClassPrices, compilePrice, type Price, parsePrices } from '../../domain/pricing/price.ts'
import type { ExactInteger } from '../../store/engine/exact-integer.ts'
import type { Database } from '../../store/engine/schema.ts'

/** The served calls of one provider and model in a bucket of time, by price class. */
export interface RowSums {
  provider: string
  model: string
  start: number
  requests: bigint
  tokens: Map<string, bigint>
  amounts: Map<string, bigint>
  /** List prices of one token; null: unknown. */
  prices: Map<string, bigint> | null
  /** What tools cost that the provider ran. */
  fees: bigint
  unconfirmed: { calls: bigint; least: bigint; most: bigint; ids: string[] }
}

export interface Stretch {
  workspace: string
  from: number
  to: number
  /** Width of a bucket, in milliseconds. */
  width: number
}

/** `input_per_mtok` → `input`. */
const nameOf = (price: string) => price.replace('_per_mtok', '')

const PART = 1_000_000_000n
const part = sql.raw(String(PART))
/** In two parts, because SQLite refuses to add beyond 64 bits. */
const parts = (column: string) => [
  sql`sum(coalesce(${sql.ref(column)}, 0) / ${part})`.as(`${column}_high`),
  sql`sum(coalesce(${sql.ref(column)}, 0) % ${part})`.as(`${column}_low`),
]

type Row = Record<string, ExactInteger | string | null>
const whole = (row: Row, column: string) =>
  BigInt(row[`${column}_high`] ?? 0) * PART + BigInt(row[`${column}_low`] ?? 0)

const MONEY = ['cost_picodollars', 'unconfirmed_most_picodollars'] as const
const isUnconfirmed = sql`unconfirmed_most_picodollars is not null`

/** From the rows, because prices and percentages of single calls are in no sum. */
export async function sumsForReconciliation(db: Kysely<Database>, stretch: Stretch): Promise<RowSums[]> {
  const places = await placesOf(db, stretch)
  const rows = await rowsOf(db, stretch)
    .where(sql<boolean>`(prompt_tokens is not null or ${isUnconfirmed})`)
    .select([
      ...['provider' as const, 'model' as const],
      bucketOf('started_at', stretch).as('start'),
      placeOf(places).as('place'),
      sql`coalesce(price_percent, 100)`.as('percent'),
      sql`sum(case when prompt_tokens is null then 0 else 1 end)`.as('requests'),
      sql`sum(case when ${isUnconfirmed} then 1 else 0 end)`.as('unconfirmed'),
      sql`min(case when ${isUnconfirmed} then id end)`.as('first_id'),
      ...MONEY.flatMap(parts),
      ...TOKEN_CLASSES.map((each) => sql`sum(${chargedIn(each)})`.as(each.name)),
    ])
    .groupBy(sql`1, 2, 3, 4, 5`)
    .execute()
  return rows.map((row) => sumsOf(row as unknown as Row, places))
}

function rowsOf(db: Kysely<Database>, { workspace, from, to }: Stretch) {
  return db
    .selectFrom('requests')
    .where('workspace', '=', workspace)
    .where('started_at', '>=', from)
    .where('started_at', '<', to)
    .where('state', '=', 'closed')
    .where('provider', 'is not', null)
    .where('model', 'is not', null)
    .where(sql<boolean>`coalesce(cache, '') <> 'hit'`)
}

function bucketOf(column: string, { width }: Stretch): RawBuilder<unknown> {
  return sql`${sql.ref(column)} - ${sql.ref(column)} % ${sql.lit(width)}`
}

/** `chargedTokens` of a row; one from before a class was added has no count of it. */
function chargedIn({ name, column }: (typeof TOKEN_CLASSES)[number]): RawBuilder<unknown> {
  const within = name === 'output' ? OUTPUT_PARTS : []
  const tokens = [column, ...within.map((each) => each.column)].map((each) => sql`coalesce(${sql.ref(each)}, 0)`)
  return sql`(${sql.join(tokens, sql` - `)})`
}

/** Prices that calls of the stretch began with, and when they applied. */
interface Place {
  condition: RawBuilder<unknown>
  prices: ClassPrices | null
  base: Price['base']
}

async function placesOf(db: Kysely<Database>, stretch: Stretch): Promise<Place[]> {
  const used = await rowsOf(db, stretch).select('price_version').distinct().execute()
  const ids = used.flatMap(({ price_version: id }) => (id === null ? [] : [id]))
  if (ids.length === 0) return []
  const versions = await db.selectFrom('price_versions').select(['id', 'prices']).where('id', 'in', ids).execute()
  return versions.flatMap(({ id, prices }) => {
    const { base, tiers } = compilePrice(parsePrices(prices))
    const own = sql`price_version = ${sql.lit(id)}`
    return [
      ...tiers.map((tier) => ({
        ...{ condition: sql`${own} and prompt_tokens > ${sql.lit(tier.above)}`, prices: tier.prices, base },
      })),
      { condition: own, prices: base, base },
    ]
  })
}

function placeOf(places: readonly Place[]): RawBuilder<unknown> {
  const cases = places.map(({ condition }, index) => sql`when ${condition} then ${sql.lit(index)}`)
  return cases.length === 0 ? sql`-1` : sql`case ${sql.join(cases, sql` `)} else -1 end`
}

function sumsOf(row: Row, places: readonly Place[]): RowSums {
  const place = places[Number(row['place'])]
  const [requests, percent] = [BigInt(row['requests'] ?? 0), BigInt(row['percent'] ?? 100)]
  const tokens = new Map(TOKEN_CLASSES.map((each) => [nameOf(each.price), BigInt(row[each.name] ?? 0)]))
  const amounts = new Map(
    TOKEN_CLASSES.map((each): [string, bigint] => [
      nameOf(each.price),
      ((tokens.get(nameOf(each.price)) ?? 0n) * (place?.prices?.[each.name] ?? 0n) * percent) / 100n,
    ]),
  )
  const cost = whole(row, 'cost_picodollars')
  const rest = [...amounts.values()].reduce((left, amount) => left - amount, cost)
  // Percentages are rounded by call, and here by class; what is more than that are fees for tools.
  const limit = BigInt(TOKEN_CLASSES.length) + requests
  const isRounding = place === undefined || rest <= limit
  if (isRounding) amounts.set('output', (amounts.get('output') ?? 0n) + rest)
  const id = row['first_id']
  return {
    ...{ provider: String(row['provider']), model: String(row['model']), start: Number(row['start']), requests },
    ...{ tokens: nonzero(tokens), amounts: nonzero(amounts), fees: isRounding ? 0n : rest },
    prices: place?.base == null ? null : priceMap(place.base),
    unconfirmed: {
      calls: BigInt(row['unconfirmed'] ?? 0),
      // What is certain is part of the cost already.
      least: 0n,
      most: whole(row, 'unconfirmed_most_picodollars'),
      ids: typeof id === 'string' ? [id] : [],
    },
  }
}

function nonzero(counts: ReadonlyMap<string, bigint>): Map<string, bigint> {
  return new Map([...counts].filter(([, count]) => count !== 0n))
}

function priceMap(prices: ClassPrices): Map<string, bigint> {
  return new Map(TOKEN_CLASSES.map(({ name, price }) => [nameOf(price), prices[name]]))
}

/** Calls that ended in a later bucket than they began, by both. */
export async function crossingsForReconciliation(db: Kysely<Database>, stretch: Stretch) {
  const [started, finished] = [bucketOf('started_at', stretch), bucketOf('finished_at', stretch)]
  const rows = await rowsOf(db, stretch)
    .where('cost_picodollars', 'is not', null)
    .where(sql<boolean>`${started} <> ${finished}`)
    .select([
      ...['provider' as const, 'model' as const],
      ...[started.as('started'), finished.as('finished'), ...parts('cost_picodollars')],
    ])
    .groupBy(sql`1, 2, 3, 4`)
    .execute()
  return (rows as unknown as Row[]).map((row) => ({
    ...{ provider: String(row['provider']), model: String(row['model']) },
    ...{ startedAt: Number(row['started']), finishedAt: Number(row['finished']) },
    amount: whole(row, 'cost_picodollars'),
  }))
}
