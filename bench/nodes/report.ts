import { fixed, markdownTable, signed, tableText } from '../report/table.ts'
import { atMost, wordOf } from '../report/verdicts.ts'
import { type NodesResult, type NodesRow, RATE } from './nodes.ts'
import type { SharingResult } from './sharing.ts'

/** For a terminal. */
export function nodesText(result: NodesResult): string {
  const { sharing } = result
  const targets = sharing === null ? [] : [tableText(targetLines(sharing)), tableText(countersLines(sharing))]
  return `${[head(result), ...targets, tableText(lines(result.rows))].join('\n\n')}\n${NOTE}\n`
}

/** For docs/performance.md: the targets only; the other tables are in the text. */
export function nodesPage(result: NodesResult): string {
  const targets = result.sharing === null ? [] : [markdownTable(targetLines(result.sharing))]
  return `${[head(result), ...targets].join('\n\n')}\n`
}

const NOTE = `Nodes, PostgreSQL, Valkey, load and provider share the cores of one machine: more nodes cannot make it faster. CPU a call is what
carries over to several machines, calls/s is not.`

function head({ startedAt, processor, cores, node, quick, loadAverage }: NodesResult): string {
  const note = quick ? ' A quick run, too short for figures to cite.' : ''
  return `${startedAt.slice(0, 10)}, ${cores} × ${processor}, Node ${node}; medians of slices that take turns; load average ${loadAverage.toFixed(0)}.${note}`
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

function targetLines({ cpu, counters, postgres, added }: SharingResult): string[][] {
  const row = (name: string) => counters.find((each) => each.name.startsWith(name))
  const digits = (count: number, unit: string) => (value: number) => `${value.toFixed(count)}${unit}`
  const [many, few] = postgres
  const verdicts = [
    atMost('CPU of a node against embedded, at the same time', cpu.at(-1)?.ratio, 1.25, digits(2, ' ×')),
    atMost('calls that wait for Valkey, far from a limit', row('far')?.waits, 0.02, digits(3, '')),
    atMost('near it', row('near')?.waits, 1.2, digits(2, '')),
    atMost('unlimited', row('unlimited')?.waits, 0, digits(3, '')),
    atMost('Valkey a call, 1,000/s a node over 100 keys', row('far')?.valkeyMicroseconds, 15, digits(0, ' µs')),
    atMost('PostgreSQL a call of 2 s, 500/s over 100 keys', many?.microseconds, 45, digits(0, ' µs')),
    atMost('its write-ahead log', many?.walBytes, 1_400, digits(0, ' B')),
    atMost('PostgreSQL a call of 2 s, 1,000/s over 5 keys', few?.microseconds, 45, digits(0, ' µs')),
    atMost('its write-ahead log', few?.walBytes, 1_400, digits(0, ' B')),
    atMost('added by Valkey at 500/s, p50', added.p50Ms, 0.05, digits(2, ' ms')),
    atMost('added by Valkey at 500/s, p99', added.p99Ms, 0.5, digits(2, ' ms')),
    atMost('failed with Valkey frozen for 1 s', row('far, Valkey frozen')?.failed, 0, String),
    atMost('failed with Valkey killed for 1 s', row('far, Valkey killed')?.failed, 0, String),
  ]
  return [
    ['what', 'target', 'this run', ''],
    ...verdicts.map(({ what, target, figure, holds }) => [what, target, figure, wordOf(holds)]),
  ]
}

function countersLines({ counters }: SharingResult): string[][] {
  const titles = ['two nodes, 100 keys', 'calls', 'refused', 'failed', 'waits a call', 'messages', 'Valkey µs']
  return [
    [...titles, 'appended bytes'],
    ...counters.map((row) => [
      ...[row.name, String(row.calls), String(row.refused), String(row.failed)],
      ...[row.waits.toFixed(3), row.messages.toFixed(3), row.valkeyMicroseconds.toFixed(0)],
      row.appendedBytes.toFixed(0),
    ]),
  ]
}
