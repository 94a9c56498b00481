import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { logCalls } from '../../../test/calls/any-call.ts'
import { closeRecord, ENGINES, openRecord, testStores } from '../../../test/test-store.ts'
import { newId } from '../../domain/new-id.ts'
import { closeInterrupted } from '../fold/fold.ts'
import { readLedger } from '../logged-scopes.ts'
import { ensurePartitions } from '../retention/partitions.ts'
import type { LogPosition, RequestFilters } from './filters.ts'
import { findRequest } from './find-request.ts'
import { keyUsage } from './key-usage.ts'
import { searchRequests } from './search.ts'
import { newestFirst, type TimeRange } from './windows.ts'

const stores = await testStores()
const DAY_MS = 86_400_000
const now = Date.now()
const today = Math.floor(now / DAY_MS) * DAY_MS

const EVERYTHING: RequestFilters = {
  workspace: 'long',
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

for (const engine of ENGINES) {
  describe(`a log of many days on ${engine}`, async () => {
    const { db, reads, requestLog } = await stores.openNew(engine)
    /** One to three calls a day, with holes of weeks, some within one millisecond. */
    const times = Array.from({ length: 140 }, (_, day) => today - day * DAY_MS + 5)
      .filter((_, day) => day % 50 < 35)
      .flatMap((time, place) => Array.from({ length: 1 + (place % 3) }, (_, call) => time + (call % 2) * 3_600_000))
    const calls = times.map((startedAt, place) => ({
      startedAt,
      keyId: `key-${place % 7}`,
      code: place % 9 === 0 ? ('rate_limited' as const) : null,
    }))
    await logCalls(db, 'long', calls)

    test('pages hold every call once, the newest first, with and without filters and bounds', async () => {
      const bounds = [{}, { from: today - 90 * DAY_MS }, { to: today - 60 * DAY_MS + 6 }]
      const filters = [{}, { code: 'rate_limited' }, { keyId: 'key-3' }, { keyId: 'key-3', status: 'error' as const }]
      for (const asked of bounds.flatMap((bound) =>
        filters.map((filter) => ({ ...EVERYTHING, ...bound, ...filter })),
      )) {
        const expected = calls.filter(
          (call) =>
            call.startedAt >= (asked.from ?? 0) &&
            call.startedAt < (asked.to ?? Infinity) &&
            (asked.keyId === null || call.keyId === asked.keyId) &&
            (asked.code === null || call.code === asked.code) &&
            (asked.status === null || call.code !== null),
        )
        for (const [limit, scannedRows] of [
          [1_000, 10_000],
          [7, 20],
        ] as const) {
          const found: number[] = []
          for (let after: LogPosition | null = null; ; ) {
            const page = await searchRequests(reads, asked, { after, limit, scannedRows })
            found.push(...page.rows.map((row) => row.started_at))
            after = page.next
            if (after === null) break
          }
          assert.deepEqual(
            found,
            expected.map((call) => call.startedAt).sort((a, b) => b - a),
          )
        }
      }
    })

    test('the pieces of a range cover it without a gap and without an overlap, as far as there are calls', async () => {
      for (const range of [
        { from: null, to: null },
        { from: today - 100 * DAY_MS + 7, to: today - 3 * DAY_MS + 9 },
        { from: today - 5, to: null },
      ]) {
        const pieces: TimeRange[] = []
        for await (const piece of newestFirst(db, range)) pieces.push(piece)
        const within = times.filter((time) => time >= (range.from ?? 0) && time < (range.to ?? Infinity))
        for (const time of within) {
          const holding = pieces.filter(({ from, to }) => time >= (from ?? 0) && time < (to ?? Infinity))
          assert.equal(holding.length, 1)
        }
        assert.equal(pieces[0]?.to, range.to)
        assert.ok(pieces.every((piece) => (piece.from ?? 0) >= (range.from ?? 0)))
      }
    })

    test('a request is found by its id, also when its clock was wrong or its id is not ours', async () => {
      const exact = `chatcmpl_${newId(today - 70 * DAY_MS)}`
      const astray = `chatcmpl_${newId(today)}`
      for (const id of [exact, astray, 'foreign']) {
        await requestLog.close(closeRecord(id, { startedAt: today - 70 * DAY_MS + 3, workspace: 'single' }))
      }
      await requestLog.caughtUp()
      for (const id of [exact, astray, 'foreign']) assert.equal((await findRequest(reads, id))?.id, id)
      assert.equal(await findRequest(reads, `chatcmpl_${newId(today - DAY_MS)}`), undefined)
    })

    test('keys know their last call, however long ago it was', async () => {
      const lastUsedAt = (id: string) =>
        Math.max(...calls.filter(({ keyId }) => keyId === id).map(({ startedAt }) => startedAt))
      await requestLog.close(closeRecord('old-1', { workspace: 'old', keyId: 'old', startedAt: today - 120 * DAY_MS }))
      await requestLog.open(openRecord('running-1', { workspace: 'old', keyId: 'running', startedAt: now - 5 }))
      await requestLog.caughtUp()
      const ids = ['key-0', 'key-3', 'old', 'running', 'unused']
      for (const id of ids) {
        const row = { id, name: id, prefix: id, kind: 'live' as const, workspace: null, created_at: 0 }
        const none = { expires_at: null, revoked_at: null, allowed_models: null, limits: null, managed_by: null }
        await db
          .insertInto('keys')
          .values({ ...row, ...none })
          .execute()
      }
      const usage = await keyUsage(reads, ids)
      assert.deepEqual(
        ids.map((id) => usage(id).lastUsedAt),
        [lastUsedAt('key-0'), lastUsedAt('key-3'), today - 120 * DAY_MS, now - 5, null],
      )
      await requestLog.close(closeRecord('running-1', { workspace: 'old', keyId: 'running', startedAt: now - 5 }))
      await requestLog.caughtUp()
    })

    test('a call that has been running for months still holds its money, and is closed as interrupted', async () => {
      const startedAt = today - 80 * DAY_MS
      await ensurePartitions(db, [startedAt])
      await requestLog.open(openRecord('forgotten', { startedAt, holdPicodollars: '7', holdTokens: 1 }))
      await requestLog.open(openRecord('recent', { startedAt: now, holdPicodollars: '8', holdTokens: 1 }))
      await requestLog.caughtUp()
      const running = async () => {
        const { scopes } = await readLedger(reads, now)
        return scopes.reduce((sum, { inFlight, scope }) => sum + (scope.kind === 'key' ? inFlight : 0), 0)
      }
      assert.equal(await running(), 2)
      assert.equal(await closeInterrupted(db, null, now), 2)
      assert.equal(await running(), 0)
    })
  })
}
