import type { Reply } from '../../api/client.ts'
import { type GroupBy, groupName, type Measure, measured } from '../../charts/usage-groups.ts'
import type { Sort } from '../../components/data-table.tsx'
import { addExact, compareExact } from '../../format/exact.ts'

export type Sums = Reply<'usage.get'>['total']
type Row = Reply<'usage.get'>['data'][number]
/** Of one workspace, or of all: then a row says whose it is. */
export interface Usage extends Omit<Reply<'usage.get'>, 'workspace' | 'group_by' | 'data'> {
  group_by: GroupBy | null
  data: (Row & { workspace?: string | null })[]
}

/** A line of the table: a group, or all of them together. */
export interface UsageLine extends Sums {
  /** Null for the group of those that have none. */
  group: string | null
  name: string
  is_rest: boolean
  workspace?: string | null
  isTotal: boolean
}

export function linesOf(usage: Usage): UsageLine[] {
  const groupBy = usage.group_by ?? 'model'
  return usage.data.map((row) => ({ ...row, name: groupName(groupBy, row), isTotal: false }))
}

export function totalLine(usage: Usage): UsageLine {
  return { ...usage.total, group: null, name: 'Total', is_rest: false, isTotal: true }
}

/** By what a column of that name shows; unknown percentiles come last in both directions. */
export function sortLines(lines: readonly UsageLine[], { by, descending }: Sort): UsageLine[] {
  const direction = descending ? -1 : 1
  return lines.toSorted((a, b) => {
    if (by === 'group') return direction * a.name.localeCompare(b.name)
    const [first, second] = [figureOf(a, by), figureOf(b, by)]
    if (first === null || second === null) return Number(first === null) - Number(second === null)
    return direction * compareExact(first, second) || a.name.localeCompare(b.name)
  })
}

function figureOf(line: UsageLine, by: string): string | null {
  switch (by) {
    case 'requests':
      return measured(line, 'requests')
    case 'errors':
      return String(line.errors)
    case 'prompt':
      return String(line.prompt_tokens)
    case 'cached':
      return String(line.cached_tokens)
    case 'completion':
      return String(line.completion_tokens)
    case 'tokens':
      return tokensOf(line)
    case 'resale':
      return line.resale_usd
    case 'p50':
    case 'p95':
      return line.latency_ms[by] === null ? null : String(line.latency_ms[by])
    default:
      return line.cost_usd
  }
}

export function tokensOf(sums: Sums): string {
  return addExact([String(sums.prompt_tokens), String(sums.completion_tokens)])
}

/** The part of the whole that a line makes up, for a bar and a percentage. */
export function shareParts(line: Sums, total: Sums, measure: Measure): [part: number, all: number] {
  return [Number(measured(line, measure)), Number(measured(total, measure))]
}
