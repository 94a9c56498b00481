import { type Kysely, sql } from 'kysely'
import { PERIODS, type Period, periodBounds } from '../domain/budgets/budget-period.ts'
import { asPicodollars, type Picodollars } from '../domain/pricing/price.ts'
import { type LoggedLedger, type LoggedScope, type Scope, WINDOW_SECONDS } from '../limits/ledger.ts'
import type { ExactInteger } from '../store/engine/exact-integer.ts'
import type { Database } from '../store/engine/schema.ts'
import { readLeftCosts } from './left-costs.ts'
import type { Past } from './past/read-past.ts'
import { openSince } from './search/windows.ts'

/**
 * What the request log says of every scope, in one consistent reading: the money of the present periods from the
 * hourly sums, the last minute and the open calls from the rows. The ledger is rebuilt from it and verified against it.
 */
export async function readLoggedScopes(db: Kysely<Database>, now: number): Promise<LoggedScope[]> {
  return (await readLedger(db, now)).scopes
}

/** The same as it will be when the database has the spools of earlier processes, whose calls have all ended. */
export async function readScopesWithPast(db: Kysely<Database>, now: number, past: Past): Promise<LoggedScope[]> {
  const scopes = new LoggedScopes(await readLoggedScopes(db, now))
  for (const { keyId, workspace, hour, cost } of past.spent) {
    for (const scope of scopes.of({ key_id: keyId, workspace })) {
      for (const period of PERIODS) {
        if (hour >= periodBounds(period, now).startsAt) {
          scope.spent[period] = plus(scope.spent[period], asPicodollars(cost))
        }
      }
    }
  }
  for (const { keyId, workspace, ...counted } of past.seconds) {
    for (const { seconds } of scopes.of({ key_id: keyId, workspace })) seconds.push(counted)
  }
  return [...scopes.all()].map((scope) => ({ ...scope, seconds: joinSeconds(scope.seconds) }))
}

/** The same with the calls that left a cost behind, and how far the spools had been folded at that very moment. */
export async function readLedger(db: Kysely<Database>, now: number): Promise<LoggedLedger> {
  const since = await openSince(db, now)
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (transaction) => {
      const scopes = new LoggedScopes()
      for (const row of await spentRows(transaction, now)) {
        for (const scope of scopes.of(row)) {
          for (const period of PERIODS) scope.spent[period] = plus(scope.spent[period], money(row, period))
        }
      }
      for (const row of await recentRows(transaction, now, since)) {
        for (const scope of scopes.of(row)) countSecond(scope, row)
      }
      const open = await openRows(transaction, since)
      for (const row of open) {
        for (const scope of scopes.of(row)) countOpen(scope, row, now)
      }
      const positions = await transaction.selectFrom('spool_positions').select(['node', 'ends_seq as seq']).execute()
      return { scopes: [...scopes.all()], positions, left: await readLeftCosts(transaction, null, now) }
    })
}

type Place = { workspace: string; key_id: string }

class LoggedScopes {
  readonly #scopes = { key: new Map<string, LoggedScope>(), workspace: new Map<string, LoggedScope>() }

  constructor(known: readonly LoggedScope[] = []) {
    for (const entry of known) this.#scopes[entry.scope.kind].set(entry.scope.id, entry)
  }

  of({ workspace, key_id: key }: Place): LoggedScope[] {
    return [this.#get({ kind: 'key', id: key }), this.#get({ kind: 'workspace', id: workspace })]
  }

  *all(): Iterable<LoggedScope> {
    yield* this.#scopes.key.values()
    yield* this.#scopes.workspace.values()
  }

  #get(scope: Scope): LoggedScope {
    const known = this.#scopes[scope.kind].get(scope.id)
    if (known !== undefined) return known
    const fresh: LoggedScope = { scope, spent: nothing(), seconds: [], inFlight: 0, held: nothing() }
    this.#scopes[scope.kind].set(scope.id, fresh)
    return fresh
  }
}

function nothing(): Record<Period, Picodollars> {
  const none = asPicodollars(0n)
  return { day: none, week: none, month: none, total: none }
}

const PART = 1_000_000n
const part = sql.raw(String(PART))

type SpentRow = Place & Record<`${Period}_${'high' | 'low'}`, ExactInteger>

