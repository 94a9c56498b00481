import { groupName } from '../../charts/usage-groups.ts'
import { isTimed } from '../../format/units.ts'
import { csvField } from './csv-field.ts'
import type { Usage } from './usage-rows.ts'

type Row = Usage['data'][number]

type Column = [title: string, value: (row: Row) => string | number | null]

const COLUMNS: Column[] = [
  ['requests', (row) => row.requests],
  ['errors', (row) => row.errors],
  ['fallbacks', (row) => row.fallbacks],
  ['prompt_tokens', (row) => row.prompt_tokens],
  ['cached_tokens', (row) => row.cached_tokens],
  ['cache_write_tokens', (row) => row.cache_write_tokens],
  ['completion_tokens', (row) => row.completion_tokens],
  ['reasoning_tokens', (row) => row.reasoning_tokens],
  ['cost_usd', (row) => row.cost_usd],
  ['prompt_cache_saved_usd', (row) => row.prompt_cache_saved_usd],
  ['unpriced_requests', (row) => row.unpriced_requests],
  ['latency_p50_ms', (row) => row.latency_ms.p50],
  ['latency_p95_ms', (row) => row.latency_ms.p95],
]

/** The figures as they came, every digit: a line for each group, and for each interval where there is one. */
export function usageCsv(usage: Usage): string {
  const groupBy = usage.group_by ?? 'model'
  const start: Column = [`${usage.interval}_utc`, (row) => row.start]
  const isOfAll = usage.data.some(({ workspace }) => workspace !== undefined)
  const workspace: Column = ['workspace', (row) => row.workspace ?? null]
  const group: Column = [groupBy, (row) => groupName(groupBy, isOfAll ? { ...row, workspace: null } : row)]
  const id: Column = ['key_id', (row) => row.group]
  const columns = [
    ...(usage.interval === null ? [] : [start]),
    ...(isOfAll && groupBy !== 'workspace' ? [workspace] : []),
    group,
    ...(groupBy === 'key' ? [id] : []),
    ...COLUMNS,
    ...Object.keys(usage.total.uses).map(
      (name): Column => [isTimed(name) ? `${name}_ms` : name, (row) => row.uses[name] ?? 0],
    ),
  ]
  const lines = [
    columns.map(([title]) => csvField(title)),
    ...usage.data.map((row) => columns.map(([, value]) => csvField(value(row)))),
  ]
  return lines.map((line) => `${line.join(',')}\r\n`).join('')
}

export function csvName(workspace: string, usage: Usage): string {
  const last = new Date(new Date(usage.to).getTime() - 1).toISOString()
  const span = `${usage.from.slice(0, 10)}-to-${last.slice(0, 10)}`
  return `usage-${workspace}-by-${usage.group_by}-${usage.interval === null ? '' : `${usage.interval}-`}${span}.csv`
}
