export type Better = 'down' | 'neither'

export interface Comparison {
  /** "▲ 12.3 %", "as before". */
  text: string
  tone: 'good' | 'bad' | 'plain'
}

/** Below this, a change is noise and has no colour. */
const NOTABLE = 0.1
/** Beyond this, the period before was too small to compare with. */
const MOST_TIMES = 100

/** How a figure moved since the period before; null where there is nothing to compare. */
export function compareFigures(now: number | null, before: number | null, better: Better): Comparison | null {
  if (now === null || before === null) return null
  if (before === 0) return now === 0 ? { text: 'no change', tone: 'plain' } : { text: 'none before', tone: 'plain' }
  // Next to nothing before: a factor of thousands says nothing.
  if (better === 'neither' && now / before > MOST_TIMES) return { text: 'new', tone: 'plain' }
  const share = (now - before) / before
  if (Math.abs(share) < 0.0005) return { text: 'no change', tone: 'plain' }
  return { text: `${arrow(share)} ${sizeOf(now / before)}`, tone: toneOf(share, better) }
}

/** How a share moved, in percentage points: "from 1 % to 2 %" is one point, not 100 %. */
export function compareShares(now: number | null, before: number | null, better: Better): Comparison | null {
  if (now === null || before === null) return null
  const points = (now - before) * 100
  if (Math.abs(points) < 0.005) return { text: 'no change', tone: 'plain' }
  const isNotable = before === 0 || Math.abs(now - before) / before >= NOTABLE
  return {
    text: `${arrow(points)} ${Math.abs(points).toFixed(2)} pt`,
    tone: isNotable ? toneOf(points, better) : 'plain',
  }
}

/** Null where there is no whole. */
export function shareOf(part: number, all: number): number | null {
  return all === 0 ? null : part / all
}

function arrow(change: number): string {
  return change > 0 ? '▲' : '▼'
}

function sizeOf(ratio: number): string {
  if (ratio >= 10) return `× ${Math.round(ratio).toLocaleString('en-US')}`
  const percent = Math.abs(ratio - 1) * 100
  return `${percent.toFixed(percent < 10 ? 1 : 0)} %`
}

function toneOf(change: number, better: Better): Comparison['tone'] {
  if (better === 'neither' || Math.abs(change) < NOTABLE) return 'plain'
  return change > 0 ? 'bad' : 'good'
}
