import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { type AnyCall, anyCall, logCalls } from '../../../test/calls/any-call.ts'
import { fc } from '../../../test/property.ts'
import { ENGINES, testStores } from '../../../test/test-store.ts'
import type { Database, RequestRow } from '../../store/engine/schema.ts'
import type { AttemptRecord } from '../record.ts'
import { deleteExpired } from '../retention/retention.ts'
import { bucketOf, percentilesOf } from './histogram.ts'
import { type AttemptFigures, type CallFigures, createPerformanceReader, type PerformanceRange } from './performance.ts'

const stores = await testStores()

const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 86_400_000
const WIDTHS = { minute: MINUTE, hour: HOUR, day: DAY }

type Attempt = Pick<AttemptRecord, 'kind' | 'provider' | 'code'>

const others = fc.array(
  fc.record<Attempt>({
    kind: fc.constantFrom('called', 'called', 'skipped'),
    provider: fc.constantFrom('first', 'second'),
    code: fc.constantFrom('rate_limited', 'upstream_error', 'invalid_request', 'caller_left', 'hedge_lost'),
  }),
  { maxLength: 3 },
)
const caches = fc.constantFrom(null, null, 'hit', 'miss')
/** With attempts as a call has them: of one that was answered, the last one served. */
const call = fc
  .tuple(anyCall, others, fc.option(fc.nat(200_000)), fc.nat(400_000), fc.constantFrom('served', 'x },{ y'), caches)
  .map(([call, before, firstContentMs, ms, reason, cache]): AnyCall => {
    const served: Attempt[] =
      call.code === null && call.provider !== null ? [{ kind: 'called', provider: call.provider, code: null }] : []
    const attempts = [...before, ...served].map((attempt) => attemptRecord(attempt, reason))
    return { ...call, attempts, cache, firstContentMs, finishedAt: (call.startedAt ?? 0) + ms }
  })

/** In the order in which the gateway writes them. */
function attemptRecord({ kind, provider, code }: Attempt, reason: string): AttemptRecord {
  const upstreamRequestId = null
  return { kind, provider, model: 'm', startedAfterMs: 0, durationMs: 1, status: 200, code, upstreamRequestId, reason }
}

const range = fc.record({
  from: fc.constantFrom(0, HOUR, HOUR + 1, 5_000_000),
  to: fc.constantFrom(HOUR + 2, 2 * HOUR, 7_200_002, 200_000_001),
  interval: fc.constantFrom(null, 'minute' as const, 'hour' as const, 'day' as const),
})

interface Asked extends PerformanceRange {
  groupBy: 'model' | 'provider' | 'route' | null
  filters: { route?: string; provider?: string }
}

/** The closed rows of the whole steps that a question touches, by start and group. */
function grouped(rows: readonly RequestRow[], asked: Asked, groupOf: (row: RequestRow) => (string | null)[]) {
  const step = asked.interval === 'minute' ? MINUTE : HOUR
  const [from, to] = [Math.floor(asked.from / step) * step, Math.ceil(asked.to / step) * step]
  const within = rows.filter((row) => row.state === 'closed' && row.started_at >= from && row.started_at < to)
  return Map.groupBy(within, (row) => {
    const width = asked.interval === null ? null : WIDTHS[asked.interval]
    const start = width === null ? null : Math.floor(row.started_at / width) * width
    return JSON.stringify([start, groupOf(row).map((value) => value ?? '')])
  })
}

