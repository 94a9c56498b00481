import type { LatencyRow } from '../parts/latency.ts'
import type { TogetherRow } from '../parts/together.ts'
import type { BenchResult } from '../result.ts'
import { DIRECT } from '../run/contestants.ts'
import { OURS } from '../run/gateway.ts'
import { type Family, label } from '../run/scene.ts'

const WIDTH = 860
const ROW = 30
const LABELS = 250
const PANEL = 470

/** Follows the reader's light or dark theme. */
const STYLE = `
  text { font: 13px -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 15px }
  .quiet { fill: #59636e; font-size: 12px }
  .ours { fill: #2a78d6 } .other { fill: #a5aeb8 } .line { stroke-width: 4 } .line.ours { stroke: #2a78d6 } .line.other { stroke: #a5aeb8 }
  .grid { stroke: #d1d9e0; stroke-width: 1 }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .quiet { fill: #9198a1 }
    .ours { fill: #4c9aff } .other { fill: #656c76 } .line.ours { stroke: #4c9aff } .line.other { stroke: #656c76 }
    .grid { stroke: #3d444d }
  }`

/** For the README: CPU per call as bars, added latency as spans from p50 to p99. */
export function chartSvg(result: BenchResult): string {
  const cpu = result.together
  const rate = result.latency[0]?.rate ?? 0
  const latency = result.latency.filter((row) => row.rate === rate && row.name !== DIRECT)
  const second = 80 + cpu.length * ROW + 50
  const height = second + latency.length * ROW + 95
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>CPU a call and added latency of Switchyard, a bare proxy and peers, measured in one run</title>
<style>${STYLE}</style>
${cpuPanel(cpu, 30)}
${latencyPanel(latency, rate, second)}
<text class="quiet" x="20" y="${height - 14}">${escaped(footer(result))}</text>
</svg>
`
}

function footer({ startedAt, node, processor }: BenchResult): string {
  return `${startedAt.slice(0, 10)} · ${processor} · Node ${node} · Switchyard with keys, limits, holds, durable log and metrics on · npm run bench`
}

function cpuPanel(rows: readonly TogetherRow[], top: number): string {
  const most = Math.max(1, ...rows.map(({ cpuMicroseconds }) => cpuMicroseconds ?? 0))
  const bars = rows.map((row, index) => {
    const y = top + 40 + index * ROW
    const value = row.cpuMicroseconds ?? 0
    const width = Math.max(2, (value / most) * PANEL)
    return `${rowLabel(row, y)}
<rect class="${tone(row)}" x="${LABELS}" y="${y - 12}" width="${width.toFixed(1)}" height="17" rx="3"/>
<text x="${(LABELS + width + 8).toFixed(1)}" y="${y + 1}">${value.toFixed(0)} µs</text>`
  })
  return `${heading('CPU a call', '1 KB bodies, all threads of the process, all busy at the same time on one core; less is better', top)}\n${bars.join('\n')}`
}

const LEAST_MS = 0.1
const MOST_MS = 1_000

/** Logarithmic, because p99 is far beyond p50. */
function place(ms: number): number {
  const share = Math.log(Math.min(MOST_MS, Math.max(LEAST_MS, ms)) / LEAST_MS) / Math.log(MOST_MS / LEAST_MS)
  return LABELS + share * PANEL
}

function latencyPanel(rows: readonly LatencyRow[], rate: number, top: number): string {
  const bottom = top + 30 + rows.length * ROW
  const grid = [0.1, 1, 10, 100, 1_000].map((ms) => {
    const x = place(ms).toFixed(1)
    return `<line class="grid" x1="${x}" x2="${x}" y1="${top + 20}" y2="${bottom}"/><text class="quiet" x="${x}" y="${bottom + 15}" text-anchor="middle">${ms} ms</text>`
  })
  const spans = rows.map((row, index) => {
    const y = top + 40 + index * ROW
    const [p50, p99] = [row.added.p50Ms ?? 0, row.added.p99Ms ?? 0]
    const [from, to] = [place(p50), place(p99)]
    return `${rowLabel(row, y)}
<line class="line ${tone(row)}" x1="${from.toFixed(1)}" x2="${to.toFixed(1)}" y1="${y - 4}" y2="${y - 4}"/>
<circle class="${tone(row)}" cx="${from.toFixed(1)}" cy="${y - 4}" r="6"/><circle class="${tone(row)}" cx="${to.toFixed(1)}" cy="${y - 4}" r="6"/>
<text x="${(Math.max(from, to) + 12).toFixed(1)}" y="${y + 1}">${p50.toFixed(2)} – ${p99.toFixed(1)} ms</text>`
  })
  const subtitle = `p50 to p99 at ${rate} calls a second, provider takes 50 ms, against direct calls`
  return `${heading('Added latency', subtitle, top)}\n${grid.join('\n')}\n${spans.join('\n')}`
}

function heading(title: string, subtitle: string, top: number): string {
  return `<text class="title" x="20" y="${top}">${escaped(title)}</text><text class="quiet" x="${LABELS}" y="${top}">${escaped(subtitle)}</text>`
}

function rowLabel(row: { name: string; family: Family }, y: number): string {
  return `<text x="20" y="${y + 1}">${escaped(label(row))}</text>`
}

function tone({ name }: { name: string }): string {
  return name === OURS ? 'ours' : 'other'
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
