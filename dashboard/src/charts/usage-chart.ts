import { useMemo, useRef } from 'react'
import { REST_COLOR, SERIES } from '../theme.ts'
import type { Interval } from './chart-data.ts'
import { assignColors, endOf, stackCells, startsOf } from './chart-data.ts'
import type { ChartContent } from './chart-series.ts'
import {
  type GroupBy,
  groupFilters,
  groupKey,
  groupName,
  type Measure,
  measured,
  REST,
  requestsOf,
  type UsageRow,
} from './usage-groups.ts'

interface Usage {
  from: string
  to: string
  interval: Interval | null
  group_by: GroupBy | null
  data: readonly UsageRow[]
}

const UNITS = { cost: 'usd', requests: 'requests', tokens: 'tokens' } as const
const LABELS = { cost: 'Spend', requests: 'Requests', tokens: 'Tokens' } as const

/** Usage by time and group as a stacked chart whose parts lead to the list of `requests`; a group keeps its colour while the chart is in sight. */
export function useUsageChart(usage: Usage | undefined, measure: Measure, requests: string): ChartContent | undefined {
  const colors = useRef(new Map<string, number>())
  return useMemo(() => {
    if (usage === undefined || usage.interval === null || usage.group_by === null) return undefined
    const { interval, group_by: groupBy, from, to, data } = usage
    const starts = startsOf(from, to, interval)
    const cells = data.map((row) => ({ start: row.start ?? '', group: groupKey(row), value: measured(row, measure) }))
    const rows = new Map(data.map((row) => [groupKey(row), row]))
    const isOfAll = data.some(({ workspace }) => workspace !== undefined)
    const { stacks, rest } = stackCells(cells, starts)
    const groups = stacks.map(({ group }) => group)
    colors.current = assignColors(colors.current, groups, SERIES.length)
    const requestsIn = (list: string, start?: string, filters: Record<string, string> = {}) => {
      const span = start === undefined ? { from, to } : { from: start, to: endOf(start, interval) }
      return `${list}?${new URLSearchParams({ ...filters, ...span })}`
    }
    const linkOf = (row: UsageRow | undefined) => {
      const list = row && requestsOf(row, requests)
      const name = row?.group ?? ''
      if (list === undefined || name === '' || row?.is_rest === true) return undefined
      return (start?: string) => requestsIn(list, start, groupFilters(groupBy, name))
    }
    const series = stacks.map(({ group, values, total }) => ({
      id: `group:${group}`,
      name: groupName(groupBy, rows.get(group) ?? { group, name: null, is_rest: false }),
      color: group === REST ? REST_COLOR : (SERIES[colors.current.get(group) ?? 0] ?? REST_COLOR),
      hrefIn: linkOf(rows.get(group)),
      values,
      total,
    }))
    if (rest !== null) {
      const name = rows.has(REST) ? 'all others' : `all others (${rest.groups})`
      series.push({ id: 'rest', name, color: REST_COLOR, hrefIn: undefined, values: rest.values, total: rest.total })
    }
    return {
      label: `${LABELS[measure]} per ${interval} by ${groupBy}`,
      unit: UNITS[measure],
      interval,
      starts,
      series,
      hrefAt: isOfAll ? undefined : (start) => requestsIn(requests, start),
    }
  }, [usage, measure, requests])
}
