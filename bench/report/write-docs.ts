import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NodesResult } from '../nodes/nodes.ts'
import { nodesPage } from '../nodes/report.ts'
import type { PeersResult } from '../peers/peers.ts'
import { peersSummary } from '../peers/report.ts'
import type { BenchResult } from '../result.ts'
import { headText, targetLines } from './report.ts'
import { markdownTable } from './table.ts'

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
  fill('README.md', peersSummary(result), marks)
  return 'written: README.md\n'
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

/** The targets with this run's figures; the other tables stay in bench/results. */
export function figures(result: BenchResult): string {
  return `${headText(result)}\n\n${markdownTable(targetLines(result))}`
}
