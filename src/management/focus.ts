import type { Kysely } from 'kysely'
import { GatewayError } from '../domain/errors.ts'
import { DayCharges } from '../domain/focus/add-up.ts'
import { type BilledCall, chargesOf } from '../domain/focus/charges.ts'
import { FOCUS_HEADER, type FocusRecord, focusLine } from '../domain/focus/columns.ts'
import { type PriceList, parsePrices } from '../domain/pricing/price.ts'
import { keptSince } from '../request-log/retention/kept-since.ts'
import { usageOf } from '../request-log/row.ts'
import { closedRows } from '../request-log/usage/sum-rows.ts'
import { mapInTurns } from '../store/engine/in-turns.ts'
import type { Database, RequestRow } from '../store/engine/schema.ts'
import { timestamp } from './contract/fields.ts'
import type { ManagementDeps } from './deps.ts'
import { untilCaughtUp } from './requests/request-filters.ts'
import { attemptsOf } from './requests/request-view.ts'

const DAY_MS = 86_400_000

const PAGE_ROWS = 500

/** A month's rows as FOCUS 1.2, a day at a time: memory grows with the kinds of charges of a day, not with calls. */
export async function focusExport(deps: ManagementDeps, month: string, part: 'charges' | 'unpriced', now: number) {
  const from = Date.parse(`${month}-01T00:00:00Z`)
  const to = Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 1)
  if (from > now) throw new GatewayError('invalid_request', `month: ${month} has not begun`)
  const kept = await keptSince(deps.reads)
  if (kept > from) {
    throw new GatewayError('invalid_request', `month: retention has deleted its rows before ${timestamp(kept)}`)
  }
  await untilCaughtUp(deps)
  return { mediaType: 'text/csv', pieces: lines(deps.reads, { from, to: Math.min(to, now) }, part === 'unpriced') }
}

interface MonthOfCharges {
  from: number
  to: number
}

async function* lines(db: Kysely<Database>, month: MonthOfCharges, isUnpriced: boolean) {
  yield FOCUS_HEADER
  for await (const found of chargeRecords(db, month, isUnpriced)) yield (await mapInTurns(found, focusLine)).join('')
}

/** Day by day. */
export async function* chargeRecords(
  db: Kysely<Database>,
  month: MonthOfCharges,
  isUnpriced: boolean,
): AsyncGenerator<FocusRecord[]> {
  const prices = priceLists(db)
  const names = new Map(
    (await db.selectFrom('keys').select(['id', 'name']).execute()).map(({ id, name }) => [id, name]),
  )
  for (let day = month.from; day < month.to; day += DAY_MS) {
    const charges = new DayCharges()
    for (const workspace of await workspacesOf(db, day)) {
      for await (const rows of pages(db, workspace, day)) {
        const lists = await prices(rows)
        await mapInTurns(rows, (row) => {
          const place = { day, workspace, keyId: row.key_id, keyName: names.get(row.key_id) ?? null }
          for (const charge of chargesOf(billedCall(row, lists))) {
            if ((charge.billed === null) === isUnpriced) charges.add(place, charge)
          }
        })
      }
    }
    const found = charges.records()
    if (found.length > 0) yield found
  }
}

async function workspacesOf(db: Kysely<Database>, day: number): Promise<string[]> {
  const hours = db.selectFrom('usage_hours').select('workspace').distinct()
  const found = await hours
    .where('hour', '>=', day)
    .where('hour', '<', day + DAY_MS)
    .orderBy('workspace')
    .execute()
  return found.map(({ workspace }) => workspace)
}

async function* pages(db: Kysely<Database>, workspace: string, day: number): AsyncGenerator<RequestRow[]> {
  let last: { started_at: number; id: string } = { started_at: day, id: '' }
  for (;;) {
    const { started_at: from, id } = last
    const rows = await closedRows(db, workspace, { from, to: day + DAY_MS })
      .selectAll()
      .where((where) => where.or([where('started_at', '>', from), where('id', '>', id)]))
      .orderBy('started_at')
      .orderBy('id')
      .limit(PAGE_ROWS)
      .execute()
    const end = rows.at(-1)
    if (end === undefined) return
    yield rows
    last = end
  }
}

/** Each version is read once. */
function priceLists(db: Kysely<Database>) {
  const known = new Map<number, PriceList>()
  return async (rows: readonly RequestRow[]): Promise<ReadonlyMap<number, PriceList>> => {
    const missing = new Set(rows.flatMap(({ price_version: id }) => (id === null || known.has(id) ? [] : [id])))
    if (missing.size > 0) {
      const found = db
        .selectFrom('price_versions')
        .select(['id', 'prices'])
        .where('id', 'in', [...missing])
      for (const { id, prices } of await found.execute()) known.set(id, parsePrices(prices))
    }
    return known
  }
}

function billedCall(row: RequestRow, lists: ReadonlyMap<number, PriceList>): BilledCall {
  const whole = (value: number | bigint | null) => (value === null ? null : BigInt(value))
  return {
    provider: row.provider ?? '',
    model: row.model ?? '',
    endpoint: row.endpoint,
    isHit: row.cache === 'hit',
    usage: usageOf(row),
    usageSource: row.usage_source,
    cost: whole(row.cost_picodollars),
    most: whole(row.cost_most_picodollars),
    priceVersion: row.price_version,
    list: row.price_version === null ? null : (lists.get(row.price_version) ?? null),
    lost: attemptsOf(row).flatMap(({ provider, model, costPicodollars: cost }) =>
      cost === undefined || cost === null ? [] : [{ provider, model, cost: BigInt(cost) }],
    ),
    unconfirmedEstimate: whole(row.unconfirmed_estimate_picodollars),
    unconfirmedMost: whole(row.unconfirmed_most_picodollars),
    resale: whole(row.resale_picodollars),
  }
}
