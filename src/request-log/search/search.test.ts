import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Kysely } from 'kysely'
import { atLength } from '../../../test/at-length.ts'
import { anyCall, logCalls } from '../../../test/calls/any-call.ts'
import { fc } from '../../../test/property.ts'
import { watchPlans } from '../../../test/query-plans.ts'
import { ENGINES, openRecord, testStores } from '../../../test/test-store.ts'
import type { Database, RequestRow } from '../../store/engine/schema.ts'
import type { LogPosition, RequestFilters } from './filters.ts'
import { searchRequests } from './search.ts'
import { type SlowPosition, searchSlowest } from './slowest.ts'

const stores = await testStores()

const ANY: RequestFilters = {
  workspace: 'default',
  from: null,
  to: null,
  keyId: null,
  route: null,
  provider: null,
  model: null,
  code: null,
  param: null,
  providerCode: null,
  reason: null,
  status: null,
  fallback: null,
  minCostPicodollars: null,
  unconfirmed: null,
  minDurationMs: null,
  maxDurationMs: null,
  streamed: null,
  ended: null,
  cache: null,
  endpoint: null,
  user: null,
  session: null,
  agent: null,
  kind: null,
  project: null,
  tag: null,
}

const time = fc.constantFrom(0, 1, 3_599_999, 3_600_000, 3_600_001, 5_000_000, 7_200_001, 7_200_002, 200_000_000)
const anyFilters = fc.record({
  from: fc.option(time, { freq: 2 }),
  to: fc.option(time, { freq: 2 }),
  keyId: fc.option(fc.constantFrom('key-1', 'key-2', 'key-none'), { freq: 2 }),
  route: fc.option(fc.constantFrom('fast', 'smart', ''), { freq: 2 }),
  provider: fc.option(fc.constantFrom('first', 'second'), { freq: 2 }),
  model: fc.option(fc.constantFrom('model-1', 'model-none'), { freq: 2 }),
  code: fc.option(fc.constantFrom('rate_limited', 'caller_left'), { freq: 1 }),
  param: fc.option(fc.constantFrom('messages', 'messages[0]', 'messages_'), { freq: 1 }),
  providerCode: fc.option(fc.constantFrom('slow_down', 'none'), { freq: 1 }),
  reason: fc.option(fc.constantFrom('LIMIT of', '100%', '_'), { freq: 1 }),
  status: fc.option(fc.constantFrom<RequestFilters['status']>('ok', 'error', 200, 404), { freq: 1 }),
  fallback: fc.option(fc.boolean(), { freq: 2 }),
  minCostPicodollars: fc.option(fc.bigInt(0n, 2n ** 55n), { freq: 1 }),
  unconfirmed: fc.option(fc.constantFrom('open', 'any'), { freq: 1 }),
  minDurationMs: fc.option(fc.constantFrom(0, 250, 251), { freq: 1 }),
  maxDurationMs: fc.option(fc.constantFrom(249, 250, 90_000), { freq: 1 }),
  streamed: fc.option(fc.boolean(), { freq: 1 }),
  ended: fc.option(fc.constantFrom('finished', 'caller_left'), { freq: 1 }),
  cache: fc.option(fc.constantFrom('hit', 'miss'), { freq: 1 }),
  endpoint: fc.option(fc.constantFrom('chat', 'embeddings'), { freq: 1 }),
  user: fc.option(fc.constantFrom('ada', 'nobody'), { freq: 1 }),
  session: fc.option(fc.constantFrom('session-1', 'session-2'), { freq: 1 }),
  agent: fc.option(fc.constantFrom('', 'agent-1'), { freq: 1 }),
  kind: fc.option(fc.constantFrom('main', 'subagent'), { freq: 1 }),
  project: fc.option(fc.constantFrom('atlas', 'none'), { freq: 1 }),
  tag: fc.option(fc.constantFrom({ name: 'team', value: 'a' }, { name: 'x"team', value: 'a' }), { freq: 1 }),
})

/** The filters as the documentation says them. */
function matches(row: RequestRow, filters: Omit<RequestFilters, 'workspace'>): boolean {
  const { status, minCostPicodollars: least } = filters
  return (
    (filters.from === null || row.started_at >= filters.from) &&
    (filters.to === null || row.started_at < filters.to) &&
    (filters.keyId === null || row.key_id === filters.keyId) &&
    (filters.route === null || (row.route ?? '') === filters.route) &&
    (filters.provider === null || row.provider === filters.provider) &&
    (filters.model === null || row.model === filters.model) &&
    (filters.code === null || row.code === filters.code) &&
    (filters.param === null || isAbout(row.param, filters.param)) &&
    (filters.providerCode === null || row.provider_code === filters.providerCode) &&
    (filters.reason === null || (row.reason ?? '').toLowerCase().includes(filters.reason.toLowerCase())) &&
    (status === null ||
      (status === 'ok' ? row.code === null : status === 'error' ? row.code !== null : row.status === status)) &&
    (filters.fallback === null || (row.fallback === 1) === filters.fallback) &&
    (filters.unconfirmed === null || row.unconfirmed_most_picodollars !== null) &&
    (filters.minDurationMs === null || took(row) >= filters.minDurationMs) &&
    (filters.maxDurationMs === null || took(row) <= filters.maxDurationMs) &&
    (filters.streamed === null || (row.streamed === 1) === filters.streamed) &&
    (filters.ended === null || row.ended === filters.ended) &&
    (filters.cache === null || row.cache === filters.cache) &&
    (filters.endpoint === null || row.endpoint === filters.endpoint) &&
    (filters.user === null || row.end_user === filters.user) &&
    (filters.session === null || row.session === filters.session) &&
    (filters.agent === null || (row.agent ?? '') === filters.agent) &&
    (filters.kind === null || row.kind === filters.kind) &&
    (filters.project === null || row.project === filters.project) &&
    (filters.tag === null || JSON.parse(row.tags ?? '{}')[filters.tag.name] === filters.tag.value) &&
    (least === null || (row.cost_picodollars !== null && BigInt(row.cost_picodollars) >= least))
  )
}

