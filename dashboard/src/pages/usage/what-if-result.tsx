import { List, Stack, Text } from '@mantine/core'
import { useMemo } from 'react'
import { useOperation } from '../../api/hooks.ts'
import { Chart } from '../../charts/chart.tsx'
import type { ChartContent } from '../../charts/chart-series.ts'
import { ChartTable } from '../../charts/chart-table.tsx'
import { EmptyState, Loaded } from '../../components/states.tsx'
import { useWorkspace } from '../../shell/place.ts'
import classes from './usage.module.css'
import { queryRange, type UsageView } from './usage-view.ts'
import { useToday } from './use-usage.ts'
import { unpricedLines, verdictOf, type WhatIf } from './what-if.ts'

interface WhatIfResultProps {
  view: UsageView
  model: string | null
  pricesAt: string | null
}

export function WhatIfResult({ view, model, pricesAt }: WhatIfResultProps) {
  const workspace = useWorkspace()
  const today = useToday()
  const { key, route, provider, model: servedBy } = view.filters
  const query = {
    workspace,
    ...queryRange(view, today),
    ...(model === null ? {} : { model }),
    ...(pricesAt === null ? {} : { prices_at: pricesAt }),
    ...(key === undefined ? {} : { key }),
    ...(route === undefined ? {} : { route }),
  }
  const answer = useOperation('usage.what-if', { query })
  return (
    <Loaded query={answer}>
      {(whatIf: WhatIf) => (
        <Stack gap="md">
          {(provider ?? servedBy) !== undefined && (
            <Text size="xs" c="var(--warn)">
              Provider and model filters don’t apply here: calls of all models are compared.
            </Text>
          )}
          <Comparison whatIf={whatIf} />
        </Stack>
      )}
    </Loaded>
  )
}

function Comparison({ whatIf }: { whatIf: WhatIf }) {
  const content = useMemo(() => chartOf(whatIf), [whatIf])
  const { headline, tone, sentence } = verdictOf(whatIf)
  const unpriced = unpricedLines(whatIf)
  return (
    <>
      {whatIf.total.requests === 0 ? (
        <EmptyState title="No calls in this period can be compared">
          {unpriced.length === 0 ? 'There are none.' : 'One of the two prices is unknown for each of them.'}
        </EmptyState>
      ) : (
        <>
          <div>
            <Text className={classes['headline'] ?? ''} data-tone={tone}>
              {headline}
            </Text>
            <Text size="sm">{sentence}</Text>
            <Text size="xs" c="dimmed">
              The counts of tokens are those of the log; another model would have counted and answered a little
              differently.
            </Text>
          </div>
          <Chart {...content} height={180} />
          <details>
            <summary className={classes['summary']}>Show as a table</summary>
            <ChartTable content={content} />
          </details>
        </>
      )}
      {unpriced.length > 0 && (
        <div>
          <Text size="sm" fw={600}>
            Excluded from both
          </Text>
          <List size="sm" c="dimmed">
            {unpriced.map((line) => (
              <List.Item key={line}>{line}</List.Item>
            ))}
          </List>
        </div>
      )}
    </>
  )
}

function chartOf({ data, total }: WhatIf): ChartContent {
  return {
    label: 'Actual and what-if cost per day',
    unit: 'usd',
    interval: 'day',
    layout: 'beside',
    starts: data.map(({ day }) => new Date(day).toISOString()),
    series: [
      {
        id: 'paid',
        name: 'paid',
        color: 'var(--series-1)',
        values: data.map((day) => day.paid_usd),
        total: total.paid_usd,
      },
      {
        id: 'what-if',
        name: 'what if',
        color: 'var(--series-3)',
        values: data.map((day) => day.what_if_usd),
        total: total.what_if_usd,
      },
    ],
  }
}
