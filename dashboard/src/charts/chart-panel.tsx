import { ActionIcon, Group, Skeleton } from '@mantine/core'
import { ChartColumnStacked, Table2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Panel } from '../components/panel.tsx'
import { Chart } from './chart.tsx'
import type { ChartContent } from './chart-series.ts'
import { ChartTable } from './chart-table.tsx'

export interface ChartPanelProps {
  title: string
  description?: ReactNode
  actions?: ReactNode
  /** Undefined while loading. */
  content: ChartContent | undefined
  /** Instead of waiting without end: why there is no content. */
  failure?: ReactNode
  /** Instead of a chart without bars. */
  empty: ReactNode
  height?: number
}

/** A chart that can also be read as a table. */
export function ChartPanel({ title, description, actions, content, failure, empty, height = 220 }: ChartPanelProps) {
  const [isTable, setTable] = useState(false)
  const hasBars = content !== undefined && content.series.length > 0
  const label = isTable ? `${title}: show as chart` : `${title}: show as table`
  const Icon = isTable ? ChartColumnStacked : Table2
  return (
    <Panel
      title={title}
      description={description}
      flush={isTable && hasBars}
      actions={
        <Group gap="xs" ml="auto">
          {actions}
          {hasBars && (
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={label}
              title={isTable ? 'Show as chart' : 'Show as table'}
              aria-pressed={isTable}
              onClick={() => setTable(!isTable)}
            >
              <Icon size={16} aria-hidden />
            </ActionIcon>
          )}
        </Group>
      }
    >
      {content === undefined && failure ? (
        failure
      ) : content === undefined ? (
        <Skeleton height={height + 30} role="status" aria-label="Loading" />
      ) : !hasBars ? (
        empty
      ) : isTable ? (
        <ChartTable content={content} />
      ) : (
        <Chart {...content} height={height} />
      )}
    </Panel>
  )
}
