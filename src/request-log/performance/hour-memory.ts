import { type Kysely, type RawBuilder, sql } from 'kysely'
import { INTERRUPTED } from '../../domain/errors.ts'
import { mapInTurns } from '../../store/engine/in-turns.ts'
import type { PerformanceHoursTable } from '../../store/engine/log-tables.ts'
import type { Database } from '../../store/engine/schema.ts'
import { HOUR_MS } from '../usage/rollup.ts'

/** Closed calls of some workspaces: started at or after `from` and before `to`, in steps of `stepMs`. */
export interface Span {
  workspaces: readonly string[]
  from: number
  to: number
  stepMs: number
}

/** A name in the table of past hours. */
export type Kind = PerformanceHoursTable['kind']

/** What some calls of a workspace and a step come to. */
export interface Part {
  workspace: string
  /** Unix milliseconds of the step's beginning. */
  start: number
  /** Roughly how many numbers it holds. */
  size: number
}

/** The rows of a span, as a condition. */
export function inSpan({ workspaces, from, to }: Span): RawBuilder<boolean> {
  return sql<boolean>`workspace in (${sql.join(workspaces)}) and started_at >= ${from} and started_at < ${to}
    and state = 'closed'`
}

export function startIn({ stepMs }: Span): RawBuilder<number> {
  return sql<number>`started_at - started_at % ${sql.lit(stepMs)}`
}

export interface CountedHour {
  workspace: string
  hour: number
  requests: number
  /** Changes whenever rows of this hour do: a closed row only changes when the true end of an interrupted call arrives. */
  state: string
}

/** Numbers kept: about 30 MB. */
const MOST_NUMBERS = 4_000_000
/** Rows that one query reads: others that read the log are not kept waiting. */
const ROWS_AT_ONCE = 20_000

export type ReadParts<P extends Part> = (db: Kysely<Database>, span: Span) => Promise<P[]>

export interface HourMemory<P extends Part> {
  read(db: Kysely<Database>, span: Span): Promise<P[]>
}

/**
 * Reads parts from the table of past hours, or from the rows of the log, and caches an hour while its sums are
 * unchanged. One query at a time: several at once, as from one page, read the parts once.
 */
export function createHourMemory<P extends Part>(
  kind: Kind,
  readParts: ReadParts<P>,
  most = MOST_NUMBERS,
): HourMemory<P> {
  const kept = new Map<string, { state: string; parts: readonly P[]; size: number; question: number }>()
  let size = 0
  let question = 0
  let last: Promise<unknown> = Promise.resolve()

  function keep(place: string, state: string, parts: readonly P[]): void {
    size -= kept.get(place)?.size ?? 0
    const added = parts.reduce((sum, part) => sum + part.size, 1)
    size += added
    kept.delete(place)
    kept.set(place, { state, parts, size: added, question })
    for (const [oldest, entry] of kept) {
      if (size <= most) return
      // What this question has used stays: asked again, a range that is too long is at least not read as a whole.
      const dropped = entry.question === question ? place : oldest
      size -= kept.get(dropped)?.size ?? 0
      kept.delete(dropped)
    }
  }

  async function read(db: Kysely<Database>, span: Span): Promise<P[]> {
    question++
    const isKept = span.stepMs === HOUR_MS
    const found: P[] = []
    const missing: CountedHour[] = []
    for (const counted of await countedHours(db, span)) {
      const entry = isKept ? kept.get(placeOf(counted)) : undefined
      if (entry?.state !== counted.state) missing.push(counted)
      else {
        found.push(...entry.parts)
        keep(placeOf(counted), entry.state, entry.parts)
      }
    }
    const stored = isKept ? await storedHours<P>(db, kind, missing) : new Map()
    for (const { hour, parts } of stored.values()) {
      found.push(...parts)
      keep(placeOf(hour), hour.state, parts)
    }
    for (const hours of chunksOf(missing.filter((hour) => !stored.has(placeOf(hour))))) {
      const parts = await readParts(db, { ...rangeOf(hours), stepMs: span.stepMs })
      const byPlace = Map.groupBy(parts, ({ workspace, start }) => placeOf({ workspace, hour: start }))
      if (!isKept) found.push(...parts.filter(({ start }) => start >= span.from && start < span.to))
      else {
        for (const hour of hours) {
          const own = byPlace.get(placeOf(hour)) ?? []
          found.push(...own)
          keep(placeOf(hour), hour.state, own)
        }
      }
    }
    return found
  }

  return {
    read(db, span) {
      const answer = last.then(() => read(db, span))
      last = answer.catch(() => {})
      return answer
    },
  }
}