/** In two parts each, because a sum of 64 bits could overflow. */
async function spentRows(db: Kysely<Database>, now: number): Promise<SpentRow[]> {
  const sums = PERIODS.flatMap((period) => {
    const { startsAt } = periodBounds(period, now)
    const sum = (operator: string) =>
      sql`cast(coalesce(sum(case when hour >= ${sql.lit(startsAt)} then cost_picodollars ${sql.raw(operator)} ${part} + unconfirmed_counted_picodollars ${sql.raw(operator)} ${part} else 0 end), 0) as bigint)`
    return [sql`${sum('/')} as ${sql.ref(`${period}_high`)}`, sql`${sum('%')} as ${sql.ref(`${period}_low`)}`]
  })
  const found = await sql<SpentRow>`
    select workspace, key_id, ${sql.join(sums)} from usage_hours group by workspace, key_id`.execute(db)
  return found.rows
}

function money(row: SpentRow, period: Period): Picodollars {
  return asPicodollars(BigInt(row[`${period}_high`]) * PART + BigInt(row[`${period}_low`]))
}

/**
 * Only admitted calls: a refused one uses nothing. Workspaces are named, so that their index finds the newest rows;
 * deleted ones included.
 */
async function recentRows(db: Kysely<Database>, now: number, since: number) {
  const oldest = (Math.floor(now / 1000) - WINDOW_SECONDS + 1) * 1000
  const hour = oldest - (oldest % 3_600_000)
  return db
    .selectFrom('requests')
    .select(['workspace', 'key_id', 'state', 'started_at', 'prompt_tokens', 'completion_tokens', 'hold_tokens'])
    .where('workspace', 'in', (select) =>
      select
        .selectFrom('workspaces')
        .select('name as workspace')
        .union(select.selectFrom('usage_hours').select('workspace').where('hour', '>=', hour))
        .union(
          select
            .selectFrom('requests')
            .select('workspace')
            .where('state', '=', sql.lit('open'))
            .where('started_at', '>=', since),
        ),
    )
    .where('started_at', '>=', oldest)
    .where('hold_tokens', 'is not', null)
    .orderBy('started_at')
    .execute()
}

type RecentRow = Awaited<ReturnType<typeof recentRows>>[number]

function countSecond({ seconds }: LoggedScope, row: RecentRow): void {
  const second = Math.floor(row.started_at / 1000)
  let last = seconds.at(-1)
  if (last === undefined || last.second !== second) {
    last = { second, requests: 0, tokens: 0 }
    seconds.push(last)
  }
  last.requests += 1
  last.tokens += row.state === 'open' ? (row.hold_tokens ?? 0) : (row.prompt_tokens ?? 0) + (row.completion_tokens ?? 0)
}

/** One entry for each second, the oldest first. */
function joinSeconds(seconds: LoggedScope['seconds']): LoggedScope['seconds'] {
  const joined = new Map<number, LoggedScope['seconds'][number]>()
  for (const counted of seconds) {
    const known = joined.get(counted.second)
    if (known === undefined) joined.set(counted.second, { ...counted })
    else {
      known.requests += counted.requests
      known.tokens += counted.tokens
    }
  }
  return [...joined.values()].sort((one, other) => one.second - other.second)
}

async function openRows(db: Kysely<Database>, since: number) {
  return (
    db
      .selectFrom('requests')
      .select(['workspace', 'key_id', 'started_at', 'hold_picodollars', 'hold_added_picodollars'])
      // A literal, not a parameter: only so is the partial index of open rows used.
      .where('state', '=', sql.lit('open'))
      .where('started_at', '>=', since)
      .execute()
  )
}

type OpenRow = Awaited<ReturnType<typeof openRows>>[number]

function countOpen(scope: LoggedScope, row: OpenRow, now: number): void {
  scope.inFlight += 1
  const hold = asPicodollars(BigInt(row.hold_picodollars ?? 0) + BigInt(row.hold_added_picodollars ?? 0))
  for (const period of PERIODS) {
    if (row.started_at >= periodBounds(period, now).startsAt) scope.held[period] = plus(scope.held[period], hold)
  }
}

function plus(a: Picodollars, b: Picodollars): Picodollars {
  return asPicodollars(a + b)
}
