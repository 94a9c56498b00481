import { Table } from '@mantine/core'
import { Link } from 'wouter'
import { addExact } from '../format/exact.ts'
import classes from './chart.module.css'
import type { ChartContent } from './chart-series.ts'
import { spanText } from './time-axis.ts'
import { exactText } from './units.ts'

/** The same figures as the chart, exact, as a table; the newest first. */
export function ChartTable({ content }: { content: ChartContent }) {
  const { label, starts, series, unit, interval, layout = 'stacked', hrefAt } = content
  const hasTotal = layout === 'stacked' && series.length > 1
  const places = starts.map((start, place) => ({ start, place })).toReversed()
  const at = (place: number) => series.map(({ values }) => values[place] ?? '0')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className={classes['tableScroll']} aria-label={`${label}, as a table`} tabIndex={0}>
      <Table className={classes['table'] ?? ''} stickyHeader verticalSpacing={5} horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{interval === 'day' ? 'Day (UTC)' : 'Time'}</Table.Th>
            {series.map(({ id, name }) => (
              <Table.Th key={id} data-figures>
                {name}
              </Table.Th>
            ))}
            {hasTotal && <Table.Th data-figures>Total</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {places.map(({ start, place }) => (
            <Table.Tr key={start}>
              <Table.Th scope="row">
                {hrefAt === undefined ? (
                  spanText(start, interval)
                ) : (
                  <Link href={hrefAt(start)}>{spanText(start, interval)}</Link>
                )}
              </Table.Th>
              {at(place).map((value, index) => (
                <Table.Td key={series[index]?.id} data-figures>
                  {exactText(value, unit)}
                </Table.Td>
              ))}
              {hasTotal && <Table.Td data-figures>{exactText(addExact(at(place)), unit)}</Table.Td>}
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr>
            <Table.Th scope="row">Total</Table.Th>
            {series.map(({ id, total }) => (
              <Table.Td key={id} data-figures>
                {exactText(total, unit)}
              </Table.Td>
            ))}
            {hasTotal && (
              <Table.Td data-figures>{exactText(addExact(series.map(({ total }) => total)), unit)}</Table.Td>
            )}
          </Table.Tr>
        </Table.Tfoot>
      </Table>
    </section>
  )
}
