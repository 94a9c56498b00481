import { type Kysely, sql } from 'kysely'
import { PERIODS, periodBounds } from '../../domain/budgets/budget-period.ts'
import type { ValueScope } from '../../domain/budgets/each.ts'
import { type EachLog, type EndedCall, type LoggedValue, nothingSpent } from '../../limits/each/each-book.ts'
import type { ExactInteger } from '../../store/engine/exact-integer.ts'
import type { Database } from '../../store/engine/schema.ts'
import { findRequests } from '../search/find-request.ts'
import { openSince } from '../search/windows.ts'
import { DAY_MS } from '../usage/rollup.ts'

/** What the log says of single values, for the books that count them. */
export function createEachLog(db: Kysely<Database>, caughtUp: () => Promise<void>): EachLog {
  return {
    caughtUp,
    read: (scopes, now) =>
      db
        .transaction()
        .setIsolationLevel('repeatable read')
        .setAccessMode('read only')
        .execute(async (transaction) => {
          const positions = await readPositions(transaction)
          const values: LoggedValue[] = []
          const agents: KnownAgents = new Map()
          for (const scope of scopes) values.push(await readValue(transaction, scope, now, agents))
          return { values, positions }
        }),
    async ended(ids) {
      // First: what is missing below had not come so far.
      const positions = await readPositions(db)
      const rows = ids.length === 0 ? [] : await findRequests(db, ids)
      const calls = rows.map((row): EndedCall => {
        const counted = BigInt(row.cost_picodollars ?? 0) + BigInt(row.unconfirmed_counted_picodollars ?? 0)
        return { id: row.id, at: row.started_at, cost: row.state === 'open' ? null : counted }
      })
      return { calls, positions }
    },
  }
}

/** Where beginnings of calls are in the log as well: those of a process that has died come after the ends. */
async function readPositions(db: Kysely<Database>): Promise<Map<string, number>> {
  const rows = await db.selectFrom('spool_positions').select(['node', 'seq']).execute()
  return new Map(rows.map((row) => [row.node, row.seq]))
}

async function readValue(
  db: Kysely<Database>,
  scope: ValueScope,
  now: number,
  agents: KnownAgents,
): Promise<LoggedValue> {
  const spent = nothingSpent()
  const rows = scope.kind === '' || scope.kind === 'key' ? await keyDays(db, scope) : await valueDays(db, scope, agents)
  for (const { day, high, low } of rows) {
    for (const per of PERIODS) {
      if (day >= periodBounds(per, now).startsAt) spent[per] += BigInt(high) * PART + BigInt(low)
    }
  }
  return { spent, open: await openCalls(db, scope, now) }
}

interface DaySpend {
  day: number
  high: ExactInteger
  low: ExactInteger
}

const PART = 1_000_000n
const part = sql.raw(String(PART))

/** A budget of the key or the workspace itself: by the sums that are kept of all. */
async function keyDays(db: Kysely<Database>, { workspace, keyId }: ValueScope): Promise<DaySpend[]> {
  const day = sql<number>`hour - hour % ${sql.lit(DAY_MS)}`
  const sum = (operator: string) =>
    sql<ExactInteger>`cast(sum(cost_picodollars ${sql.raw(operator)} ${part} + unconfirmed_counted_picodollars ${sql.raw(operator)} ${part}) as bigint)`
  let found = db
    .selectFrom('usage_hours')
    .select([day.as('day'), sum('/').as('high'), sum('%').as('low')])
    .where('workspace', '=', workspace)
    .groupBy(sql`1`)
  if (keyId !== '') found = found.where('key_id', '=', keyId)
  return found.execute()
}

async function valueDays(db: Kysely<Database>, scope: ValueScope, agents: KnownAgents): Promise<DaySpend[]> {
  const { workspace, keyId, kind, of, value } = scope
  if (kind === 'agent') return agentDays(db, scope, agents)
  const sum = (operator: string) =>
    sql<ExactInteger>`cast(sum(counted_picodollars ${sql.raw(operator)} ${part}) as bigint)`
  let found = db
    .selectFrom('value_days')
    .select(['day', sum('/').as('high'), sum('%').as('low')])
    .where('workspace', '=', workspace)
    .where('kind', '=', kind)
    .where('of_name', '=', of)
    .where('value', '=', value)
    .groupBy('day')
  if (keyId !== '') found = found.where('key_id', '=', keyId)
  return found.execute()
}

/** The agents of sessions that were asked for: of all agents of a session they are read once. */
type KnownAgents = Map<string, AgentDay[]>

interface AgentDay {
  value: string
  parent: string
  day: number
  counted_picodollars: ExactInteger
}

/** What an agent has spent with those that it started, directly or not: by the parents that their calls name. */
async function agentDays(db: Kysely<Database>, scope: ValueScope, agents: KnownAgents): Promise<DaySpend[]> {
  const session = `${scope.workspace}\n${scope.keyId}\n${scope.of}`
  const rows = agents.get(session) ?? (await daysOfAgents(db, scope))
  agents.set(session, rows)
  const children = new Map<string, Set<string>>()
  for (const row of rows) {
    if (row.parent === '') continue
    const known = children.get(row.parent) ?? new Set()
    children.set(row.parent, known.add(row.value))
  }
  const below = new Set([scope.value])
  for (const agent of below) for (const child of children.get(agent) ?? []) below.add(child)
  return rows
    .filter((row) => below.has(row.value))
    .map((row) => ({ day: row.day, high: 0, low: row.counted_picodollars }))
}

function daysOfAgents(db: Kysely<Database>, { workspace, keyId, of }: ValueScope): Promise<AgentDay[]> {
  return db
    .selectFrom('value_days')
    .select(['value', 'parent', 'day', 'counted_picodollars'])
    .where('workspace', '=', workspace)
    .where('kind', '=', 'agent')
    .where('of_name', '=', of)
    .where('key_id', '=', keyId)
    .execute()
}

/** Calls that are running, as far as their rows are there. */
async function openCalls(db: Kysely<Database>, scope: ValueScope, now: number): Promise<LoggedValue['open']> {
  const { workspace, keyId, kind, of, value } = scope
  let rows = db
    .selectFrom('requests')
    .select(['id', 'hold_picodollars', 'hold_added_picodollars', 'tags'])
    // A literal, not a parameter: only so is the partial index of open rows used.
    .where('state', '=', sql.lit('open'))
    .where('started_at', '>=', await openSince(db, now))
    .where('workspace', '=', workspace)
  if (keyId !== '') rows = rows.where('key_id', '=', keyId)
  if (kind === 'agent') rows = rows.where('session', '=', of).where('agent', '=', value)
  else if (kind === 'session' || kind === 'project') rows = rows.where(kind, '=', value)
  else if (kind === 'user') rows = rows.where('end_user', '=', value)
  const found = await rows.execute()
  const isOfTag = (tags: string | null) => tags !== null && (JSON.parse(tags) as Record<string, string>)[of] === value
  return found
    .filter(({ tags }) => kind !== 'tag' || isOfTag(tags))
    .map((row) => ({
      id: row.id,
      hold: BigInt(row.hold_picodollars ?? 0) + BigInt(row.hold_added_picodollars ?? 0),
    }))
}
