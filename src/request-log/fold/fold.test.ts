import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { atLength } from '../../../test/at-length.ts'
import { fc } from '../../../test/property.ts'
import { assertSumsEqualRows } from '../../../test/store/sums-of-rows.ts'
import { closeRecord, commitRecord, ENGINES, openRecord, testStores } from '../../../test/test-store.ts'
import type { Store } from '../../app/open-store.ts'
import { NO_USAGE } from '../../domain/pricing/usage.ts'
import { controlVersion } from '../../store/control/control-transaction.ts'
import { exactInteger } from '../../store/engine/exact-integer.ts'
import { closeLine, commitLine, joinLines, openLine, type SpoolRow } from '../spool/record-lines.ts'
import { closeInterrupted, createFold } from './fold.ts'
import { PositionMoved, readPosition } from './position.ts'

const stores = await testStores()

const opened = (seq: number, id: string): SpoolRow => ({ seq, payload: openLine(openRecord(id)) })
const closed = (seq: number, id: string, change = {}): SpoolRow => ({
  seq,
  payload: closeLine(closeRecord(id, change)),
})

async function rowsOf(store: Store, node: string) {
  return store.db.selectFrom('requests').selectAll().where('node', '=', node).orderBy('id').execute()
}

for (const engine of ENGINES) {
  describe(`fold on ${engine}`, async () => {
    const store = await stores.openNew(engine)

    test('a batch that was folded before the process died is not folded again', async () => {
      const folder = createFold(store.db, 'a')
      const batch = [opened(1, 'a1'), closed(2, 'a1')]
      assert.equal(await folder.fold(await readPosition(store.db, 'a'), batch), 2)
      await assert.rejects(folder.fold(0, batch), PositionMoved)
      assert.equal(await readPosition(store.db, 'a'), 2)
      assert.equal((await rowsOf(store, 'a')).length, 1)
    })

    test('a call that ends in time is written once, one that lasts is seen, and none is passed over', async () => {
      let now = 0
      const fold = () => createFold(store.db, 'young', { openAfterMs: 10, now: () => now })
      const first = fold()
      const spool = [
        { seq: 2, payload: joinLines(['short', 'long'].map((id) => openLine(openRecord(id)))) },
        closed(3, 'short'),
        opened(4, 'late'),
        { seq: 5, payload: openLine(openRecord('keyed', { idempotencyKey: 'key-of-caller' })) },
        closed(6, 'late'),
      ]
      const states = async () => (await rowsOf(store, 'young')).map((row) => [row.id, row.state])
      const position = () =>
        store.db
          .selectFrom('spool_positions')
          .select(['node', 'seq', 'ends_seq'])
          .where('node', '=', 'young')
          .executeTakeFirstOrThrow()
      const nothing = () => []
      assert.equal(await first.resume(nothing), 0)
      await first.fold(0, spool.slice(0, 2))
      assert.deepEqual(await states(), [['short', 'closed']])
      assert.deepEqual(await position(), { node: 'young', seq: 0, ends_seq: 3 })
      assert.deepEqual([first.wholeUpTo(3), first.nextDue()], [0, 10])

      now = 10
      await first.fold(3, [])
      assert.deepEqual(await states(), [
        ['long', 'open'],
        ['short', 'closed'],
      ])
      await first.fold(3, spool.slice(2, 4))
      assert.deepEqual((await states()).at(0), ['keyed', 'open'], 'others must know of it at once')
      assert.deepEqual(await position(), { node: 'young', seq: 3, ends_seq: 5 })

      // The process dies. What it had left out is read again, what it had delivered is not.
      const second = fold()
      const read = (after: number) => spool.filter(({ seq }) => seq > after)
      assert.equal(await second.resume(read), 5)
      assert.deepEqual(await position(), { node: 'young', seq: 5, ends_seq: 5 })
      await second.fold(5, read(5))
      assert.deepEqual(await states(), [
        ['keyed', 'open'],
        ['late', 'closed'],
        ['long', 'open'],
        ['short', 'closed'],
      ])
      await assertSumsEqualRows(store.db, 'default')
    })

    test('a batch that fails leaves neither rows nor position', async () => {
      const folder = createFold(store.db, 'b')
      await readPosition(store.db, 'b')
      await store.db
        .insertInto('spool_rejects')
        .values({ node: 'b', seq: 2, kind: 'x', payload: '', error: '' })
        .execute()
      await assert.rejects(folder.fold(0, [opened(1, 'b1'), { seq: 2, payload: 'not JSON' }]))
      assert.equal(await readPosition(store.db, 'b'), 0)
      assert.deepEqual(await rowsOf(store, 'b'), [])
    })

    test('rows that cannot be read are set aside and stop nobody', async () => {
      const folder = createFold(store.db, 'c')
      await readPosition(store.db, 'c')
      const unreadable = [
        { seq: 1, payload: 'o[' },
        { seq: 2, payload: 'c{}' },
        closed(3, 'c0', { costPicodollars: '9223372036854775808' }),
      ]
      const mixed = { seq: 7, payload: `c[]\n${closed(0, 'c1').payload}\no["c2"]\nm["c3"]` }
      assert.equal(await folder.fold(0, [...unreadable, mixed]), 7)
      assert.deepEqual(
        (await rowsOf(store, 'c')).map((row) => row.id),
        ['c1'],
      )
      const rejects = await store.db
        .selectFrom('spool_rejects')
        .select('seq')
        .where('node', '=', 'c')
        .orderBy('seq')
        .execute()
      assert.deepEqual(
        rejects.map((row) => row.seq),
        [1, 2, 3, 4, 6, 7],
      )
    })

    test('a commit mark goes into the open row, in the same batch or later, and is nothing beside the end', async () => {
      const folder = createFold(store.db, 'marks')
      await readPosition(store.db, 'marks')
      const usage = { ...NO_USAGE, input: 20, cachedInput: 100, output: 3 }
      const mark = (id: string) => commitLine(commitRecord(id, { fallback: true, usage, costLeastPicodollars: '17' }))
      const lines = (seq: number, ...payload: string[]): SpoolRow => ({ seq, payload: joinLines(payload) })
      const begun = ['m1', 'm2', 'm3'].map((id) => openLine(openRecord(id, { streamed: true })))
      await folder.fold(0, [lines(4, ...begun, mark('m1'))])
      await folder.fold(4, [lines(6, mark('m2'), commitLine(commitRecord('m3')))])
      const ended = closeLine(closeRecord('m3', { streamed: true, firstContentMs: 320, ended: 'finished' }))
      await folder.fold(6, [lines(9, ended, mark('m3'), mark('nobody'))])
      const rows = await rowsOf(store, 'marks')
      assert.deepEqual(
        rows.map((row) => [row.id, row.state, row.provider, row.fallback, row.prompt_tokens, row.completion_tokens]),
        [
          ['m1', 'open', 'first', 1, 120, 0],
          ['m2', 'open', 'first', 1, 120, 0],
          ['m3', 'closed', 'first', 0, null, null],
        ],
      )
      assert.deepEqual(
        rows.map((row) => [row.streamed, row.first_content_ms, row.price_version, row.cost_least_picodollars]),
        [
          [1, 320, 7, 17],
          [1, 320, 7, 17],
          [1, 320, 7, null],
        ],
      )
    })

    test('a stream that died after its mark costs its hold, for good; without one it costs nothing', async () => {
      const folder = createFold(store.db, 'cut')
      await readPosition(store.db, 'cut')
      const hold = (id: string) => (id.startsWith('unbounded') ? null : '77')
      const names = ['cut', 'early', 'known', 'surprising', 'unbounded']
      const begun = names.map((id) => openLine(openRecord(id, { streamed: true, holdPicodollars: hold(id) })))
      const least = { known: '17', surprising: '78' }
      const marks = [undefined, ...Object.entries(least)].map((each) => {
        const [id, costLeastPicodollars] = each ?? ['cut', null]
        return commitLine(commitRecord(id, { costLeastPicodollars }))
      })
      const lines = [...begun, ...marks, commitLine(commitRecord('unbounded')), openLine(openRecord('whole'))]
      const seq = await folder.fold(0, [{ seq: lines.length, payload: joinLines(lines) }])
      assert.equal(await closeInterrupted(store.db, 'cut', 9_000), 6)
      const ends = async () =>
        (await rowsOf(store, 'cut')).map((row) => [
          ...[row.id, row.code, row.ended, row.usage_source],
          ...[row.cost_least_picodollars, row.cost_picodollars, row.cost_most_picodollars],
        ])
      const expected = [
        ['cut', 'interrupted', 'interrupted', 'estimated', 0, 77, 77],
        ['early', 'interrupted', null, null, null, null, null],
        ['known', 'interrupted', 'interrupted', 'estimated', 17, 77, 77],
        ['surprising', 'interrupted', 'interrupted', 'estimated', 78, 78, 78],
        ['unbounded', 'interrupted', 'interrupted', 'estimated', 0, null, null],
        ['whole', 'interrupted', null, null, null, null, null],
      ]
      assert.deepEqual(await ends(), expected)
      await folder.fold(seq, [{ seq: seq + 1, payload: commitLine(commitRecord('early')) }])
      assert.equal(await closeInterrupted(store.db, 'cut', 9_001), 0)
      assert.deepEqual(await ends(), expected)
      await assertSumsEqualRows(store.db, 'default')
    })

    test('a closed row never changes, but an end that arrives late replaces an interruption', async () => {
      const folder = createFold(store.db, 'd')
      await readPosition(store.db, 'd')
      await folder.fold(0, [opened(1, 'd1'), opened(2, 'd2'), closed(3, 'd2')])
      assert.equal(await closeInterrupted(store.db, 'd', 9_000), 1)
      const [interrupted] = await rowsOf(store, 'd')
      assert.deepEqual([interrupted?.code, interrupted?.resale_picodollars], ['interrupted', null])
      const end = closed(4, 'd1', { resalePicodollars: '6' })
      await folder.fold(3, [end, closed(5, 'd2', { status: 500 }), opened(6, 'd2')])
      assert.deepEqual(
        (await rowsOf(store, 'd')).map((row) => [row.id, row.state, row.status, row.code, row.resale_picodollars]),
        [
          ['d1', 'closed', 200, null, 6],
          ['d2', 'closed', 200, null, null],
        ],
      )
    })

    test('what was corrected of an interruption is taken back by another end, once, and stays with the same', async () => {
      const folder = createFold(store.db, 'w')
      await readPosition(store.db, 'w')
      const begun = (seq: number, id: string) => ({ seq, payload: openLine(openRecord(id, { holdPicodollars: '77' })) })
      await folder.fold(0, [begun(1, 'w1'), begun(2, 'w2'), begun(3, 'w3')])
      assert.equal(await closeInterrupted(store.db, 'w', 9_000), 3)
      const rows = await rowsOf(store, 'w')
      const held = 77n
      for (const row of rows) assert.equal(BigInt(row.unconfirmed_most_picodollars ?? 0), held)
      const correction = (request: string, kind: 'confirmed' | 'released', cost: bigint) => ({
        ...{ id: `correction-${request}`, created_at: 9_500, actor: 'me', reason: 'bill', kind, request_id: request },
        ...{ workspace: 'default', key_id: 'key', provider: null, model: null, charged_at: 1_000, source: null },
        ...{ picodollars: exactInteger(cost), counted_picodollars: exactInteger(cost - held) },
      })
      const made = [correction('w1', 'released', 0n), correction('w2', 'confirmed', held - 5n)]
      await store.db
        .insertInto('corrections')
        .values([...made, correction('w3', 'released', 0n)])
        .execute()
      const version = await controlVersion(store.db)
      const unconfirmed = { unconfirmedMost: String(held), unconfirmedCounted: String(held), unconfirmedEstimate: '0' }
      const same = { ...unconfirmed, status: 499, code: 'interrupted', costPicodollars: null }
      await folder.fold(3, [closed(4, 'w1'), closed(5, 'w2'), closed(6, 'w3', same)])
      await folder.fold(6, [closed(7, 'w1'), closed(8, 'w3', same)])
      const all = await store.db.selectFrom('corrections').selectAll().orderBy('id').execute()
      const withdrawn = all
        .filter(({ kind }) => kind === 'withdrawn')
        .toSorted((a, b) => (`${a.source}` < `${b.source}` ? -1 : 1))
      assert.deepEqual(
        withdrawn.map((row) => [row.source, BigInt(row.picodollars), BigInt(row.counted_picodollars), row.charged_at]),
        [
          ['correction correction-w1', 0n, held, 1_000],
          ['correction correction-w2', 5n - held, 5n, 1_000],
        ],
      )
      assert.ok((await controlVersion(store.db)) > version, 'every node works its limits out again')
    })

    test('any interleaving of calls and any sizes of batches give the same rows', async () => {
      const call = fc.record({ closes: fc.boolean(), opens: fc.boolean(), status: fc.constantFrom(200, 400, 502) })
      let runs = 0
      await fc.assert(
        fc.asyncProperty(
          fc.array(call, { minLength: 1, maxLength: 150 }),
          fc.infiniteStream(fc.nat()),
          fc.infiniteStream(fc.integer({ min: 1, max: 90 })),
          async (calls, choices, sizes) => {
            const node = `node-${engine}-${++runs}`
            const { rows, expected } = interleave(calls, node, choices)
            const folder = createFold(store.db, node)
            let position = await readPosition(store.db, node)
            for (let start = 0; start < rows.length; ) {
              const size = sizes.next().value
              position = await folder.fold(position, grouped(rows.slice(start, start + size), choices))
              start += size
            }
            const found = await rowsOf(store, node)
            assert.deepEqual(new Map(found.map((row) => [row.id, row.status])), expected)
          },
        ),
        { numRuns: atLength(15, 40) },
      )
    })
  })
}

