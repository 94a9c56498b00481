import { type Kysely, sql } from 'kysely'
import type { Agent } from '../../domain/sessions/session-tree.ts'
import type { Database } from '../../store/engine/schema.ts'
import { type Expressions, type Sums, summed } from './group-sums.ts'
import { AMOUNTS, PLAIN_COUNT_COLUMNS } from './rollup.ts'

/** What one agent of a session has done so far, running calls included. */
export interface AgentSums extends Agent {
  running: number
  errors: number
  promptTokens: bigint
  completionTokens: bigint
  cachedTokens: bigint
  promptCacheSaved: bigint
  cacheWriteTokens: bigint
  unconfirmedPicodollars: bigint
  unpriced: number
  /** Streams cut by a failure after content was sent: agents ask for them again, from the start. */
  cutStreams: number
  /** What those cost: part of the cost. */
  cutPicodollars: bigint
  /** Of finished calls, added up: calls at the same time count twice. */
  busyMs: bigint
  firstAt: number
  lastAt: number
  kinds: string[]
  /** PROVIDER/MODEL. */
  models: string[]
  keyIds: string[]
  /** The keys and sessions of its calls. */
  places: { keyId: string; session: string }[]
}

export interface SessionAgents {
  /** In the order of their first calls; of very many the costliest. */
  agents: AgentSums[]
  /** There are more. */
  isCut: boolean
}

export interface SessionQuery {
  workspace: string
  session: string
  /** Only calls of this key. */
  keyId: string | null
  /** Only calls of this user. */
  user?: string | null
  /** Unix milliseconds: started at or after this. */
  from: number
}

const MOST_AGENTS = 1_000
/** An agent has few kinds of calls and few models. */
const MOST_ROWS = 8 * MOST_AGENTS
/** Sessions that start sessions: how far down they are looked for. */
const MOST_LEVELS = 4

const IS_CUT = sql`ended in ('failed_mid_stream', 'interrupted')`

const COUNTS: Expressions = {
  requests: sql`1`,
  running: sql`case when state = 'open' then 1 else 0 end`,
  errors: sql`case when state = 'closed' and code is not null then 1 else 0 end`,
  unpriced: PLAIN_COUNT_COLUMNS['unpriced'] ?? sql`0`,
  cut_streams: sql`case when ${IS_CUT} then 1 else 0 end`,
}
const SUMMED = [
  ...['prompt_tokens', 'completion_tokens', 'cached_tokens', 'cache_write_tokens', 'cost_picodollars'],
  ...['unconfirmed_counted_picodollars', 'prompt_cache_saved_picodollars'],
]
const SUMS: Expressions = {
  ...Object.fromEntries(SUMMED.map((name) => [name, AMOUNTS[name] ?? sql`0`])),
  cut_picodollars: sql`case when ${IS_CUT} then coalesce(cost_picodollars, 0) else 0 end`,
  busy_ms: sql`case when finished_at is null or finished_at < started_at then 0 else finished_at - started_at end`,
}

/**
 * The agents of a session, from its rows along their index. Some agents give each sub-agent a session of its own and
 * name only the one before: where no gateway has remembered the root, those sessions are followed here.
 */
export async function readSessionAgents(db: Kysely<Database>, query: SessionQuery): Promise<SessionAgents> {
  const found = new Map<string | null, AgentSums>()
  const asked = new Set([query.session])
  let isCut = false
  let sessions = [query.session]
  for (let level = 0; level < MOST_LEVELS && sessions.length > 0; level++) {
    const rows = await sumsOf(db, query, sessions, level)
    isCut ||= rows.length > MOST_ROWS
    for (const row of rows.slice(0, MOST_ROWS)) add(found, row, level)
    sessions = [...found.keys()].filter((name) => name !== null && !asked.has(name)) as string[]
    for (const name of sessions) asked.add(name)
  }
  const costliest = [...found.values()].sort((a, b) => (a.costPicodollars > b.costPicodollars ? -1 : 1))
  const agents = costliest
    .slice(0, MOST_AGENTS)
    .sort((a, b) => a.firstAt - b.firstAt || ((a.agent ?? '' < (b.agent ?? '')) ? -1 : 1))
  return { agents, isCut: isCut || costliest.length > MOST_AGENTS }
}

type Row = Sums & { agent: string | null; parent: string | null; kind: string | null; key_id: string; session: string }

