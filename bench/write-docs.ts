import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chartSvg } from './chart.ts'
import { DIRECT } from './contestants.ts'
import { label } from './label.ts'
import type { NodesResult } from './nodes.ts'
import { nodesPage } from './nodes-report.ts'
import { headText, megabytes, sections, verdictWord } from './report.ts'
import type { BenchResult } from './result.ts'
import { markdownTable } from './table.ts'
import { verdicts } from './verdicts.ts'

const root = join(import.meta.dirname, '..')

/** The figures of a run go to where people read them; every file keeps what stands outside its markers. */
export function writeDocs(result: BenchResult): string[] {
  if (result.quick) throw new Error('the last run was a quick one, which is a glance and no result: npm run bench')
  writeFileSync(join(root, 'docs/images/bench.svg'), chartSvg(result))
  fill('docs/performance.md', figures(result))
  fill('README.md', summary(result))
  return ['docs/images/bench.svg', 'docs/performance.md', 'README.md']
}

export function writeNodesDocs(result: NodesResult): string[] {
  if (result.quick) throw new Error('the last run was a quick one, which is a glance and no result')
  fill('docs/performance.md', nodesPage(result), NODES_MARKS)
  return ['docs/performance.md']
}

function fill(file: string, text: string, marks = MARKS): void {
  const path = join(root, file)
  writeFileSync(path, between(readFileSync(path, 'utf8'), text, marks))
}

const MARKS = { begin: '<!-- bench: written by npm run bench -- --write-docs -->', end: '<!-- /bench -->' }
const NODES_MARKS = {
  begin: '<!-- nodes: written by npm run bench -- --nodes --write-docs -->',
  end: '<!-- /nodes -->',
}

export function between(page: string, text: string, { begin, end } = MARKS): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`the page has no place for figures: ${begin} … ${end}`)
  return `${page.slice(0, from + begin.length)}\n${text.trim()}\n${page.slice(to)}`
}

function figures(result: BenchResult): string {
  const rows = verdicts(result).map(({ what, target, figure, holds }) => [what, target, figure, verdictWord(holds)])
  const targets = `### Targets\n\n${markdownTable([['what', 'target', 'this run', ''], ...rows])}`
  const tables = sections(result).map(({ title, lines }) => `### ${title}\n\n${markdownTable(lines)}`)
  const start = result.start === null ? '' : `Start to first answer: ${result.start.milliseconds.toFixed(0)} ms.\n`
  return `![CPU a call and added latency](images/bench.svg)\n\n${headText(result)}\n\n${targets}\n${tables.join('\n')}\n${start}`
}

/** The few figures that people compare gateways by. */
export function summary(result: BenchResult): string {
  const { together, saturation, latency, memory } = result
  const lines = saturation
    .filter(({ name }) => name !== DIRECT)
    .map((row) => {
      const at500 = latency.find((other) => label(other) === label(row) && other.rate === 500)
      const costs = together.find((other) => label(other) === label(row))
      const kept = memory.find((other) => label(other) === label(row))
      return [
        label(row),
        costs?.cpuMicroseconds?.toFixed(0) ?? '–',
        costs?.hopRatio?.toFixed(2) ?? '–',
        row.requestsPerSecond.toFixed(0),
        at500 === undefined ? '–' : `${at500.added.p50Ms.toFixed(2)} / ${at500.added.p99Ms.toFixed(1)} ms`,
        kept === undefined ? '–' : `${megabytes(kept.rssIdleBytes)} / ${megabytes(kept.rssInFlightBytes)}`,
      ]
    })
  const head = [
    '',
    'CPU µs a call',
    '× bare hop',
    'calls/s alone on one core',
    'added p50 / p99 at 500/s',
    'RSS idle / 1,000 in flight',
  ]
  return `![CPU a call and added latency, beside a bare proxy and a peer](docs/images/bench.svg)\n\n${headText(result)}\n\n${markdownTable([head, ...lines])}`
}