function sorted<Figures>(entries: Iterable<[string, Figures]>) {
  return new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** What the documentation says, of the durations one by one. */
function exact(values: readonly number[]) {
  const ordered = values.toSorted((a, b) => a - b)
  const at = (share: number) => ordered[Math.ceil((ordered.length * share) / 100) - 1] ?? null
  return { count: ordered.length, p50: at(50), p95: at(95), p99: at(99) }
}

function tallied(codes: readonly string[]) {
  return sorted([...Map.groupBy(codes, (code) => code)].map(([code, same]): [string, number] => [code, same.length]))
}

function callsOf(rows: readonly RequestRow[]) {
  const codes = tallied(rows.flatMap(({ code }) => code ?? []))
  const served = rows.filter(({ cache }) => cache !== 'hit')
  const durations = served.flatMap((row) => (row.code === null ? Number(row.finished_at) - row.started_at : []))
  const firsts = served.flatMap(({ first_content_ms: ms }) => ms ?? [])
  return { requests: rows.length, codes, durations: exact(durations), firstContents: exact(firsts) }
}

function shownCalls({ requests, codes, durations, firstContents }: CallFigures) {
  return {
    requests,
    codes: sorted(codes),
    durations: percentilesOf(durations),
    firstContents: percentilesOf(firstContents),
  }
}

type ShownCalls = ReturnType<typeof shownCalls>

/** Equal, except that percentiles may be 1 % off. */
function assertCalls(found: ShownCalls | undefined, wanted: ShownCalls) {
  assert.ok(found)
  assert.deepEqual({ ...found, durations: 0, firstContents: 0 }, { ...wanted, durations: 0, firstContents: 0 })
  for (const name of ['durations', 'firstContents'] as const) {
    assert.equal(found[name].count, wanted[name].count)
    for (const percentile of ['p50', 'p95', 'p99'] as const) {
      const [value, truth] = [found[name][percentile], wanted[name][percentile]]
      assert.ok(value === truth || Math.abs(Number(value) - Number(truth)) <= Number(truth) / 100, `${value} ${truth}`)
    }
  }
}

const NO_FAULT = ['invalid_request', 'caller_left', 'hedge_lost']

/** Of one provider. */
function attemptsOf(rows: readonly RequestRow[], provider: string) {
  const all = rows.flatMap((row) =>
    (JSON.parse(row.attempts) as Attempt[]).map((attempt) => ({ ...attempt, isAnswered: row.code === null })),
  )
  const own = all.filter((attempt) => attempt.provider === provider)
  const called = own.filter(({ kind }) => kind === 'called')
  const failed = called.filter(({ code }) => code !== null && !NO_FAULT.includes(code))
  return {
    attempts: called.length,
    failures: failed.length,
    rescued: failed.filter(({ isAnswered }) => isAnswered).length,
    skipped: own.length - called.length,
    codes: tallied(failed.map(({ code }) => String(code))),
  }
}

const shownAttempts = ({ codes, ...figures }: AttemptFigures) => ({ ...figures, codes: sorted(codes) })

function rowsOf(db: Kysely<Database>, workspaces: readonly string[]) {
  return db.selectFrom('requests').selectAll().where('workspace', 'in', workspaces).execute()
}

test('a bucket is at most 1 % off, and short durations are exact', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 31 - 1), (value) => Math.abs(bucketOf(value) - value) <= (value < 128 ? 0 : value / 100)),
  )
  assert.ok(bucketOf(2 ** 40) > 2 ** 30)
})

let runs = 0

