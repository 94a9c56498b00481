import { addExact, compareExact } from '../format/exact.ts'
import { REST } from './usage-groups.ts'

export type Interval = 'minute' | 'hour' | 'day'

const INTERVAL_MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const

/** One figure of one group in one interval, exact. */
export interface Cell {
  start: string
  group: string
  value: string
}

export interface Stack {
  group: string
  /** One for each start. */
  values: string[]
  total: string
}

export interface Stacked {
  /** The largest first. */
  stacks: Stack[]
  /** What is left beyond the number of colours, as one. */
  rest: (Stack & { groups: number }) | null
}

/** Every beginning of an interval in a range: the API leaves out those without calls. */
export function startsOf(from: string, to: string, interval: Interval): string[] {
  const step = INTERVAL_MS[interval]
  const end = new Date(to).getTime()
  const starts: string[] = []
  for (let at = Math.floor(new Date(from).getTime() / step) * step; at < end; at += step) {
    starts.push(new Date(at).toISOString())
  }
  return starts
}

export function endOf(start: string, interval: Interval): string {
  return new Date(new Date(start).getTime() + INTERVAL_MS[interval]).toISOString()
}

/** Cells as stacks over the same starts. With more groups than `most`, the smallest become the rest; what is all others already comes last. */
export function stackCells(cells: readonly Cell[], starts: readonly string[], most = 8): Stacked {
  const places = new Map(starts.map((start, index) => [start, index]))
  const groups = new Map<string, string[]>()
  for (const { start, group, value } of cells) {
    const place = places.get(start)
    if (place === undefined) continue
    const values = groups.get(group) ?? starts.map(() => '0')
    groups.set(group, values)
    values[place] = addExact([values[place] ?? '0', value])
  }
  const stacks = [...groups]
    .map(([group, values]) => ({ group, values, total: addExact(values) }))
    .filter(({ values }) => values.some((value) => value !== '0'))
    .toSorted(
      (a, b) =>
        Number(a.group === REST) - Number(b.group === REST) ||
        compareExact(b.total, a.total) ||
        a.group.localeCompare(b.group),
    )
  if (stacks.length <= most) return { stacks, rest: null }
  const shown = stacks.slice(0, most - 1)
  const left = stacks.slice(most - 1)
  const values = starts.map((_, index) => addExact(left.map((stack) => stack.values[index] ?? '0')))
  return { stacks: shown, rest: { group: '', values, total: addExact(values), groups: left.length } }
}

/**
 * A colour for each group, by number. A group keeps the one it had, so that nothing changes colour while the page
 * refreshes itself or another period is chosen.
 */
export function assignColors(
  before: ReadonlyMap<string, number>,
  groups: readonly string[],
  colors: number,
): Map<string, number> {
  const assigned = new Map<string, number>()
  const taken = new Set<number>()
  for (const group of groups) {
    const color = before.get(group)
    if (color === undefined || taken.has(color)) continue
    assigned.set(group, color)
    taken.add(color)
  }
  const free = Array.from({ length: colors }, (_, color) => color).filter((color) => !taken.has(color))
  for (const group of groups) {
    if (!assigned.has(group)) assigned.set(group, free.shift() ?? assigned.size % colors)
  }
  return assigned
}
