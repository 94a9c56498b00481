import { z } from 'zod'
import { GatewayError } from '../domain/errors.ts'
import { picodollarsOfUsd } from '../domain/pricing/price.ts'
import type { LoggedRequest } from '../management/contract/requests.ts'
import type { LitellmDeps } from './deps.ts'
import { notFound } from './errors.ts'
import { shaped } from './fields.ts'
import { keyByHash, newestHashes } from './find-keys.ts'
import { exactNumber, money } from './json.ts'
import { teamIds } from './key-view.ts'
import type { Asked, Row } from './row.ts'

type Logged = z.output<typeof LoggedRequest>

const MOST_ROWS = 1_000

const day = z.iso.date().optional()
const LogQuery = z.object({
  api_key: z.string().optional(),
  request_id: z.string().max(100).optional(),
  user_id: z.string().max(128).optional(),
  start_date: day,
  end_date: day,
  summarize: z.enum(['true', 'false']).default('true'),
})
type LogQuery = z.output<typeof LogQuery>

async function logs(asked: Asked, deps: LitellmDeps) {
  const query = shaped(LogQuery, asked.query, 'query')
  const { request_id: id, start_date, end_date } = query
  if (id !== undefined) return rowsOf([await asked.perform('requests.get', { params: { id } })], deps)
  const key = query.api_key === undefined ? null : await keyByHash(deps.db, query.api_key)
  if (query.api_key !== undefined && key === null) throw notFound('Key')
  const filters = filtersOf(query, key?.id)
  if (start_date !== undefined && end_date !== undefined && query.summarize === 'true') {
    return byDay(filters, asked, deps)
  }
  const covered = asked.caller.access.workspaces ?? [...deps.snapshot().workspaces.keys()]
  const rows: Logged[] = []
  for (const workspace of key === null ? covered : [String(key.workspace)]) {
    rows.push(...(await requestsOf({ ...filters, workspace }, asked, MOST_ROWS - rows.length)))
  }
  return rowsOf(rows, deps)
}

/** `end_date` is a day that is included. */
function filtersOf({ start_date, end_date, user_id }: LogQuery, keyId: string | undefined): Record<string, string> {
  const next = end_date === undefined ? undefined : new Date(Date.parse(end_date) + 86_400_000).toISOString()
  const filters = { key: keyId, user: user_id, from: start_date, to: next }
  return Object.fromEntries(Object.entries(filters).filter((pair): pair is [string, string] => pair[1] !== undefined))
}

async function requestsOf(filters: Record<string, string>, { perform }: Asked, most: number): Promise<Logged[]> {
  const rows: Logged[] = []
  let cursor: string | null = null
  do {
    const page: { data: Logged[]; next_cursor: string | null } = await perform('requests.list', {
      query: { ...filters, limit: '500', ...(cursor === null ? {} : { cursor }) },
    })
    rows.push(...page.data)
    if (rows.length > most) {
      throw new GatewayError(
        'invalid_request',
        `More than ${MOST_ROWS} rows: narrow start_date and end_date, or export.`,
      )
    }
    cursor = page.next_cursor
  } while (cursor !== null)
  return rows
}

async function rowsOf(rows: readonly Logged[], deps: LitellmDeps) {
  const hashes = await newestHashes(deps.db, [...new Set(rows.map(({ key_id }) => key_id))])
  const teamId = await teamIds(deps)
  return rows.map((row) => ({
    request_id: row.id,
    api_key: hashes.get(row.key_id) ?? '',
    spend: row.cost_usd === null ? 0 : exactNumber(row.cost_usd),
    total_tokens: row.usage?.total_tokens ?? 0,
    prompt_tokens: row.usage?.prompt_tokens ?? 0,
    completion_tokens: row.usage?.completion_tokens ?? 0,
    startTime: row.started_at,
    endTime: row.finished_at,
    model: row.model ?? '',
    model_group: row.requested_model,
    user: row.user ?? '',
    team_id: teamId(row.workspace),
    metadata: row.tags,
    cache_hit: row.cache === 'hit' ? 'True' : 'False',
  }))
}

/** Sums of each day, by model name and by key. */
async function byDay(filters: Record<string, string>, { perform }: Asked, deps: LitellmDeps) {
  const query = { ...filters, interval: 'day' }
  const byRoute = await perform('usage.workspaces', { query: { ...query, group_by: 'route' } })
  const byKey = await perform('usage.workspaces', { query: { ...query, group_by: 'key' } })
  const ids = byKey.data.flatMap(({ group }) => (group === null ? [] : [group]))
  const hashes = await newestHashes(deps.db, [...new Set(ids)])
  const days = new Map<string, { spent: bigint; models: Record<string, unknown>; keys: Record<string, unknown> }>()
  const dayOf = (start: string | null) => {
    const name = start?.slice(0, 10) ?? ''
    const found = days.get(name) ?? { spent: 0n, models: {}, keys: {} }
    days.set(name, found)
    return found
  }
  for (const { start, group, cost_usd } of byRoute.data) {
    const sums = dayOf(start)
    sums.spent += picodollarsOfUsd(cost_usd)
    sums.models[group ?? 'direct'] = exactNumber(cost_usd)
  }
  for (const { start, group, cost_usd } of byKey.data) {
    const hash = hashes.get(group ?? '')
    if (hash !== undefined) dayOf(start).keys[hash] = exactNumber(cost_usd)
  }
  return [...days].map(([startTime, { spent, models, keys }]) => ({
    startTime,
    spend: money(spent as Parameters<typeof money>[0]),
    users: {},
    models,
    ...keys,
  }))
}

/** Of the last 30 days. */
async function total({ perform }: Asked) {
  const { total: sums } = await perform('usage.workspaces')
  return { spend: exactNumber(sums.cost_usd), max_budget: 0 }
}

export const SPEND_ROWS: readonly Row[] = [
  { method: 'GET', path: '/spend/logs', access: 'admin', operation: 'requests.list', handle: logs },
  { method: 'GET', path: '/global/spend', access: 'admin', operation: 'usage.workspaces', handle: total },
]
