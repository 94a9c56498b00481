import type { Query } from '../../api/client.ts'
import type { Measure } from '../../charts/usage-groups.ts'
import type { Sort } from '../../components/data-table.tsx'

/** What the page shows, read from its address. */
export interface UsageView {
  period: (typeof PERIODS)[number]['name'] | 'custom'
  /** First and last day, both included, UTC. */
  firstDay: string
  lastDay: string
  days: number
  interval: 'hour' | 'day'
  /** Over all workspaces that may be seen. */
  isAll: boolean
  groupBy: (typeof GROUPS)[number] | 'workspace'
  measure: Measure
  filters: Filters
  sort: Sort
}

export type Filters = Pick<Query<'usage.get'>, (typeof FILTERS)[number]>

export const PERIODS = [
  { name: '7d', title: '7 d', days: 7 },
  { name: '30d', title: '30 d', days: 30 },
  { name: '90d', title: '90 d', days: 90 },
] as const
export const GROUPS = ['model', 'route', 'key', 'provider', 'endpoint', 'user', 'session', 'project', 'kind'] as const
/** Who spent it comes first. */
export const GROUPS_OF_ALL = ['key', 'workspace', ...GROUPS.filter((name) => name !== 'key')] as const
export const MEASURES = ['cost', 'requests', 'tokens'] as const
export const FILTERS = ['key', 'route', 'provider', 'model', 'endpoint', 'user', 'session', 'project', 'kind'] as const

/** More hours make bars thinner than a pixel, and an answer of megabytes. */
export const MOST_HOURLY_DAYS = 7
/** How far back the comparison with other prices may look. */
export const MOST_WHAT_IF_DAYS = 93

const DAY_MS = 86_400_000

export function viewOf(search: Record<string, string>, today: string): UsageView {
  const range = rangeOf(search, today)
  const isAll = search['workspaces'] === 'all'
  const measure = oneOf(MEASURES, search['measure'])
  return {
    ...range,
    interval: search['interval'] === 'hour' && range.days <= MOST_HOURLY_DAYS ? 'hour' : 'day',
    isAll,
    groupBy: isAll ? oneOf(GROUPS_OF_ALL, search['group']) : oneOf(GROUPS, search['group']),
    measure,
    filters: Object.fromEntries(FILTERS.flatMap((name) => (search[name] ? [[name, search[name]]] : []))),
    sort: sortOf(search['sort']) ?? { by: measure, descending: true },
  }
}

function rangeOf(search: Record<string, string>, today: string) {
  const { from, to } = search
  if (isDay(from) && isDay(to) && from <= to) {
    return { period: 'custom' as const, firstDay: from, lastDay: to, days: daysBetween(from, to) + 1 }
  }
  const { name, days } = PERIODS.find((period) => period.name === search['period']) ?? PERIODS[1]
  return { period: name, firstDay: dayAfter(today, 1 - days), lastDay: today, days }
}

/** The range as the API takes it: `to` is exclusive, and a range that ends today ends now. */
export function queryRange({ firstDay, lastDay }: Pick<UsageView, 'firstDay' | 'lastDay'>, today: string) {
  return { from: firstDay, ...(lastDay >= today ? {} : { to: dayAfter(lastDay, 1) }) }
}

/** "cost" for ascending, "-cost" for descending. */
export function sortOf(text: string | undefined): Sort | undefined {
  if (text === undefined || text === '') return undefined
  return text.startsWith('-') ? { by: text.slice(1), descending: true } : { by: text, descending: false }
}

export function sortText({ by, descending }: Sort): string {
  return descending ? `-${by}` : by
}

export function dayAfter(day: string, days: number): string {
  return new Date(new Date(day).getTime() + days * DAY_MS).toISOString().slice(0, 10)
}

export function utcToday(now: number): string {
  return new Date(now).toISOString().slice(0, 10)
}

const dayName = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })
const dayAndYear = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', year: '2-digit', timeZone: 'UTC' })

/** "Nov 15", of another year "Nov 15, 25". */
export function dayText(day: string, today = utcToday(Date.now())): string {
  return (day.slice(0, 4) === today.slice(0, 4) ? dayName : dayAndYear).format(new Date(day))
}

function daysBetween(from: string, to: string): number {
  return Math.round((new Date(to).getTime() - new Date(from).getTime()) / DAY_MS)
}

function isDay(text: string | undefined): text is string {
  return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(new Date(text).getTime())
}

function oneOf<Value extends string>(values: readonly [Value, ...Value[]], value: string | undefined): Value {
  return values.find((each) => each === value) ?? values[0]
}
