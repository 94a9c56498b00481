import { Group, SegmentedControl, Tooltip } from '@mantine/core'
import { DatePickerInput } from '@mantine/dates'
import { CalendarDays } from 'lucide-react'
import { useState } from 'react'
import { useAll } from '../../api/hooks.ts'
import { useCalendar } from '../../components/calendar.ts'
import { useUrlState, useWorkspace } from '../../shell/place.ts'
import classes from './usage.module.css'
import { dayText, GROUPS, GROUPS_OF_ALL, MOST_HOURLY_DAYS, PERIODS, type UsageView } from './usage-view.ts'
import { useToday } from './use-usage.ts'

/** The last days, or a range of one's own. */
export function PeriodControl({ view }: { view: UsageView }) {
  const [, change] = useUrlState()
  return (
    <>
      <SegmentedControl
        aria-label="Period"
        size="xs"
        value={view.period}
        data={PERIODS.map(({ name, title }) => ({ value: name, label: title }))}
        onChange={(name) => change({ period: name === '30d' ? null : name, from: null, to: null })}
      />
      <RangeInput key={`${view.firstDay} ${view.lastDay}`} view={view} />
    </>
  )
}

/** Shows the range in effect; half a choice stays here until its other half is made. */
function RangeInput({ view }: { view: UsageView }) {
  const today = useToday()
  const [, change] = useUrlState()
  const [range, setRange] = useState<[string | null, string | null]>([view.firstDay, view.lastDay])
  const calendar = useCalendar({ onClose: () => setRange([view.firstDay, view.lastDay]) })
  function choose(next: [string | null, string | null]) {
    setRange(next)
    const [from, to] = next
    if (from !== null && to !== null) change({ from, to, period: null })
  }
  return (
    <DatePickerInput
      {...calendar}
      type="range"
      allowSingleDateInRange
      size="xs"
      w={180}
      aria-label={`Days, UTC: ${rangeText(range)}`}
      valueFormatter={({ date }) => rangeText(date as [string | null, string | null])}
      maxDate={today}
      defaultDate={view.lastDay}
      value={range}
      onChange={choose}
      leftSection={<CalendarDays size={14} aria-hidden />}
      classNames={{ input: classes['range'] ?? '' }}
    />
  )
}

function rangeText([from, to]: [string | null, string | null]): string {
  return `${from === null ? '' : dayText(from)} – ${to === null ? '' : dayText(to)}`
}

const GROUP_TITLES = [
  { value: 'model', label: 'Model' },
  { value: 'route', label: 'Route' },
  { value: 'key', label: 'Key' },
  { value: 'provider', label: 'Provider' },
  { value: 'endpoint', label: 'Endpoint' },
  { value: 'user', label: 'User' },
  { value: 'session', label: 'Session' },
  { value: 'project', label: 'Project' },
  { value: 'kind', label: 'Kind' },
]

/** For those who may see several. */
export function WorkspacesControl({ view }: { view: UsageView }) {
  const [, change] = useUrlState()
  const workspace = useWorkspace()
  const isOneOfMany = (useAll('workspaces.list', {}).data?.length ?? 1) > 1
  if (!isOneOfMany && !view.isAll) return null
  return (
    <SegmentedControl
      aria-label="Workspaces"
      size="xs"
      value={view.isAll ? 'all' : 'one'}
      data={[
        { value: 'one', label: workspace },
        { value: 'all', label: 'All workspaces' },
      ]}
      onChange={(which) => change({ workspaces: which === 'all' ? 'all' : null, group: null })}
    />
  )
}

export function GroupControl({ view }: { view: UsageView }) {
  const [, change] = useUrlState()
  const all = [{ value: 'workspace', label: 'Workspace' }, ...GROUP_TITLES]
  const first = view.isAll ? GROUPS_OF_ALL[0] : GROUPS[0]
  return (
    <SegmentedControl
      aria-label="Group by"
      size="xs"
      classNames={{ indicator: classes['thumb'] ?? '', label: classes['choice'] ?? '' }}
      value={view.groupBy}
      data={view.isAll ? all : GROUP_TITLES}
      onChange={(group) => change({ group: group === first ? null : group })}
    />
  )
}

/** What the bars measure, and how long one of them is. */
export function ChartControls({ view }: { view: UsageView }) {
  const [, change] = useUrlState()
  const isLong = view.days > MOST_HOURLY_DAYS
  return (
    <Group gap="xs">
      <SegmentedControl
        aria-label="Measure"
        size="xs"
        value={view.measure}
        data={[
          { value: 'cost', label: 'Spend' },
          { value: 'requests', label: 'Requests' },
          { value: 'tokens', label: 'Tokens' },
        ]}
        onChange={(measure) => change({ measure: measure === 'cost' ? null : measure, sort: null })}
      />
      <Tooltip label={`By the hour up to ${MOST_HOURLY_DAYS} days`} disabled={!isLong}>
        <SegmentedControl
          aria-label="Interval"
          size="xs"
          value={view.interval}
          data={[
            { value: 'hour', label: 'Hour', disabled: isLong },
            { value: 'day', label: 'Day' },
          ]}
          onChange={(interval) => change({ interval: interval === 'day' ? null : interval })}
        />
      </Tooltip>
    </Group>
  )
}
