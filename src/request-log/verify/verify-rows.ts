import { type Kysely, sql } from 'kysely'
import { compilePrice, costOf, type Price, parsePrices } from '../../domain/pricing/price.ts'
import { bothCosts, isAtBound, isFree, NO_COST } from '../../domain/pricing/row-cost.ts'
import { countedOf } from '../../domain/pricing/unconfirmed.ts'
import { promptTokens } from '../../domain/pricing/usage.ts'
import { mapInTurns } from '../../store/engine/in-turns.ts'
import type { Database, RequestRow } from '../../store/engine/schema.ts'
import type { AttemptRecord } from '../record.ts'
import { USAGE_COLUMNS, usageOf } from '../row.ts'
import { HOUR_MS } from '../usage/rollup.ts'
import type { LogDifference, LogPlace } from './log-difference.ts'

export interface RowsCheck {
  rows: number
  unpriced: number
  differences: LogDifference[]
  /** Null: there are no more in this hour. */
  last: { startedAt: number; id: string } | null
}

const STRETCH_ROWS = 1_000

/** The next rows of an hour: does each cost what its tokens and its price version say? */
export async function checkRows(db: Kysely<Database>, place: LogPlace): Promise<RowsCheck> {
  const rows = await stretch(db, place)
  const prices = await pricesOf(db, rows)
  const checked = await mapInTurns(rows, (row) => differenceOf(row, prices))
  const last = rows.length < STRETCH_ROWS ? undefined : rows.at(-1)
  return {
    rows: rows.length,
    unpriced: checked.filter((found) => found === 'unpriced').length,
    differences: checked.filter((found) => found !== 'unpriced' && found !== null),
    last: last === undefined ? null : { startedAt: last.started_at, id: last.id },
  }
}

const COLUMNS = [
  'id',
  'workspace',
  'key_id',
  'started_at',
  'endpoint',
  'cache',
  ...USAGE_COLUMNS,
  'price_version',
  'cost_picodollars',
  'usage_source',
  'cost_least_picodollars',
  'cost_most_picodollars',
  'unconfirmed_policy',
  'unconfirmed_estimate_picodollars',
  'unconfirmed_most_picodollars',
  'unconfirmed_counted_picodollars',
] as const satisfies readonly (keyof RequestRow)[]

type PricedRow = Pick<RequestRow, (typeof COLUMNS)[number]> & {
  /** Where an entry lost a hedge: its attempt has its cost. */
  hedged: string | null
}

/** Few rows have one: the attempts of the others are not read. */
const HEDGED = sql<string | null>`case when attempts like '%"costPicodollars":%' then attempts end`.as('hedged')

async function stretch(db: Kysely<Database>, { workspace, hour, startedAt, id }: LogPlace): Promise<PricedRow[]> {
  return db
    .selectFrom('requests')
    .select([...COLUMNS, HEDGED])
    .where('workspace', '=', workspace)
    .where('started_at', '>=', startedAt)
    .where('started_at', '<', hour + HOUR_MS)
    .where((where) => where.or([where('started_at', '>', startedAt), where('id', '>', id)]))
    .where('state', '=', 'closed')
    .orderBy('started_at')
    .orderBy('id')
    .limit(STRETCH_ROWS)
    .execute()
}

async function pricesOf(db: Kysely<Database>, rows: readonly PricedRow[]): Promise<ReadonlyMap<number, Price>> {
  const ids = new Set(rows.flatMap(({ price_version: version }) => version ?? []))
  if (ids.size === 0) return new Map()
  const versions = await db
    .selectFrom('price_versions')
    .select(['id', 'prices'])
    .where('id', 'in', [...ids])
    .execute()
  return new Map(versions.map(({ id, prices }) => [id, compilePrice(parsePrices(prices))]))
}

function differenceOf(row: PricedRow, prices: ReadonlyMap<number, Price>): LogDifference | 'unpriced' | null {
  const place = { id: row.id, workspace: row.workspace, keyId: row.key_id, at: row.started_at }
  const usage = usageOf(row)
  const prompt = usage === null ? null : BigInt(promptTokens(usage))
  const storedPrompt = whole(row.prompt_tokens)
  if (prompt !== storedPrompt) return { ...place, figure: 'prompt_tokens', stored: storedPrompt, computed: prompt }
  const stored = whole(row.cost_picodollars)
  const counted = wrongUnconfirmed(row)
  if (counted !== null) return { ...place, figure: 'unconfirmed', ...counted }
  const bound = brokenBound(row, stored)
  if (bound !== null) return { ...place, figure: 'cost', stored, computed: bound }
  const { usage_source: source, endpoint, price_version: version } = row
  if (isAtBound({ source, cost: stored, most: whole(row.cost_most_picodollars) })) return null
  const price = version === null ? undefined : prices.get(version)
  if (version !== null && price === undefined) return 'unpriced'
  const own = usage === null || price === undefined ? null : costOf(usage, price)
  const isServed = usage !== null
  const computed = isFree({ endpoint, isHit: row.cache === 'hit', isServed }) ? NO_COST : bothCosts(own, lostIn(row))
  return stored === computed ? null : { ...place, figure: 'cost', stored, computed }
}

/** The part of those that lost a hedge; null: one of them had no known price. */
function lostIn({ hedged }: PricedRow): bigint | null {
  if (hedged === null) return 0n
  let sum = 0n
  for (const { costPicodollars: cost } of JSON.parse(hedged) as AttemptRecord[]) {
    if (cost === null) return null
    sum += BigInt(cost ?? 0)
  }
  return sum
}

/** What counts of unconfirmed spend follows from the policy that the call began with. */
function wrongUnconfirmed(row: PricedRow): { stored: bigint | null; computed: bigint } | null {
  const [estimate, most] = [row.unconfirmed_estimate_picodollars, row.unconfirmed_most_picodollars].map(whole)
  const stored = whole(row.unconfirmed_counted_picodollars)
  if (most == null) return stored === null ? null : { stored, computed: 0n }
  const computed = countedOf({ most: most.toString(), estimate: (estimate ?? 0n).toString() }, row.unconfirmed_policy)
  return (stored ?? 0n) === computed ? null : { stored, computed }
}

/** An estimate lies between its bounds; returns the one that it does not keep. */
function brokenBound(row: PricedRow, stored: bigint | null): bigint | null {
  const [least, most] = [whole(row.cost_least_picodollars), whole(row.cost_most_picodollars)]
  if (stored === null) return null
  if (least !== null && stored < least) return least
  return most !== null && stored > most ? most : null
}

function whole(value: number | bigint | null): bigint | null {
  return value === null ? null : BigInt(value)
}
