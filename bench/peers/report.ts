import { fixed, markdownTable, spread, tableText } from '../report/table.ts'
import { OURS } from '../run/gateway.ts'
import type { PeersResult } from './peers.ts'

/** For a terminal. */
export function peersText(result: PeersResult): string {
  return `${head(result)}\n\n${tableText(lines(result))}`
}

/** For README.md. */
export function peersSummary({ startedAt, cores, rows }: PeersResult): string {
  const head = [
    `${startedAt.slice(0, 10)}, all busy on one of ${cores} virtual cores`,
    'CPU a call',
    'what it does with a call',
  ]
  const shown = rows.filter(({ name }) => name === OURS || !name.startsWith(OURS))
  const lines = shown.map(({ name, oneCore, does }) => [name, `${fixed(oneCore.cpuRatio, 1)} ×`, does])
  return markdownTable([head, ...lines])
}

function head(result: PeersResult): string {
  const { startedAt, cores, processor, node, loadAverage, notPinned, quick, problems } = result
  const machine = `${startedAt.slice(0, 10)}, ${cores} virtual cores (${processor}), Node ${node}`
  const busy = `load average ${loadAverage.toFixed(0)}${loadAverage > 2 * cores ? ': A LOADED MACHINE, only ratios say anything' : ''}`
  const notes = [
    ...(notPinned === null ? [] : [`NOT pinned: ${notPinned}.`]),
    ...(quick ? ['A quick run, too short for figures to cite.'] : []),
    ...problems.map((problem) => `${problem}.`),
  ]
  return [`${machine}; ${busy}.`, ...notes].join('\n')
}

function lines({ rows }: PeersResult): string[][] {
  const ratios = ['CPU a call × Switchyard, one core', 'spread', 'all cores', 'spread', 'calls/s alone × Switchyard']
  return [
    ['', ...ratios, 'CPU µs, one core', 'all cores', 'calls', 'errors', 'what it does with a call'],
    ...rows.map(({ name, does, oneCore, allCores }) => [
      name,
      fixed(oneCore.cpuRatio, 2),
      spread(oneCore.cpuRatioSpread, 2),
      fixed(allCores.cpuRatio, 2),
      spread(allCores.cpuRatioSpread, 2),
      fixed(allCores.rateRatio, 3),
      fixed(oneCore.cpuMicroseconds, 0),
      fixed(allCores.cpuMicroseconds, 0),
      String(oneCore.requests + allCores.requests),
      String(oneCore.errors + allCores.errors),
      does,
    ]),
  ]
}