/** Below the first level only agents: the main agent of a session there is known by its own name above. */
async function sumsOf(db: Kysely<Database>, query: SessionQuery, sessions: string[], level: number): Promise<Row[]> {
  const names = ['agent', 'parent', 'kind', 'provider', 'model', 'key_id', 'session'] as const
  let rows = db
    .selectFrom('requests')
    .where('workspace', '=', query.workspace)
    .where('session', 'in', sessions)
    .where('started_at', '>=', query.from)
    .select([...names, ...summed(COUNTS, SUMS)])
    .select(sql<number>`min(started_at)`.as('first_at'))
    .select(sql<number>`max(coalesce(finished_at, started_at))`.as('last_at'))
    .groupBy([...names])
    .orderBy(sql`sum(coalesce(cost_picodollars, 0) / 1000000)`, 'desc')
    .limit(MOST_ROWS + 1)
  if (level > 0) rows = rows.where('agent', 'is not', null)
  if (query.keyId !== null) rows = rows.where('key_id', '=', query.keyId)
  if (query.user != null) rows = rows.where('end_user', '=', query.user)
  return (await rows.execute()) as unknown as Row[]
}

const PART = 1_000_000_000n

function add(found: Map<string | null, AgentSums>, row: Row, level: number): void {
  const amount = (name: string) => BigInt(row[`${name}_high`] ?? 0) * PART + BigInt(row[`${name}_low`] ?? 0)
  const sums = found.get(row.agent) ?? { ...NOTHING, agent: row.agent, parent: row.parent }
  // An agent has one parent. Where its calls differ, the first level knows best.
  if (level === 0) sums.parent ??= row.parent
  const { provider, model } = row as { provider?: string | null; model?: string | null }
  const named = provider == null ? [] : [`${provider}/${model ?? ''}`]
  found.set(row.agent, {
    ...sums,
    requests: sums.requests + Number(row['requests']),
    running: sums.running + Number(row['running']),
    errors: sums.errors + Number(row['errors']),
    unpriced: sums.unpriced + Number(row['unpriced']),
    cutStreams: sums.cutStreams + Number(row['cut_streams']),
    cutPicodollars: sums.cutPicodollars + amount('cut_picodollars'),
    promptTokens: sums.promptTokens + amount('prompt_tokens'),
    completionTokens: sums.completionTokens + amount('completion_tokens'),
    cachedTokens: sums.cachedTokens + amount('cached_tokens'),
    cacheWriteTokens: sums.cacheWriteTokens + amount('cache_write_tokens'),
    promptCacheSaved: sums.promptCacheSaved + amount('prompt_cache_saved_picodollars'),
    costPicodollars: sums.costPicodollars + amount('cost_picodollars'),
    unconfirmedPicodollars: sums.unconfirmedPicodollars + amount('unconfirmed_counted_picodollars'),
    busyMs: sums.busyMs + amount('busy_ms'),
    firstAt: Math.min(sums.firstAt, Number(row['first_at'])),
    lastAt: Math.max(sums.lastAt, Number(row['last_at'])),
    kinds: withNames(sums.kinds, row.kind === null ? [] : [row.kind]),
    models: withNames(sums.models, named),
    keyIds: withNames(sums.keyIds, [row.key_id]),
    places: withPlace(sums.places, { keyId: row.key_id, session: row.session }),
  })
}

function withNames(names: string[], more: readonly string[]): string[] {
  return [...new Set([...names, ...more])]
}

function withPlace(places: AgentSums['places'], place: AgentSums['places'][number]): AgentSums['places'] {
  const isKnown = places.some(({ keyId, session }) => keyId === place.keyId && session === place.session)
  return isKnown ? places : [...places, place]
}

const NOTHING: Omit<AgentSums, 'agent' | 'parent'> = {
  requests: 0,
  running: 0,
  errors: 0,
  unpriced: 0,
  cutStreams: 0,
  cutPicodollars: 0n,
  promptTokens: 0n,
  completionTokens: 0n,
  cachedTokens: 0n,
  promptCacheSaved: 0n,
  cacheWriteTokens: 0n,
  costPicodollars: 0n,
  unconfirmedPicodollars: 0n,
  busyMs: 0n,
  firstAt: Infinity,
  lastAt: 0,
  kinds: [],
  models: [],
  keyIds: [],
  places: [],
}
