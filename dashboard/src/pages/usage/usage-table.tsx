import { Badge, Box, Button } from '@mantine/core'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { groupFilters, groupKey, type Measure, requestsOf } from '../../charts/usage-groups.ts'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Money } from '../../components/money.tsx'
import { count, milliseconds, percent } from '../../format/number.ts'
import { usePath, useUrlState } from '../../shell/place.ts'
import classes from './usage.module.css'
import { linesOf, shareParts, sortLines, totalLine, type Usage, type UsageLine } from './usage-rows.ts'
import { savedText } from './usage-totals.tsx'
import { sortText, type UsageView } from './usage-view.ts'

const TITLES = {
  ...{ model: 'Model', route: 'Route', key: 'Key', provider: 'Provider', code: 'Code' },
  ...{ endpoint: 'Endpoint', user: 'User', session: 'Session', workspace: 'Workspace' },
  ...{ agent: 'Agent', kind: 'Kind', project: 'Project' },
} as const

/** Lines drawn at first: a thousand sessions would take seconds. */
const SHOWN = 100

/** Totals by group; each line leads to its requests. */
export function UsageTable({ usage, view }: { usage: Usage; view: UsageView }) {
  const [, change] = useUrlState()
  const path = usePath()
  const requests = path('requests')
  const columns = useMemo(() => columnsOf(usage, view.measure, view.filters, requests), [usage, view, requests])
  const { by, descending } = view.sort
  const lines = useMemo(() => sortLines(linesOf(usage), { by, descending }), [usage, by, descending])
  const [isWhole, setWhole] = useState(false)
  const isCut = lines.length > SHOWN && !isWhole
  const shown = useMemo(() => (isCut ? lines.slice(0, SHOWN) : lines), [lines, isCut])
  return (
    <>
      <DataTable
        label="Totals by group"
        columns={columns}
        rows={shown}
        rowKey={groupKey}
        total={totalLine(usage)}
        sort={view.sort}
        onSort={(sort) => change({ sort: sortText(sort) })}
      />
      {isCut && (
        <Box p="sm" ta="center">
          <Button variant="default" size="xs" onClick={() => setWhole(true)}>
            Show all {count(lines.length)}
          </Button>
        </Box>
      )}
    </>
  )
}

type Filters = UsageView['filters']

function columnsOf(usage: Usage, measure: Measure, filters: Filters, requests: string): Column<UsageLine>[] {
  const groupBy = usage.group_by ?? 'model'
  const figures = (
    name: string,
    title: string,
    cell: Column<UsageLine>['cell'],
    wideOnly = false,
  ): Column<UsageLine> => ({
    name,
    title,
    cell,
    figures: true,
    sortable: true,
    wideOnly,
  })
  return [
    {
      name: 'group',
      title: TITLES[groupBy],
      sortable: true,
      cell: (line) => <GroupCell line={line} usage={usage} filters={filters} requests={requests} />,
    },
    figures('requests', 'Requests', ({ requests: all }) => count(all)),
    figures('errors', 'Errors', ({ errors, requests: all }) => (
      <span title={`${percent(errors, all)} of the requests`}>{count(errors)}</span>
    )),
    figures('prompt', 'Prompt tokens', (line) => count(line.prompt_tokens)),
    figures('cached', 'cached', (line) => <span title={cachedTitle(line)}>{count(line.cached_tokens)}</span>, true),
    figures('completion', 'Completion tokens', (line) => count(line.completion_tokens)),
    figures('cost', 'Cost', (line) => <Money usd={line.cost_usd} column decimals={4} />),
    ...(Number(usage.total.resale_usd) === 0
      ? []
      : [figures('resale', 'Charged', (line) => <Money usd={line.resale_usd} column decimals={4} />, true)]),
    { ...figures('share', 'Share', (line) => <Share line={line} usage={usage} measure={measure} />), sortable: false },
    // Sums by user or session come from the rows, without percentiles.
    ...(usage.total.latency_ms.p50 === null
      ? []
      : [
          figures('p50', 'p50', (line) => milliseconds(line.latency_ms.p50), true),
          figures('p95', 'p95', (line) => milliseconds(line.latency_ms.p95), true),
        ]),
  ]
}

function cachedTitle(line: UsageLine): string {
  return `${percent(line.cached_tokens, line.prompt_tokens)} of the prompt tokens${savedText(line)}`
}

interface GroupCellProps {
  line: UsageLine
  usage: Usage
  filters: Filters
  requests: string
}

function GroupCell({ line, usage: { group_by: groupBy, from, to }, filters, requests }: GroupCellProps) {
  const { group, name, isTotal, unpriced_requests: unpriced } = line
  const list = requestsOf(line, requests)
  const search = new URLSearchParams({
    ...(filters as Record<string, string>),
    ...(group === null || groupBy === null ? {} : groupFilters(groupBy, group)),
    from,
    to,
  })
  return (
    <span className={classes['group']}>
      {isTotal || group === null || list === undefined ? (
        <span>{name}</span>
      ) : (
        <Link href={`${list}?${search}`} className={`row-link ${classes['groupName']}`} title={name}>
          {name}
        </Link>
      )}
      {unpriced > 0 && (
        <Badge color="yellow" size="sm" tt="none" flex="none" title="Price unknown: not included in the cost">
          {count(unpriced)} unpriced
        </Badge>
      )}
    </span>
  )
}

/** Of what the bars measure. */
function Share({ line, usage, measure }: { line: UsageLine; usage: Usage; measure: Measure }) {
  const [part, all] = shareParts(line, usage.total, measure)
  return (
    <span className={classes['share']}>
      {!line.isTotal && all > 0 && (
        <span className={classes['shareBar']} aria-hidden>
          <span style={{ width: `${(part / all) * 100}%` }} />
        </span>
      )}
      <span className={classes['shareFigure']}>{percent(part, all)}</span>
    </span>
  )
}
