import { isDeepStrictEqual } from 'node:util'
import { type Kysely, sql } from 'kysely'
import { type PriceList, parsePrices } from '../../domain/pricing/price.ts'
import type { Database, ManagedBy, PriceVersionRow, RegistryRow } from '../engine/schema.ts'
import type { ModelFacts } from './registry.ts'

/** A model of the registry with its newest price version. */
export interface RegistryItem {
  facts: ModelFacts
  managedBy: ManagedBy
  updatedAt: number
  /** Null while no price has ever been set. */
  version: PriceVersion | null
}

export interface PriceVersion {
  id: number
  createdAt: number
  source: string
  prices: PriceList
}

export interface RegistryFilter {
  provider?: string | undefined
  model?: string | undefined
  capability?: string | undefined
  /** Whether it has both an input and an output price. */
  priced?: boolean | undefined
  after?: { provider: string; model: string } | null
  limit?: number
}

/** By provider and model. */
export async function listRegistry(db: Kysely<Database>, filter: RegistryFilter): Promise<RegistryItem[]> {
  let rows = db
    .selectFrom('registry as r')
    .leftJoin('price_versions as p', (join) =>
      join.on('p.id', '=', (newest) =>
        newest
          .selectFrom('price_versions as v')
          .select((version) => version.fn.max('v.id').as('id'))
          .whereRef('v.provider', '=', 'r.provider')
          .whereRef('v.model', '=', 'r.model'),
      ),
    )
    .selectAll('r')
    .select(['p.id as version_id', 'p.created_at as priced_at', 'p.source', 'p.prices'])
    .orderBy('r.provider')
    .orderBy('r.model')
  const { provider, model, capability, priced, after, limit } = filter
  if (provider !== undefined) rows = rows.where('r.provider', '=', provider)
  if (model !== undefined) rows = rows.where('r.model', '=', model)
  if (capability !== undefined) rows = rows.where(holdsText('r.capabilities', capability))
  if (priced !== undefined) rows = rows.where(priced ? IS_PRICED : sql<boolean>`not ${IS_PRICED}`)
  if (after != null) {
    rows = rows.where((where) =>
      where.or([
        where('r.provider', '>', after.provider),
        where.and([where('r.provider', '=', after.provider), where('r.model', '>', after.model)]),
      ]),
    )
  }
  if (limit !== undefined) rows = rows.limit(limit)
  return (await rows.execute()).map(itemFromRow)
}

export async function findItem(db: Kysely<Database>, provider: string, model: string): Promise<RegistryItem | null> {
  const [item] = await listRegistry(db, { provider, model })
  return item ?? null
}

/** Newest first; `before` is the id of the last one of the page before. */
export async function listPriceVersions(
  db: Kysely<Database>,
  wanted: { provider: string; model: string; before: number | null; limit: number },
): Promise<PriceVersion[]> {
  let rows = db
    .selectFrom('price_versions')
    .selectAll()
    .where('provider', '=', wanted.provider)
    .where('model', '=', wanted.model)
    .orderBy('id', 'desc')
    .limit(wanted.limit)
  if (wanted.before !== null) rows = rows.where('id', '<', wanted.before)
  return (await rows.execute()).map(versionFromRow)
}

/**
 * Who a model belongs to once these facts are written: the operator, unless they are what was shipped. One whose prices
 * alone were changed still takes newer facts from the next version of the gateway.
 */
export function ownerAfter(facts: ModelFacts, present: RegistryItem | null): ManagedBy {
  return present?.managedBy === 'builtin' && isDeepStrictEqual(present.facts, facts) ? 'builtin' : null
}

/** A JSON list of texts holds this one: the same words on both engines, with no pattern to escape. */
function holdsText(column: string, text: string) {
  return sql<boolean>`replace(${sql.ref(column)}, ${JSON.stringify(text)}, '') <> ${sql.ref(column)}`
}

/** Prices are stored by `canonicalPrices`: the tiers, which may lack a price, come last. */
const IS_PRICED = sql<boolean>`(p.prices is not null and p.prices not like '%"input_per_mtok":null,%"tiers":%'
  and p.prices not like '%"output_per_mtok":null,%"tiers":%')`

function itemFromRow(
  row: RegistryRow & {
    version_id: number | null
    priced_at: number | null
    source: string | null
    prices: string | null
  },
): RegistryItem {
  const { version_id: id, priced_at: createdAt, source, prices } = row
  const isPriced = id !== null && createdAt !== null && source !== null && prices !== null
  return {
    facts: factsFromRow(row),
    managedBy: row.managed_by,
    updatedAt: row.updated_at,
    version: isPriced ? versionFromRow({ id, created_at: createdAt, source, prices }) : null,
  }
}

function versionFromRow(row: Pick<PriceVersionRow, 'id' | 'created_at' | 'source' | 'prices'>): PriceVersion {
  return { id: row.id, createdAt: row.created_at, source: row.source, prices: parsePrices(row.prices) }
}

function factsFromRow(row: RegistryRow): ModelFacts {
  return {
    provider: row.provider,
    model: row.model,
    aliases: JSON.parse(row.aliases) as string[],
    contextWindow: row.context_window,
    maxOutputTokens: row.max_output_tokens,
    maxInputTokens: row.max_input_tokens,
    capabilities: JSON.parse(row.capabilities) as string[],
    efforts: row.efforts === null ? null : (JSON.parse(row.efforts) as string[]),
    deprecated: row.deprecated === 1,
    shutdownDate: row.shutdown_date,
    mode: row.mode,
    note: row.note,
  }
}
