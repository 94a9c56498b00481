import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertSumsEqualRows } from '../../../test/store/sums-of-rows.ts'
import { closeRecord, commitRecord, ENGINES, openRecord, testStores } from '../../../test/test-store.ts'
import type { Store } from '../../app/open-store.ts'
import { asPicodollars } from '../../domain/pricing/price.ts'
import { NO_USAGE } from '../../domain/pricing/usage.ts'
import type { LoggedHold } from '../../limits/logged-ledger.ts'
import { closeLine, commitLine, openLine, type SpoolRow } from '../spool/record-lines.ts'
import { closeHolds, readEnds } from './close-holds.ts'
import { createFold } from './fold.ts'
import { readPosition } from './position.ts'

const stores = await testStores()
const DAY_MS = 86_400_000

function holdOf(id: string, startedAt: number, node = 'dead', isStream = false): LoggedHold {
  const held = { holdPicodollars: asPicodollars(77n), holdTokens: 12, isStream }
  return { id, node, workspace: 'default', keyId: 'key-1', startedAt, ...held }
}

function spooled(lines: readonly string[], after = 0): SpoolRow[] {
  return lines.map((payload, index) => ({ seq: after + index + 1, payload }))
}

async function rowsOf({ db }: Store) {
  const rows = await db.selectFrom('requests').selectAll().orderBy('id').execute()
  return rows.map((row) => [row.id, row.state, row.code, row.requested_model, Number(row.hold_picodollars)])
}

async function streamsOf({ db }: Store) {
  const rows = await db.selectFrom('requests').selectAll().orderBy('id').execute()
  return rows.map((row) => [
    ...[row.id, row.code, row.ended, row.usage_source, row.cost_picodollars],
    ...[row.cost_least_picodollars, row.cost_most_picodollars],
  ])
}