function took({ started_at, finished_at }: RequestRow): number {
  return (finished_at ?? Number.NaN) - started_at
}

function slowestFirst(a: RequestRow, b: RequestRow): number {
  return took(b) - took(a) || newestFirst(a, b)
}

function isAbout(param: string | null, field: string): boolean {
  return param === field || param?.startsWith(`${field}.`) === true || param?.startsWith(`${field}[`) === true
}

function newestFirst(a: RequestRow, b: RequestRow): number {
  return b.started_at - a.started_at || (a.id < b.id ? 1 : -1)
}

async function allPages(
  db: Kysely<Database>,
  filters: RequestFilters,
  limit: number,
  scannedRows: number,
  scannedSums = 1_000,
) {
  const ids: string[] = []
  let after: LogPosition | null = null
  let pages = 0
  do {
    const found = await searchRequests(db, filters, { after, limit, scannedRows, scannedSums })
    assert.ok(found.rows.length <= limit)
    ids.push(...found.rows.map((row) => row.id))
    after = found.next
    pages++
  } while (after !== null)
  return { ids, pages }
}

async function allSlowest(db: Kysely<Database>, filters: RequestFilters, limit: number, scannedRows = 1_000) {
  const ids: string[] = []
  let after: SlowPosition | null = null
  let edge: number | null
  do {
    const found = await searchSlowest(db, filters, { after, limit, scannedRows })
    assert.ok(found.rows.length <= limit)
    ids.push(...found.rows.map((row) => row.id))
    after = found.next
    edge = found.edge
  } while (after !== null)
  return { ids, edge }
}

let runs = 0

