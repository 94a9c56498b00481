import { fixed, markdownTable, signed, tableText } from '../report/table.ts'
import { type NodesResult, type NodesRow, RATE } from './nodes.ts'

/** For a terminal. */
export function nodesText(result: NodesResult): string {
  return `${head(result)}\n\n${tableText(lines(result.rows))}\n${NOTE}\n`
}

/** For docs/performance.md. */
export function nodesPage(result: NodesResult): string {
  return `${head(result)}\n\n${markdownTable(lines(result.rows))}\n${NOTE}\n`
}

const NOTE = `Nodes, PostgreSQL, Valkey, load and provider share the cores of one machine: more nodes cannot make it faster. CPU a call is what
carries over to several machines, calls/s is not.`

function head({ startedAt, processor, cores, node, quick }: NodesResult): string {
  const note = quick ? ' A quick run, too short for figures to cite.' : ''
  return `${startedAt.slice(0, 10)}, ${cores} × ${processor}, Node ${node}; medians of slices that take turns.${note}`
}

function lines(rows: readonly NodesRow[]): string[][] {
  const titles = ['', 'calls/s', 'CPU µs a call: nodes', 'PostgreSQL', 'Valkey', 'in all']
  return [
    [...titles, `added p50 ms at ${RATE}/s`, 'p99', 'errors'],
    ...rows.map((row) => [
      row.name,
      row.requestsPerSecond.toFixed(0),
      row.nodesCpu.toFixed(0),
      fixed(row.postgresCpu, 0),
      fixed(row.valkeyCpu, 0),
      (row.nodesCpu + (row.postgresCpu ?? 0) + (row.valkeyCpu ?? 0)).toFixed(0),
      signed(row.added.p50Ms),
      signed(row.added.p99Ms),
      String(row.errors),
    ]),
  ]
}
