import type { Kysely } from 'kysely'
import type { ErrorCode } from '../../domain/errors.ts'
import { isCallersFault } from '../../domain/failure.ts'
import { mapInTurns } from '../../store/engine/in-turns.ts'
import type { Database } from '../../store/engine/schema.ts'
import { wholeFrom } from '../usage/attributed.ts'
import type { UsageInterval } from '../usage/group-sums.ts'
import { DAY_MS, HOUR_MS } from '../usage/rollup.ts'
import { hourAfter, hourOf } from '../usage/sum-rows.ts'
import { type AttemptTally, readAttemptTallies } from './attempt-tallies.ts'
import { type CallTally, readCallTallies } from './call-tallies.ts'
import { addCounts, addPacked, count, type Histogram } from './histogram.ts'
import { createHourMemory, type HourMemory, type Part } from './hour-memory.ts'

const MINUTE_MS = 60_000

export interface PerformanceRange {
  workspaces: readonly string[]
  /** Unix milliseconds: `from` inclusive, `to` exclusive. */
  from: number
  to: number
  interval: UsageInterval | null
}

const GROUPS = { model: ['provider', 'model'], provider: ['provider'], route: ['route'] } as const
export type PerformanceGroup = keyof typeof GROUPS

export interface CallsQuery extends PerformanceRange {
  groupBy: PerformanceGroup | null
  /** An empty text asks for those that have none. */
  filters: Partial<Record<'route' | 'provider' | 'model', string>>
}

export interface AttemptsQuery extends PerformanceRange {
  provider: string | null
}

export type Codes = Map<string, number>

export interface CallFigures {
  requests: number
  codes: Codes
  durations: Histogram
  firstContents: Histogram
}

export interface AttemptFigures {
  attempts: number
  failures: number
  rescued: number
  skipped: number
  codes: Codes
}

export interface Row<Figures> {
  start: number | null
  /** Values of the group's columns; an empty text where a call has none. */
  group: string[]
  figures: Figures
}

/** What the rows cover: whole steps, from the first on whose calls are all in the log. */
export interface Performance<Figures> {
  from: number
  to: number
  /** By start, then by group. */
  rows: Row<Figures>[]
  total: Figures
}

export interface PerformanceReader {
  calls(db: Kysely<Database>, query: CallsQuery): Promise<Performance<CallFigures>>
  attempts(db: Kysely<Database>, query: AttemptsQuery): Promise<Performance<AttemptFigures>>
}

/** Figures of the log in fine buckets: past hours from a table, others from the rows. */
export function createPerformanceReader(): PerformanceReader {
  const calls = createHourMemory('calls', readCallTallies)
  const attempts = createHourMemory('attempts', readAttemptTallies)
  return {
    calls(db, query) {
      const filters = Object.entries(query.filters) as ['route' | 'provider' | 'model', string][]
      return read(db, query, {
        memory: calls,
        isAsked: (tally) => filters.every(([column, value]) => tally[column] === value),
        groupOf: (tally) => (query.groupBy === null ? [] : GROUPS[query.groupBy].map((column) => tally[column])),
        nothing: noCalls,
        add: addCalls,
        merge: mergeCalls,
      })
    },
    attempts(db, query) {
      return read(db, query, {
        memory: attempts,
        isAsked: ({ provider }) => query.provider === null || provider === query.provider,
        groupOf: ({ provider }) => [provider],
        nothing: noAttempts,
        add: addAttempts,
        merge: mergeAttempts,
      })
    },
  }
}

interface Reading<P extends Part, Figures> {
  memory: HourMemory<P>
  isAsked(part: P): boolean
  groupOf(part: P): string[]
  nothing(): Figures
  add(figures: Figures, part: P): void
  merge(figures: Figures, added: Figures): void
}

async function read<P extends Part, Figures>(
  db: Kysely<Database>,
  { workspaces, from: asked, to: end, interval }: PerformanceRange,
  { memory, isAsked, groupOf, nothing, add, merge }: Reading<P, Figures>,
): Promise<Performance<Figures>> {
  const stepMs = interval === 'minute' ? MINUTE_MS : HOUR_MS
  const to = Math.ceil(end / stepMs) * stepMs
  let from = asked - (asked % stepMs)
  // Sums show whether rows are missing, but only for whole hours.
  const hours = { from: hourOf(asked), to: hourAfter(end) }
  for (const workspace of workspaces) from = Math.max(from, await wholeFrom(db, { workspace, ...hours }))
  const parts = from < to ? await memory.read(db, { workspaces, from, to, stepMs }) : []
  const places = new Map<string, Row<Figures>>()
  await mapInTurns(parts, (part) => {
    if (!isAsked(part)) return
    const start = interval === null ? null : interval === 'day' ? part.start - (part.start % DAY_MS) : part.start
    const group = groupOf(part)
    const place = JSON.stringify([start, group])
    const row = places.get(place) ?? { start, group, figures: nothing() }
    places.set(place, row)
    add(row.figures, part)
  })
  const total = nothing()
  await mapInTurns([...places.values()], ({ figures }) => merge(total, figures))
  return { from, to, rows: [...places.values()].sort(byStartAndGroup), total }
}

function byStartAndGroup(a: Row<unknown>, b: Row<unknown>): number {
  if (a.start !== b.start) return (a.start ?? 0) - (b.start ?? 0)
  const [left, right] = [a.group.join('/'), b.group.join('/')]
  return left < right ? -1 : left > right ? 1 : 0
}

function noCalls(): CallFigures {
  return { requests: 0, codes: new Map(), durations: new Map(), firstContents: new Map() }
}

function addCalls(figures: CallFigures, { requests, code, durations, firstContents }: CallTally): void {
  figures.requests += requests
  if (code !== '') count(figures.codes, code, requests)
  addPacked(figures.durations, durations)
  addPacked(figures.firstContents, firstContents)
}

function mergeCalls(figures: CallFigures, added: CallFigures): void {
  figures.requests += added.requests
  addCounts(figures.codes, added.codes)
  addCounts(figures.durations, added.durations)
  addCounts(figures.firstContents, added.firstContents)
}

function noAttempts(): AttemptFigures {
  return { attempts: 0, failures: 0, rescued: 0, skipped: 0, codes: new Map() }
}

function addAttempts(figures: AttemptFigures, { kind, code, answered, attempts }: AttemptTally): void {
  if (kind === 'skipped') {
    figures.skipped += attempts
    return
  }
  figures.attempts += attempts
  if (!isFailure(code)) return
  figures.failures += attempts
  figures.rescued += answered === 1 ? attempts : 0
  count(figures.codes, code, attempts)
}

/** By the provider's fault, as the circuits and `/status` count. */
function isFailure(code: string): boolean {
  return code !== '' && code !== 'caller_left' && code !== 'hedge_lost' && !isCallersFault({ code: code as ErrorCode })
}

function mergeAttempts(figures: AttemptFigures, added: AttemptFigures): void {
  for (const name of ['attempts', 'failures', 'rescued', 'skipped'] as const) figures[name] += added[name]
  addCounts(figures.codes, added.codes)
}