for (const engine of ENGINES) {
  describe(`searching the log on ${engine}`, async () => {
    const { db, reads } = await stores.openNew(engine)

    test('property: the pages hold exactly what matches, newest first, whatever filters and sizes', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyCall, { minLength: 1, maxLength: 40 }),
          fc.array(anyFilters, { minLength: 5, maxLength: 5 }),
          fc.integer({ min: 1, max: 7 }),
          fc.integer({ min: 1, max: 12 }),
          fc.integer({ min: 1, max: 12 }),
          async (calls, manyFilters, limit, scannedRows, scannedSums) => {
            const workspace = `search-${engine}-${++runs}`
            const ofHere = (keyId: string) => `${workspace}-${keyId}`
            const here = calls.map((call) => ({
              ...call,
              keyId: ofHere(call.keyId),
              status: call.code === null || call.streamed ? 200 : 404,
            }))
            await logCalls(db, workspace, here)
            const rows = await db.selectFrom('requests').selectAll().where('workspace', '=', workspace).execute()
            for (const some of manyFilters) {
              const filters = { ...some, keyId: some.keyId === null ? null : ofHere(some.keyId) }
              const expected = rows.filter((row) => matches(row, filters)).sort(newestFirst)
              const found = await allPages(reads, { ...filters, workspace }, limit, scannedRows, scannedSums)
              assert.deepEqual(
                found.ids,
                expected.map((row) => row.id),
              )
              const slowest = await allSlowest(reads, { ...filters, workspace }, limit)
              assert.deepEqual(slowest, { ids: expected.sort(slowestFirst).map((row) => row.id), edge: null })
            }
          },
        ),
        { numRuns: atLength(40, 100) },
      )
    })

    test('many requests in one millisecond are listed once each', async () => {
      const calls = Array.from({ length: 25 }, () => ({ startedAt: 1_000, keyId: 'key-same' }))
      await logCalls(db, 'same-time', calls)
      for (const filters of [{}, { provider: 'first' }, { keyId: 'key-same' }, { route: 'fast' }]) {
        const { ids } = await allPages(reads, { ...ANY, ...filters, workspace: 'same-time' }, 4, 3)
        assert.equal(new Set(ids).size, 25)
        assert.equal(ids.length, 25)
        const tenth = { startedAt: 1_000, id: ids[9] ?? '' }
        const newer = await allPages(reads, { ...ANY, ...filters, workspace: 'same-time', newerThan: tenth }, 4, 3)
        assert.deepEqual(newer.ids, ids.slice(0, 9))
      }
    })

    test('the slowest are those of the newest that it looks at, on every page the same ones', async () => {
      const calls = [9_000, 1_000, 3_000, 2_000, 2_000].map((duration, index) => ({
        ...{ startedAt: 1_000 * (index + 1), finishedAt: 1_000 * (index + 1) + duration },
      }))
      await logCalls(db, 'slowest', calls)
      const filters = { ...ANY, workspace: 'slowest' }
      const first = await searchSlowest(reads, filters, { after: null, limit: 2, scannedRows: 4 })
      assert.deepEqual([first.rows.map((row) => row.id), first.edge], [['slowest-000002', 'slowest-000004'], 2_000])
      const second = await searchSlowest(reads, filters, { after: first.next, limit: 2, scannedRows: 4 })
      const found = [second.rows.map((row) => row.id), second.next, second.edge]
      assert.deepEqual(found, [['slowest-000003', 'slowest-000001'], null, 2_000])
    })

    test('a call that nobody saw the end of has no duration', async () => {
      const lost = { startedAt: 1_000, finishedAt: 900_000, code: 'interrupted' as const, status: 0 }
      await logCalls(db, 'lost', [lost, { startedAt: 1_000, finishedAt: 1_250 }])
      const filters = { ...ANY, workspace: 'lost' }
      assert.deepEqual((await allSlowest(reads, filters, 10)).ids, ['lost-000001'])
      assert.deepEqual((await allPages(reads, { ...filters, minDurationMs: 1 }, 10, 10)).ids, ['lost-000001'])
      const theirs = await allSlowest(reads, { ...ANY, keyId: 'key-of-theirs' }, 10)
      assert.deepEqual(theirs.ids, [])
    })

    test('hours without a match are jumped over, and what never occurs is known at once', async () => {
      const quiet = Array.from({ length: 200 }, (_, index) => ({ startedAt: 3_600_000 * (index + 1) }))
      await logCalls(db, 'sparse', [{ startedAt: 5, code: 'rate_limited' as const, status: 429 }, ...quiet])
      const limited = await allPages(reads, { ...ANY, workspace: 'sparse', code: 'rate_limited' }, 50, 10)
      assert.deepEqual(limited, { ids: ['sparse-000000'], pages: 1 })
      assert.deepEqual(await allPages(reads, { ...ANY, workspace: 'sparse', model: 'nothing' }, 50, 10), {
        ids: [],
        pages: 1,
      })
    })

    test('a stream that was cut after its head is an error, though its status is 200', async () => {
      await logCalls(db, 'cut', [{ status: 200, code: 'upstream_error', streamed: true, ended: 'failed_mid_stream' }])
      const found = (status: RequestFilters['status']) => allPages(reads, { ...ANY, workspace: 'cut', status }, 10, 10)
      assert.deepEqual((await found('error')).ids, ['cut-000000'])
      assert.deepEqual((await found(200)).ids, ['cut-000000'])
      assert.deepEqual((await found('ok')).ids, [])
    })

    test('running calls are listed, but no filter on how a call ended finds them', async () => {
      const store = await stores.openNew(engine)
      await store.requestLog.open(openRecord('running', { user: 'ada', session: 'session-1' }))
      await store.requestLog.caughtUp()
      const search = (filters: Partial<RequestFilters>) => allPages(store.reads, { ...ANY, ...filters }, 10, 10)
      assert.deepEqual((await search({})).ids, ['running'])
      assert.deepEqual((await search({ route: 'fast' })).ids, ['running'])
      assert.deepEqual((await search({ session: 'session-1' })).ids, ['running'])
      assert.deepEqual((await search({ user: 'ada' })).ids, ['running'])
      assert.deepEqual((await search({ fallback: false })).ids, [])
    })

    test('a session and a user are found along their own index, whatever else is asked', async () => {
      await logCalls(db, 'planned', [{ session: 'session-1', user: 'ada' }])
      for (const [filters, index] of [
        [{ session: 'session-1' }, 'session'],
        [{ user: 'ada', keyId: 'key-1' }, 'end_user'],
        [{ user: 'ada', session: 'session-1', status: 'ok' as const }, 'session'],
      ] as const) {
        const watched = watchPlans(reads, engine)
        const found = await allPages(watched.db, { ...ANY, ...filters, workspace: 'planned' }, 10, 10)
        assert.equal(found.ids.length, 1)
        const plan = await watched.text()
        if (engine === 'sqlite') assert.match(plan, new RegExp(`USING (COVERING )?INDEX requests_${index} `))
        else assert.match(plan, new RegExp(`workspace_${index}_started_at_idx`))
      }
    })

    test('a key of another workspace finds nothing', async () => {
      await logCalls(db, 'theirs', [{ keyId: 'key-of-theirs' }])
      assert.deepEqual((await allPages(reads, { ...ANY, keyId: 'key-of-theirs' }, 10, 10)).ids, [])
    })
  })
}

test('the connection for reads of SQLite cannot write', async () => {
  const store = await stores.openNew('sqlite')
  await assert.rejects(store.reads.deleteFrom('requests').execute(), /readonly/)
})
