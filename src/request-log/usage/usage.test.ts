import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Kysely } from 'kysely'
import { atLength } from '../../../test/at-length.ts'
import { anyCall, logCalls } from '../../../test/calls/any-call.ts'
import { fc } from '../../../test/property.ts'
import { ENGINES, testStores } from '../../../test/test-store.ts'
import type { UsageGroup } from '../../domain/log/usage-dimensions.ts'
import type { Database, RequestRow } from '../../store/engine/schema.ts'
import { deleteExpired } from '../retention/retention.ts'
import { readAttributed, readsWholeRange } from './attributed.ts'
import type { UsageQuery } from './group-sums.ts'
import { GATEWAY_BOUNDS_MICROSECONDS, GATEWAY_BUCKETS } from './latency.ts'
import { readUsage } from './usage.ts'

const stores = await testStores()

const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 86_400_000

const GATEWAY_TIMES = Array.from({ length: GATEWAY_BUCKETS }, (_, bucket) => bucket)

/** Requests, errors, times, tokens and cost per start and group, from the rows one by one. */
function sumsOf(rows: readonly RequestRow[], query: UsageQuery): Map<string, unknown[]> {
  const groups: Record<UsageGroup, (row: RequestRow) => (string | null)[]> = {
    model: (row) => [row.provider, row.model],
    route: (row) => [row.route],
    key: (row) => [row.key_id],
    provider: (row) => [row.provider],
    code: (row) => [row.code],
    endpoint: (row) => [row.endpoint],
    user: (row) => [row.end_user],
    session: (row) => [row.session],
    agent: (row) => [row.agent],
    kind: (row) => [row.kind],
    project: (row) => [row.project],
  }
  const sums = new Map<string, [number, number, number, number[], bigint, bigint, Record<string, bigint>]>()
  for (const row of rows) {
    if (row.started_at < query.from || row.started_at >= query.to || !isAsked(row, query)) continue
    const width = { minute: MINUTE, hour: HOUR, day: DAY }[query.interval ?? 'day']
    const start = query.interval === null ? null : Math.floor(row.started_at / width) * width
    const group = query.groupBy === null ? [] : groups[query.groupBy](row)
    const place = JSON.stringify([start, ...group.map((value) => value ?? '')])
    const sum = sums.get(place) ?? [0, 0, 0, GATEWAY_TIMES.map(() => 0), 0n, 0n, {}]
    sum[0]++
    if (row.code !== null) sum[1]++
    if (row.upstream_ms !== null) sum[2]++
    const bucket = GATEWAY_BOUNDS_MICROSECONDS.filter((bound) => row.gateway_microseconds >= bound).length
    sum[3][bucket] = (sum[3][bucket] ?? 0) + 1
    sum[4] += BigInt(row.prompt_tokens ?? 0)
    sum[5] += BigInt(row.cost_picodollars ?? 0)
    for (const [unit, quantity] of Object.entries<number>(JSON.parse(row.uses ?? '{}'))) {
      sum[6][unit] = (sum[6][unit] ?? 0n) + BigInt(quantity)
    }
    sums.set(place, sum)
  }
  return new Map([...sums].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Times are not summed where all rows of a range are read for users, sessions or tags. */
function withoutTimes(sums: Map<string, unknown[]>): Map<string, unknown[]> {
  return new Map([...sums].map(([place, sum]) => [place, sum.filter((_figure, index) => index !== 2 && index !== 3)]))
}

function isAsked(row: RequestRow, { filters, tag }: UsageQuery): boolean {
  const isMet = ([column, value]: [string, string]) => (row[column as keyof RequestRow] ?? '') === value
  const tags = JSON.parse(row.tags ?? '{}')
  return Object.entries(filters).every(isMet) && (tag == null || tags[tag.name] === tag.value)
}

async function answered(db: Kysely<Database>, query: UsageQuery): Promise<Map<string, unknown[]>> {
  const { rows } = await readUsage(db, query)
  const sums = rows.map((row): [string, unknown[]] => [
    JSON.stringify([row.start, ...row.group]),
    [
      row.requests,
      row.errors,
      row.latencies.reduce((sum, count) => sum + count, 0),
      row.gatewayTimes,
      row.promptTokens,
      row.costPicodollars,
      row.uses,
    ],
  ])
  return new Map(sums.sort(([a], [b]) => (a < b ? -1 : 1)))
}

const edge = fc.constantFrom(0, 1, HOUR - 1, HOUR, HOUR + 1, 5_000_000, 2 * HOUR + 2, 3 * HOUR, DAY, 2 * DAY, 4 * DAY)
const anyQuery = fc
  .record({
    edges: fc.tuple(edge, edge).filter(([a, b]) => a !== b),
    now: fc.constantFrom(0, 6_000_000, 2 * DAY, 5 * DAY),
    interval: fc.constantFrom<UsageQuery['interval']>('minute', 'hour', 'day', null),
    groupBy: fc.constantFrom<UsageGroup | null>(
      ...(['model', 'route', 'key', 'provider', 'code', 'endpoint', 'user', 'session', null] as const),
    ),
    filters: fc.constantFrom<UsageQuery['filters']>(
      ...[{}, {}, { endpoint: 'chat' }, { session: 'session-1' }, { end_user: '', route: 'fast' }],
    ),
    tag: fc.constantFrom(null, null, null, { name: 'team', value: 'a' }),
  })
  .map(({ edges, ...rest }) => ({ ...rest, from: Math.min(...edges), to: Math.max(...edges) }))

let runs = 0

for (const engine of ENGINES) {
  describe(`usage on ${engine}`, async () => {
    const { db, reads } = await stores.openNew(engine)

    test('property: the answer is the sum of the rows, for any range, interval and group', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyCall, { maxLength: 30 }),
          fc.array(anyQuery, { minLength: 5, maxLength: 5 }),
          async (calls, queries) => {
            const workspace = `usage-${engine}-${++runs}`
            await logCalls(db, workspace, calls)
            const rows = await db.selectFrom('requests').selectAll().where('workspace', '=', workspace).execute()
            for (const asked of queries) {
              // Nothing has started later than now.
              const now = Math.max(asked.now, ...rows.map((row) => row.started_at + 1))
              const query: UsageQuery = { ...asked, now, workspace }
              const reported = readsWholeRange(query) ? withoutTimes : (sums: Map<string, unknown[]>) => sums
              assert.deepEqual(reported(await answered(reads, query)), reported(sumsOf(rows, query)))
            }
          },
        ),
        { numRuns: atLength(25, 60) },
      )
    })

    test('filters narrow the sums', async () => {
      const calls = [
        { keyId: 'key-1', route: 'fast', startedAt: HOUR },
        { keyId: 'key-2', route: null, startedAt: HOUR },
        { keyId: 'key-2', route: 'fast', model: 'model-2', startedAt: HOUR + 5 },
      ]
      await logCalls(db, 'filtered', calls)
      const count = async (filters: UsageQuery['filters'], from = HOUR) => {
        const query = { workspace: 'filtered', from, to: DAY, now: 2 * DAY, interval: null, groupBy: null, filters }
        return (await readUsage(reads, query)).rows[0]?.requests ?? 0
      }
      assert.equal(await count({ key_id: 'key-2' }), 2)
      assert.equal(await count({ route: '' }), 1)
      assert.equal(await count({ route: 'fast', model: 'model-2' }), 1)
      assert.equal(await count({ route: 'fast' }, HOUR + 1), 1)
      assert.equal(await count({ provider: 'nobody' }), 0)
    })

    test('of many sessions the costliest are told apart, the others are one; nothing is lost', async () => {
      const calls = Array.from({ length: 40 }, (_, index) => ({
        session: index % 4 === 3 ? null : `session-${index % 10}`,
        costPicodollars: String((index % 10) * 1_000_000),
        startedAt: HOUR + (index % 2) * HOUR,
        uses: { character: index + 1 },
      }))
      await logCalls(db, 'many', calls)
      const common = { workspace: 'many', from: HOUR, to: DAY, now: 2 * DAY, groupBy: 'session' as const, filters: {} }
      for (const interval of [null, 'hour'] as const) {
        const { rows } = await readAttributed(reads, { ...common, interval }, 3)
        const reported = rows.filter(({ isRest }) => !isRest)
        assert.deepEqual([...new Set(reported.flatMap(({ group }) => group))].sort(), ['', 'session-6', 'session-8'])
        assert.equal(rows.filter(({ isRest }) => isRest).length, interval === null ? 1 : 2)
        assert.equal(
          rows.reduce((sum, row) => sum + row.costPicodollars, 0n),
          calls.reduce((sum, call) => sum + BigInt(call.costPicodollars), 0n),
        )
        const known = new Map(
          [...new Set(rows.map(({ group, isRest }) => (isRest ? 'rest' : group[0])))].map((name) => [name, 0n]),
        )
        for (const [index, { session }] of calls.entries()) {
          const name = known.has(session ?? '') ? (session ?? '') : 'rest'
          known.set(name, (known.get(name) ?? 0n) + BigInt(index + 1))
        }
        for (const { group, isRest, uses } of rows) {
          const name = isRest ? 'rest' : group[0]
          known.set(name, (known.get(name) ?? 0n) - (uses['character'] ?? 0n))
        }
        assert.ok([...known.values()].every((left) => left === 0n))
        assert.equal(
          rows.reduce((sum, row) => sum + row.requests, 0),
          40,
        )
      }
      const all = await readAttributed(reads, { ...common, interval: null })
      assert.deepEqual([all.rows.length, all.rows.some(({ isRest }) => isRest)], [11, false])
    })

    test('what only rows know begins where their rows do, and the answer says so', async () => {
      const first = DAY - HOUR
      const calls = [first + 10, DAY - 10, DAY + 10].map((startedAt) => ({ startedAt, session: 'session-1' }))
      await logCalls(db, 'worn', calls)
      const common = { workspace: 'worn', now: 2 * DAY, interval: null, groupBy: null } as const
      const query: UsageQuery = { ...common, filters: { session: 'session-1' }, from: 5, to: DAY + HOUR }
      const seen = async (range = {}) => {
        const { from, to, rows } = await readUsage(reads, { ...query, ...range })
        return [from, to, rows[0]?.requests ?? 0]
      }
      assert.deepEqual(await seen(), [5, DAY + HOUR, 3])
      await deleteExpired(db, { before: engine === 'sqlite' ? DAY - 20 : DAY, pause: async () => {} })
      assert.deepEqual(await seen(), [DAY, DAY + HOUR, 1])
      assert.deepEqual(await seen({ from: DAY + 5 }), [DAY + 5, DAY + HOUR, 1])
      assert.deepEqual(await seen({ to: DAY }), [DAY, DAY, 0])
    })

    test('sums outlive the rows; an hour that can no longer be cut is given whole and the answer says so', async () => {
      // The hour before midnight: PostgreSQL drops it with its day, SQLite the first of its rows.
      const first = DAY - HOUR
      await logCalls(db, 'old', [{ startedAt: first + 10 }, { startedAt: DAY - 10 }, { startedAt: DAY + 10 }])
      await deleteExpired(db, { before: engine === 'sqlite' ? DAY - 20 : DAY, pause: async () => {} })
      const common = { workspace: 'old', now: 2 * DAY, interval: null, groupBy: null, filters: {} } as const
      const whole = await readUsage(reads, { ...common, from: first, to: DAY + HOUR })
      assert.deepEqual([whole.from, whole.to, whole.rows[0]?.requests], [first, DAY + HOUR, 3])
      const cut = await readUsage(reads, { ...common, from: first + 1_000, to: DAY + HOUR })
      assert.deepEqual([cut.from, cut.to, cut.rows[0]?.requests], [first, DAY + HOUR, 3])
      const inside = await readUsage(reads, { ...common, from: first + 1_000, to: first + 2_000 })
      assert.deepEqual([inside.from, inside.to, inside.rows[0]?.requests], [first, DAY, 2])
      const kept = await readUsage(reads, { ...common, from: DAY + 5, to: DAY + 11 })
      assert.deepEqual([kept.from, kept.to, kept.rows[0]?.requests], [DAY + 5, DAY + 11, 1])
      const minutes = await readUsage(reads, { ...common, interval: 'minute', from: first + 1_000, to: DAY + HOUR })
      const starts = minutes.rows.map((row) => [row.start, row.requests])
      assert.deepEqual([minutes.from, minutes.to, starts], [DAY, DAY + HOUR, [[DAY, 1]]])
      const gone = await readUsage(reads, { ...common, interval: 'minute', from: first + 1_000, to: first + 2_000 })
      assert.deepEqual([gone.from, gone.to, gone.rows], [first + 2_000, first + 2_000, []])
    })
  })
}
