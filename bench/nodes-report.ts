import type { NodesResult, NodesRow } from './nodes.ts'
import { markdownTable, tableText } from './table.ts'

/** What a run of `--nodes` found out, for a terminal. */
export function nodesText(result: NodesResult): string {
  return `${head(result)}\n\n${tableText(lines(result))}\n${counterText(result)}\n${NOTE}\n`
}

/** The same for docs/performance.md. */
export function nodesPage(result: NodesResult): string {
  return `${head(result)}\n\n${markdownTable(lines(result))}\n${counterText(result)}\n\n${NOTE}\n`
}

const NOTE = `Nodes, PostgreSQL, Valkey, load and provider share the cores of one machine: more nodes cannot make it faster. CPU a call is what
carries over to several machines, calls/s is not.`

function head({ startedAt, processor, cores, node, rounds, sliceSeconds, quick, dist }: NodesResult): string {
  const what = dist ? 'the built program' : 'the sources'
  const glance = quick ? ' A quick run: a glance, not a result.' : ''
  return `${startedAt.slice(0, 10)}, ${cores} × ${processor}, Node ${node}; ${what}; medians of ${rounds} × ${sliceSeconds} s, taking turns.${glance}`
}

function lines({ rows, rate }: NodesResult): string[][] {
  const titles = ['', 'calls/s', 'a node', 'p50 ms', 'p99 ms', 'CPU µs a call: nodes', 'PostgreSQL', 'Valkey', 'in all']
  return [
    [...titles, `added p50 ms at ${rate}/s`, 'p99', 'errors'],
    ...rows.map((row) => [
      row.name,
      row.requestsPerSecond.toFixed(0),
      (row.requestsPerSecond / row.nodes).toFixed(0),
      row.p50Ms.toFixed(2),
      row.p99Ms.toFixed(2),
      row.cpu.nodes.toFixed(0),
      row.cpu.postgres?.toFixed(0) ?? '–',
      row.cpu.valkey?.toFixed(0) ?? '–',
      inAll(row).toFixed(0),
      signed(row.added.p50Ms),
      signed(row.added.p99Ms),
      row.firstError === null ? String(row.errors) : `${row.errors} (${row.firstError})`,
    ]),
  ]
}

/** What is added may be less than nothing on a machine that others use too. */
function signed(milliseconds: number): string {
  return `${milliseconds < 0 ? '' : '+'}${milliseconds.toFixed(2)}`
}

function inAll({ cpu }: NodesRow): number {
  return cpu.nodes + (cpu.postgres ?? 0) + (cpu.valkey ?? 0)
}

/** The same node with and without shared counters. */
export function counterText({ rows, rate }: NodesResult): string {
  const alone = rows.find(({ cpu }) => cpu.postgres !== null && cpu.valkey === null)
  const shared = rows.find(({ cpu, nodes }) => cpu.valkey !== null && nodes === 1)
  if (alone === undefined || shared === undefined) return ''
  const node = shared.cpu.nodes - alone.cpu.nodes
  const [p50, p99] = [shared.added.p50Ms - alone.added.p50Ms, shared.added.p99Ms - alone.added.p99Ms]
  return (
    `Shared counters cost a call ${node.toFixed(0)} µs of CPU in the node and ${(shared.cpu.valkey ?? 0).toFixed(0)} µs in Valkey, ` +
    `and at ${rate}/s ${p50.toFixed(2)} ms at the median, ${p99.toFixed(2)} ms at the 99th percentile.`
  )
}