/** Those of the hours that the table has, as they still are. */
async function storedHours<P extends Part>(db: Kysely<Database>, kind: Kind, hours: readonly CountedHour[]) {
  const stored = new Map<string, { hour: CountedHour; parts: readonly P[] }>()
  if (hours.length === 0) return stored
  const { workspaces, from, to } = rangeOf(hours)
  const rows = await db
    .selectFrom('performance_hours')
    .select(['workspace', 'hour', 'state', 'parts'])
    .where('kind', '=', kind)
    .where('workspace', 'in', workspaces)
    .where('hour', '>=', from)
    .where('hour', '<', to)
    .execute()
  const asked = new Map(hours.map((hour) => [placeOf(hour), hour]))
  await mapInTurns(rows, (row) => {
    const hour = asked.get(placeOf(row))
    if (hour?.state === row.state) stored.set(placeOf(row), { hour, parts: JSON.parse(row.parts) as P[] })
  })
  return stored
}

export function placeOf({ workspace, hour }: Pick<CountedHour, 'workspace' | 'hour'>): string {
  return `${hour} ${workspace}`
}

/** The hours in which calls began, by time. `workspaces` null: of all. */
export async function countedHours(
  db: Kysely<Database>,
  { workspaces, from, to }: Pick<Span, 'from' | 'to'> & { workspaces: readonly string[] | null },
): Promise<CountedHour[]> {
  if (workspaces?.length === 0) return []
  let sums = db
    .selectFrom('usage_hours')
    .select(['workspace', 'hour'])
    .select((select) => [
      select.fn.sum<number>('requests').as('requests'),
      select.fn.sum<number>('errors').as('errors'),
      sql<number>`sum(case when code = ${sql.lit(INTERRUPTED.code)} then requests else 0 end)`.as('interrupted'),
    ])
    .where('hour', '>', from - HOUR_MS)
    .where('hour', '<', to)
    .groupBy(['workspace', 'hour'])
  if (workspaces !== null) sums = sums.where('workspace', 'in', workspaces)
  const hours = await sums.execute()
  return hours
    .filter(({ requests }) => requests > 0)
    .map(({ workspace, hour, requests, errors, interrupted }) => {
      return { workspace, hour, requests, state: `${requests} ${errors} ${interrupted}` }
    })
    .sort((a, b) => a.hour - b.hour)
}

/** Hours that follow each other, with so many calls that one query reads them quickly. */
export function chunksOf(hours: readonly CountedHour[]): CountedHour[][] {
  const chunks: CountedHour[][] = []
  let rows = 0
  for (const hour of hours) {
    const chunk = chunks.at(-1)
    const isNext = hour.hour - (chunk?.at(-1)?.hour ?? -Infinity) <= HOUR_MS
    rows = isNext ? rows + hour.requests : hour.requests
    if (chunk !== undefined && isNext && rows <= ROWS_AT_ONCE) chunk.push(hour)
    else {
      chunks.push([hour])
      rows = hour.requests
    }
  }
  return chunks
}

export function rangeOf(hours: readonly CountedHour[]): Omit<Span, 'stepMs'> {
  const [first, last] = [hours[0]?.hour ?? 0, hours.at(-1)?.hour ?? 0]
  return { workspaces: [...new Set(hours.map(({ workspace }) => workspace))], from: first, to: last + HOUR_MS }
}