for (const engine of ENGINES) {
  describe(`holds of a dead node on ${engine}`, () => {
    test('become interrupted rows, unless the call has ended; closing them again changes nothing', async () => {
      const store = await stores.openNew(engine)
      const usage = { ...NO_USAGE, input: 3, output: 4 }
      const folder = createFold(store.db, 'dead')
      const ended = closeRecord('ended', { usage, costPicodollars: '9007199254740993', startedAt: 3 * DAY_MS })
      const lines = [openLine(openRecord('running', { holdPicodollars: '5' })), closeLine(ended)]
      await folder.fold(await readPosition(store.db, 'dead'), spooled(lines))
      const holds = [holdOf('running', 1_000), holdOf('never seen', 2 * DAY_MS), holdOf('ended', 3 * DAY_MS)]
      const before = await readEnds(store.db, holds)
      assert.deepEqual(
        before,
        new Map<string, unknown>([
          ['running', 'open'],
          ['ended', { costPicodollars: 9_007_199_254_740_993n, tokens: 7, isInterrupted: false }],
        ]),
      )

      for (let time = 0; time < 2; time++) {
        await closeHolds(store.db, holds, 9_000 + time)
        assert.deepEqual(await rowsOf(store), [
          ['ended', 'closed', null, 'fast', 0],
          ['never seen', 'closed', 'interrupted', null, 77],
          ['running', 'closed', 'interrupted', 'fast', 5],
        ])
        await assertSumsEqualRows(store.db, 'default')
      }
      const after = await readEnds(store.db, holds)
      assert.deepEqual(after.get('never seen'), { costPicodollars: 0n, tokens: 0, isInterrupted: true })
      assert.deepEqual(after.get('ended'), before.get('ended'))
    })

    test('a true end that arrives later replaces the interruption, that of a strict call does not', async () => {
      const store = await stores.openNew(engine)
      const ids = ['loose', 'loose-open', 'strict', 'strict-open']
      const folder = createFold(store.db, 'dead')
      const opened = ['loose-open', 'strict-open', 'strict-first'].map((id) => openLine(openRecord(id)))
      const position = await folder.fold(await readPosition(store.db, 'dead'), spooled(opened))
      await closeHolds(
        store.db,
        ids.map((id) => holdOf(id, 1_000)),
        9_000,
      )
      const closed = [...ids, 'strict-first', 'strict-new'].map((id) =>
        closeLine(closeRecord(id, { answersAfterBooking: id.startsWith('strict') })),
      )
      const late = [openLine(openRecord('strict')), ...closed]
      await folder.fold(position, spooled(late, position))
      assert.deepEqual(
        (await rowsOf(store)).map(([id, state, code]) => [id, state, code]),
        [
          ['loose', 'closed', null],
          ['loose-open', 'closed', null],
          ['strict', 'closed', 'interrupted'],
          ['strict-first', 'closed', null],
          ['strict-new', 'closed', null],
          ['strict-open', 'closed', 'interrupted'],
        ],
      )
      await assertSumsEqualRows(store.db, 'default')
    })

    test('a stream is booked with its hold, whether or not the log has heard of it; its true end takes the place', async () => {
      const store = await stores.openNew(engine)
      const folder = createFold(store.db, 'dead')
      const streamed = { streamed: true, holdPicodollars: '77' }
      const ids = ['loose', 'strict', 'whole']
      const opened = ids.map((id) => openLine(openRecord(id, id === 'whole' ? { holdPicodollars: '77' } : streamed)))
      const lines = [...opened, commitLine(commitRecord('loose', { costLeastPicodollars: '3' }))]
      const position = await folder.fold(await readPosition(store.db, 'dead'), spooled(lines))
      const holds = [...ids, 'unheard'].map((id) => holdOf(id, 1_000, 'dead', id !== 'whole'))
      for (let time = 0; time < 2; time++) {
        await closeHolds(store.db, holds, 9_000 + time)
        assert.deepEqual(await streamsOf(store), [
          ['loose', 'interrupted', 'interrupted', 'estimated', 77, 3, 77],
          ['strict', 'interrupted', 'interrupted', 'estimated', 77, 0, 77],
          ['unheard', 'interrupted', 'interrupted', 'estimated', 77, 0, 77],
          ['whole', 'interrupted', null, null, null, null, null],
        ])
        await assertSumsEqualRows(store.db, 'default')
      }
      assert.deepEqual((await readEnds(store.db, holds)).get('unheard'), {
        ...{ costPicodollars: 77n, tokens: 0, isInterrupted: true },
      })
      const ended = { ...streamed, ended: 'finished', usageSource: 'provider', costPicodollars: '5' }
      const late = ['loose', 'strict', 'unheard'].map((id) =>
        closeLine(closeRecord(id, { ...ended, answersAfterBooking: id === 'strict' })),
      )
      const marks = ['strict', 'unheard'].map((id) => commitLine(commitRecord(id)))
      const seq = await folder.fold(position, spooled(marks, position))
      await folder.fold(seq, spooled(late, seq))
      await closeHolds(store.db, holds, 9_002)
      assert.deepEqual(await streamsOf(store), [
        ['loose', null, 'finished', 'provider', 5, null, null],
        ['strict', 'interrupted', 'interrupted', 'estimated', 77, 0, 77],
        ['unheard', null, 'finished', 'provider', 5, null, null],
        ['whole', 'interrupted', null, null, null, null, null],
      ])
      await assertSumsEqualRows(store.db, 'default')
    })

    test('a hold whose time is not that of the row is the same call, whoever comes first', async () => {
      const store = await stores.openNew(engine)
      const folder = createFold(store.db, 'dead')
      const opened = [openLine(openRecord('open', { startedAt: DAY_MS - 1 })), closeLine(closeRecord('ended'))]
      const position = await folder.fold(await readPosition(store.db, 'dead'), spooled(opened))
      const holds = [
        holdOf('open', DAY_MS + 400),
        holdOf('ended', 1_700),
        holdOf('late', DAY_MS + 3),
        holdOf('strict', 5),
      ]
      assert.deepEqual((await readEnds(store.db, holds)).get('open'), 'open')
      await closeHolds(store.db, holds, 9_000)
      const late = [
        openLine(openRecord('late', { startedAt: DAY_MS - 5 })),
        openLine(openRecord('strict', { startedAt: 9 })),
        closeLine(closeRecord('late', { startedAt: DAY_MS - 5 })),
        closeLine(closeRecord('strict', { startedAt: 9, answersAfterBooking: true })),
      ]
      let seq = await folder.fold(position, spooled(late.slice(0, 2), position))
      seq = await folder.fold(seq, spooled(late.slice(2), seq))
      await closeHolds(store.db, holds, 9_001)
      assert.deepEqual(
        (await rowsOf(store)).map(([id, state, code]) => [id, state, code]),
        [
          ['ended', 'closed', null],
          ['late', 'closed', null],
          ['open', 'closed', 'interrupted'],
          ['strict', 'closed', 'interrupted'],
        ],
      )
      await assertSumsEqualRows(store.db, 'default')
    })

    // Other nodes can close the calls of a dead one only where they share its database.
    test('what is known of a call that was given up unheard is filled in when its records arrive', {
      skip: engine === 'sqlite',
    }, async () => {
      const store = await stores.openNew(engine)
      const folder = createFold(store.db, 'dead')
      const position = await readPosition(store.db, 'dead')
      const holds = ['cut', 'cut-strict', 'ended', 'strict'].map((id) => holdOf(id, 1_000))
      await closeHolds(store.db, holds, 9_000)
      const who = { endpoint: 'chat', user: 'ada', session: 'session-1', tags: { team: 'a' } }
      const known = { ...who, route: 'quick', requestedModel: 'quick', idempotencyKey: 'again', bodyHash: 'hash' }
      const late = [
        ...['cut', 'cut-strict'].map((id) => openLine(openRecord(id, { startedAt: 1_003, ...known }))),
        closeLine(closeRecord('ended', known)),
        closeLine(closeRecord('strict', { answersAfterBooking: true, startedAt: 1_003, ...known })),
      ]
      const seq = await folder.fold(position, spooled(late, position))
      await folder.fold(
        seq,
        spooled([closeLine(closeRecord('cut-strict', { answersAfterBooking: true, startedAt: 1_003, ...known }))], seq),
      )
      const rows = await store.db
        .selectFrom('requests')
        .select(['id', 'code', 'route', 'requested_model', 'idempotency_key', 'body_hash', 'cost_picodollars'])
        .select(['endpoint', 'end_user', 'session', 'tags'])
        .orderBy('id')
        .execute()
      const attributed = { endpoint: 'chat', end_user: 'ada', session: 'session-1', tags: '{"team":"a"}' }
      const named = {
        ...attributed,
        route: 'quick',
        requested_model: 'quick',
        idempotency_key: 'again',
        body_hash: 'hash',
      }
      const cut = { code: 'interrupted', ...named, cost_picodollars: null }
      assert.deepEqual(rows, [
        { id: 'cut', ...cut },
        { id: 'cut-strict', ...cut },
        { id: 'ended', code: null, ...named, cost_picodollars: 42 },
        { id: 'strict', ...cut },
      ])
      await assertSumsEqualRows(store.db, 'default')
    })

    test('several nodes close the holds while the true ends arrive: each call is counted once', async () => {
      const store = await stores.openNew(engine)
      const names = Array.from({ length: 60 }, (_, index) => `call-${String((index * 7) % 60).padStart(2, '0')}`)
      const folder = createFold(store.db, 'dead')
      let position = await readPosition(store.db, 'dead')
      const persistently = async (rows: SpoolRow[]) => {
        for (let tries = 0; ; tries++) {
          try {
            position = await folder.fold(position, rows)
            return
          } catch (error) {
            if (tries === 20) throw error
          }
        }
      }
      const arrive = async () => {
        for (let start = 0; start < names.length; start += 10) {
          const some = names.slice(start, start + 10)
          const lines = some.flatMap((id, index) => {
            const close = closeLine(closeRecord(id, { answersAfterBooking: index % 2 === 0 }))
            return index % 3 === 0 ? [close] : [openLine(openRecord(id)), close]
          })
          await persistently(spooled(lines, position))
        }
      }
      const close = async () => {
        for (let start = 0; start < names.length; start += 6) {
          const some = names.slice(start, start + 6)
          await closeHolds(
            store.db,
            some.map((id) => holdOf(id, 1_000)),
            9_000,
          )
        }
      }
      await Promise.all([arrive(), close(), close()])
      assert.equal((await rowsOf(store)).length, 60)
      await assertSumsEqualRows(store.db, 'default')
    })
  })
}
