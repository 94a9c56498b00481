import { type Kysely, sql } from 'kysely'
import type { ValueScope } from '../../domain/budgets/each.ts'
import type { Database } from '../../store/engine/schema.ts'
import { openSince } from '../search/windows.ts'

/** Whose values are asked for: those of a budget for each session, agent, user, project, value of a tag, or key. */
export interface ValuesAsked {
  workspace: string
  kind: ValueScope['kind']
  /** The name of the tag; null for other kinds. */
  tag: string | null
  /** Values of different keys are different ones. */
  isByKey: boolean
  /** Only of these keys, and for each its own list; null: one list of all. */
  keyIds: readonly string[] | null
  /** Unix milliseconds: the beginning of the period. */
  startsAt: number
  /** Values that have cost something on this day or later are live. */
  since: number
}

export interface LiveValues {
  /** How many there are. */
  live: number
  /** Those that have spent most, then those whose running calls hold most. */
  values: ValueScope[]
}

type Row = { key_id: string; of_name: string; value: string; live: number | bigint | string }

/** By key, or under '' where one list is asked for. The figures are a book's: here is only who to ask for. */
export async function readLiveValues(
  db: Kysely<Database>,
  asked: ValuesAsked,
  most: number,
  now: number,
): Promise<Map<string, LiveValues>> {
  const { workspace, kind, keyIds } = asked
  const found = new Map<string, LiveValues>()
  const add = (keyId: string, value: ValueScope, live?: number) => {
    const place = keyIds === null ? '' : keyId
    const list = found.get(place) ?? { live: 0, values: [] }
    const isKnown = list.values.some((known) => SAME.every((field) => known[field] === value[field]))
    found.set(place, { live: live ?? list.live, values: isKnown ? list.values : [...list.values, value] })
  }
  const rows = kind === 'key' ? await costliestKeys(db, asked, most) : await costliest(db, asked, most)
  for (const row of rows) {
    const keyId = asked.isByKey ? row.key_id : ''
    add(row.key_id, { workspace, keyId, kind, of: row.of_name, value: row.value }, Number(row.live))
  }
  if (kind !== 'key') for (const { keyId, value } of await holding(db, asked, most, now)) add(keyId, value)
  return found
}

const SAME = ['keyId', 'of', 'value'] as const

/** By what they have spent themselves: an agent without those that it started. */
async function costliest(db: Kysely<Database>, asked: ValuesAsked, most: number): Promise<Row[]> {
  const { workspace, kind, tag, isByKey, keyIds, startsAt, since } = asked
  const keyId = isByKey ? sql.ref('key_id') : sql.lit('')
  const { rows } = await sql<Row>`
    with sums as (
      select ${keyId} as key_id, of_name, value,
        sum(case when day >= ${startsAt} then counted_picodollars * 1.0 else 0 end) as amount
      from value_days
      where workspace = ${workspace} and kind = ${kind} and day >= ${Math.min(startsAt, since)}
        ${tag === null ? sql`` : sql`and of_name = ${tag}`}
        ${keyIds === null ? sql`` : sql`and key_id in (${sql.join(keyIds)})`}
      group by 1, of_name, value
      having max(day) >= ${Math.max(startsAt, since)}
    )
    ${placed(keyIds, most)}`.execute(db)
  return rows
}

async function costliestKeys(db: Kysely<Database>, asked: ValuesAsked, most: number): Promise<Row[]> {
  const { workspace, keyIds, startsAt, since } = asked
  const { rows } = await sql<Row>`
    with sums as (
      select key_id, '' as of_name, '' as value,
        sum(case when hour >= ${startsAt} then (cost_picodollars + unconfirmed_counted_picodollars) * 1.0 else 0 end) as amount
      from usage_hours
      where workspace = ${workspace} and hour >= ${Math.min(startsAt, since)}
      group by key_id
      having max(hour) >= ${Math.max(startsAt, since)}
    )
    ${placed(keyIds, most)}`.execute(db)
  return rows
}

function placed(keyIds: ValuesAsked['keyIds'], most: number) {
  const part = keyIds === null ? sql`` : sql`partition by key_id`
  return sql`
    select key_id, of_name, value, live from (
      select key_id, of_name, value, count(*) over (${part}) as live,
        row_number() over (${part} order by amount desc, key_id, of_name, value) as place
      from sums
    ) as placed
    where place <= ${most} order by place`
}

/** A value whose first calls are running has spent nothing so far. */
async function holding(db: Kysely<Database>, asked: ValuesAsked, most: number, now: number) {
  const { workspace, kind, tag, isByKey, keyIds } = asked
  let open = db
    .selectFrom('requests')
    .select(['key_id', 'session', 'agent', 'end_user', 'project', 'tags', 'hold_picodollars'])
    // A literal, not a parameter: only so is the partial index of open rows used.
    .where('state', '=', sql.lit('open'))
    .where('started_at', '>=', await openSince(db, now))
    .where('workspace', '=', workspace)
    .limit(MOST_OPEN)
  if (keyIds !== null) open = open.where('key_id', 'in', [...keyIds])
  const held = new Map<string, { keyId: string; value: ValueScope; sum: bigint }>()
  for (const row of await open.execute()) {
    const tags = row.tags === null ? {} : (JSON.parse(row.tags) as Record<string, string>)
    const of = kind === 'agent' ? (row.session ?? '') : (tag ?? '')
    const named = { session: row.session, agent: row.agent, user: row.end_user, project: row.project }
    const value = kind === 'tag' ? tags[of] : named[kind as keyof typeof named]
    if (value == null) continue
    const keyId = isByKey ? row.key_id : ''
    const name = [keyIds === null ? keyId : row.key_id, of, value].join('\n')
    const known = held.get(name) ?? { keyId: row.key_id, value: { workspace, keyId, kind, of, value }, sum: 0n }
    held.set(name, { ...known, sum: known.sum + BigInt(row.hold_picodollars ?? 0) })
  }
  return [...held.values()].sort((a, b) => (a.sum > b.sum ? -1 : 1)).slice(0, most)
}

/** Of a gateway that is far above any it was made for. */
const MOST_OPEN = 10_000