for (const engine of ENGINES) {
  describe(`performance on ${engine}`, async () => {
    const { db } = await stores.openNew(engine)

    test('property: what is read equals what the rows say, from memory too', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(call, { maxLength: 40 }),
          fc.array(call, { maxLength: 10 }),
          fc.array(fc.tuple(range, fc.constantFrom(null, 'model', 'provider', 'route'), fc.boolean()), {
            minLength: 2,
            maxLength: 4,
          }),
          async (first, second, questions) => {
            const workspaces = [`${engine}-${++runs}-a`, `${engine}-${runs}-b`]
            const reader = createPerformanceReader()
            const ask = async () => {
              const rows = await rowsOf(db, workspaces)
              for (const [given, groupBy, isFiltered] of questions) {
                const filters = isFiltered ? { route: 'fast', provider: 'first' } : {}
                const asked = { ...given, workspaces, groupBy, filters } as Asked
                await assertAnswers(reader, db, asked, rows)
              }
            }
            await logCalls(db, workspaces[0]!, first)
            await ask()
            await logCalls(db, workspaces[1]!, second)
            await ask()
          },
        ),
        { numRuns: 15 },
      )
    })

    test('an hour that changed is read again, also when only an interrupted call got its true end', async () => {
      const name = `${engine}-changed`
      const reader = createPerformanceReader()
      const ended = { startedAt: HOUR, finishedAt: HOUR + 50, code: null }
      await logCalls(db, name, [ended, { ...ended, code: 'interrupted' }])
      const asked = { workspaces: [name], from: HOUR, to: 2 * HOUR, interval: null, groupBy: null, filters: {} }
      const read = async () => shownCalls((await reader.calls(db, asked)).total)
      assert.deepEqual((await read()).codes, new Map([['interrupted', 1]]))
      await sql`update requests set code = 'rate_limited' where workspace = ${name} and code is not null`.execute(db)
      assert.deepEqual((await read()).codes, new Map([['interrupted', 1]]), 'kept in memory')
      await sql`update usage_hours set code = 'rate_limited' where workspace = ${name} and code <> ''`.execute(db)
      assert.deepEqual((await read()).codes, new Map([['rate_limited', 1]]))
    })

    test('what retention has taken is left out, by whole hours, and the answer says since when', async () => {
      const own = await stores.openNew(engine)
      const calls = [0, 1, 2].map((day) => ({ startedAt: day * DAY + HOUR, finishedAt: day * DAY + HOUR + 10 }))
      await logCalls(own.db, 'old', calls)
      await deleteExpired(own.db, { before: 2 * DAY, pause: async () => {} })
      const asked = { workspaces: ['old'], from: 0, to: 3 * DAY, interval: null, groupBy: null, filters: {} }
      const found = await createPerformanceReader().calls(own.db, asked)
      assert.deepEqual([found.from, found.to, found.total.requests], [2 * DAY + HOUR, 3 * DAY, 1])
    })

    test('a workspace of which retention has taken all hides nothing of the others', async () => {
      const own = await stores.openNew(engine)
      const at = (startedAt: number) => ({ startedAt, finishedAt: startedAt + 10 })
      await logCalls(own.db, 'idle', [at(HOUR), at(3 * HOUR)])
      await logCalls(own.db, 'busy', [at(2 * DAY), at(2 * DAY + HOUR)])
      await deleteExpired(own.db, { before: DAY, pause: async () => {} })
      const asked = { workspaces: ['busy', 'idle'], from: 0, to: 3 * DAY, interval: null, groupBy: null, filters: {} }
      const found = await createPerformanceReader().calls(own.db, asked)
      assert.deepEqual([found.from, found.to, found.total.requests], [4 * HOUR, 3 * DAY, 2])
    })
  })
}

async function assertAnswers(
  reader: ReturnType<typeof createPerformanceReader>,
  db: Kysely<Database>,
  asked: Asked,
  rows: readonly RequestRow[],
) {
  const { filters, groupBy } = asked
  const isAsked = (row: RequestRow) =>
    Object.entries(filters).every(([column, value]) => row[column as 'route' | 'provider'] === value)
  const columns = { model: ['provider', 'model'], provider: ['provider'], route: ['route'], none: [] } as const
  const wanted = grouped(rows.filter(isAsked), asked, (row) => columns[groupBy ?? 'none'].map((column) => row[column]))
  const calls = await reader.calls(db, asked)
  const found = new Map(calls.rows.map((row) => [JSON.stringify([row.start, row.group]), shownCalls(row.figures)]))
  assert.deepEqual(new Set(found.keys()), new Set(wanted.keys()))
  for (const [place, group] of wanted) assertCalls(found.get(place), callsOf(group))
  assertCalls(shownCalls(calls.total), callsOf([...wanted.values()].flat()))

  const provider = filters.provider ?? null
  const attempts = await reader.attempts(db, { ...asked, provider })
  const shown = new Map(
    attempts.rows.map((row) => [JSON.stringify([row.start, row.group]), shownAttempts(row.figures)]),
  )
  const truth = new Map<string, ReturnType<typeof attemptsOf>>()
  for (const name of provider === null ? ['first', 'second'] : [provider]) {
    for (const [place, group] of grouped(rows, asked, () => [name])) {
      const figures = attemptsOf(group, name)
      if (figures.attempts + figures.skipped > 0) truth.set(place, figures)
    }
  }
  assert.deepEqual(sorted(shown), sorted(truth))
}