/** Some of them in one row, as those of one turn of the event loop are. */
function grouped(rows: readonly SpoolRow[], choices: Iterator<number>): SpoolRow[] {
  const groups: SpoolRow[] = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (last === undefined || choices.next().value % 3 === 0) groups.push({ ...row })
    else Object.assign(last, { seq: row.seq, payload: joinLines([last.payload, row.payload]) })
  }
  return groups
}

interface Call {
  opens: boolean
  closes: boolean
  status: number
}

/** The spool of these calls in some order, each call's open before its close, and the status each must end with. */
function interleave(calls: readonly Call[], node: string, choices: Iterator<number>) {
  const waiting = calls.map(({ opens, closes, status }, index) => {
    const id = `${node}-${String(index).padStart(4, '0')}`
    return { id, status, steps: [...(opens ? ['open'] : []), ...(closes || !opens ? ['close'] : [])] }
  })
  const expected = new Map(waiting.map(({ id, status, steps }) => [id, steps.includes('close') ? status : null]))
  const rows: SpoolRow[] = []
  for (let left = waiting; left.length > 0; left = left.filter(({ steps }) => steps.length > 0)) {
    const picked = left[choices.next().value % left.length]
    const seq = rows.length + 1
    if (picked?.steps.shift() === 'open') rows.push(opened(seq, picked.id))
    else if (picked !== undefined) rows.push(closed(seq, picked.id, { status: picked.status }))
  }
  return { rows, expected }
}
