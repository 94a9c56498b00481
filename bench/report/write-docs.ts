import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NodesResult } from '../nodes/nodes.ts'
import { nodesPage } from '../nodes/report.ts'
import type { PeersResult } from '../peers/peers.ts'
import { peersPage, peersSummary } from '../peers/report.ts'
import type { BenchResult } from '../result.ts'
import { DIRECT } from '../run/contestants.ts'
import { label } from '../run/scene.ts'
import { headText, targetLines } from './report.ts'
import { fixed, markdownTable, megabytes } from './table.ts'

const ROOT = join(import.meta.dirname, '../..')
const TOO_SHORT = 'the last run was a quick one, too short for figures to cite: npm run bench'

/** Replaces the text between the markers of each file. */
export function writeDocs(result: BenchResult): string {
  if (result.quick) throw new Error(TOO_SHORT)
  fill('docs/performance.md', figures(result))
  return 'written: docs/performance.md\n'
}

export function writeNodesDocs(result: NodesResult): string {
  if (result.quick) throw new Error(`${TOO_SHORT} -- --nodes`)
  fill('docs/performance.md', nodesPage(result), { begin: NODES_BEGIN, end: '<!-- /nodes -->' })
  return 'written: docs/performance.md\n'
}

export function writePeersDocs(result: PeersResult): string {
  if (result.quick) throw new Error(`${TOO_SHORT} -- --peers`)
  const marks = { begin: PEERS_BEGIN, end: '<!-- /peers -->' }
  fill('docs/performance.md', peersPage(result), marks)
  fill('README.md', peersSummary(result), marks)
  return 'written: docs/performance.md, README.md\n'
}

function fill(file: string, text: string, marks = MARKS): void {
  const path = join(ROOT, file)
  writeFileSync(path, between(readFileSync(path, 'utf8'), text, marks))
}

const MARKS = { begin: '<!-- bench: written by npm run bench -- --write-docs -->', end: '<!-- /bench -->' }
const NODES_BEGIN = '<!-- nodes: written by npm run bench -- --nodes --write-docs -->'
const PEERS_BEGIN = '<!-- peers: written by npm run bench -- --peers --write-docs -->'

export function between(page: string, text: string, { begin, end } = MARKS): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`the page has no place for figures: ${begin} … ${end}`)
  return `${page.slice(0, from + begin.length)}\n${text.trim()}\n${page.slice(to)}`
}

/** The other tables stay in bench/results. */
function figures(result: BenchResult): string {
  return `${summary(result)}\n\n## Targets\n\n${markdownTable(targetLines(result))}`
}

/** The figures by which people compare gateways. */
export function summary(result: BenchResult): string {
  const { together, saturation, latency, memory } = result
  const lines = saturation
    .filter(({ name }) => name !== DIRECT)
    .map((row) => {
      const at500 = latency.find((other) => label(other) === label(row) && other.rate === 500)
      const cost = together.find((other) => label(other) === label(row))
      const kept = memory.find((other) => label(other) === label(row))
      return [
        label(row),
        fixed(cost?.cpuMicroseconds, 0),
        fixed(cost?.hopRatio, 2),
        row.requestsPerSecond.toFixed(0),
        at500 === undefined ? '–' : `${fixed(at500.added.p50Ms, 2)} / ${fixed(at500.added.p99Ms, 1)} ms`,
        kept === undefined ? '–' : `${megabytes(kept.rssIdleBytes)} / ${megabytes(kept.rssInFlightBytes)}`,
      ]
    })
  const costs = ['', 'CPU µs a call', '× bare hop', 'calls/s alone on one core']
  const head = [...costs, 'added p50 / p99 at 500/s', 'RSS idle / 1,000 in flight']
  return `${headText(result)}\n\n${markdownTable([head, ...lines])}`
}
