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
    const names = new Map(data.map((row) => [groupKey(row), groupName(groupBy, row)]))
    const { stacks, rest } = stackCells(cells, starts)
    const groups = stacks.map(({ group }) => group)
    colors.current = assignColors(colors.current, groups, SERIES.length)
    const requestsIn = (start?: string, filters: Record<string, string> = {}) => {
      const span = start === undefined ? { from, to } : { from: start, to: endOf(start, interval) }
      return `${requests}?${new URLSearchParams({ ...filters, ...span })}`
    }
    const series = stacks.map(({ group, values, total }) => ({
      id: `group:${group}`,
      name: names.get(group) ?? group,
      color: SERIES[colors.current.get(group) ?? 0] ?? REST_COLOR,
      hrefIn:
        group === '' || group === REST
          ? undefined
          : (start?: string) => requestsIn(start, groupFilters(groupBy, group)),
      values,
      total,
    }))
    if (rest !== null) {
      const name = `the rest (${rest.groups})`
      series.push({ id: 'rest', name, color: REST_COLOR, hrefIn: undefined, values: rest.values, total: rest.total })
    }
    return {
      label: `${LABELS[measure]} per ${interval} by ${groupBy}`,
      unit: UNITS[measure],
      interval,
      starts,
      series,
      hrefAt: (start) => requestsIn(start),
    }
  }, [usage, measure, requests])
}
