import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { type Kysely, sql } from 'kysely'
import { closeRecord, ENGINES, openRecord, testStores } from '../../../test/test-store.ts'
import type { Store } from '../../app/open-store.ts'
import { compilePrice, costOf, NO_PRICES, type PriceList } from '../../domain/pricing/price.ts'
import { NO_USAGE } from '../../domain/pricing/usage.ts'
import { addPriceVersion } from '../../store/control/registry.ts'
import type { Database } from '../../store/engine/schema.ts'
import { deleteExpired } from '../retention/retention.ts'
import type { LogPlace } from './log-difference.ts'
import { checkLog, type LogCheck } from './verify-log.ts'

const stores = await testStores()
const HOUR = 3_600_000
const START = Date.parse('2026-11-01T00:00:00Z')

const LIST: PriceList = {
  ...NO_PRICES,
  input_per_mtok: '0.15',
  cached_input_per_mtok: '0.075',
  output_per_mtok: '0.6',
  tiers: [],
}

/** Everything, over repeated requests; a page ends after each stretch. */
async function checkAll(db: Kysely<Database>, from: number | null = null, isEnough = () => true): Promise<LogCheck> {
  const all: LogCheck = { rows: 0, unpriced: 0, hours: 0, differences: [], next: null }
  let after: LogPlace | null = null
  do {
    const page = await checkLog(db, { from, after, isEnough })
    all.rows += page.rows
    all.unpriced += page.unpriced
    all.hours += page.hours
    all.differences.push(...page.differences)
    after = page.next
  } while (after !== null)
  return all
}

for (const engine of ENGINES) {
  describe(`the log checked against itself on ${engine}`, () => {
    let store: Store
    let version: number
    before(async () => {
      store = await stores.openNew(engine)
      version = await addPriceVersion(
        store.db,
        { provider: 'first', model: 'model-1', prices: LIST, source: 'test' },
        1,
      )
      await log(store, version)
    })

    /**
     * Three hours, two workspaces, a surcharge, a failure, a running call, one of unknown price and one whose version
     * was deleted.
     */
    async function log({ requestLog }: Store, priceVersion: number): Promise<void> {
      const writes: Promise<number>[] = []
      for (let count = 0; count < 2_500; count++) {
        const usage = {
          ...NO_USAGE,
          input: 10 + count,
          cachedInput: count % 7,
          output: 3,
          pricePercent: count % 3 ? 100 : 110,
        }
        const startedAt = START + (count % 3) * HOUR + count
        const workspace = count % 5 === 0 ? 'other' : 'default'
        const costPicodollars = String(costOf(usage, compilePrice(LIST)))
        const keyId = `key-${count % 2}`
        const record = closeRecord(`call-${count}`, {
          startedAt,
          workspace,
          keyId,
          usage,
          costPicodollars,
          priceVersion,
        })
        writes.push(requestLog.close(record))
      }
      const nothing = { usage: null, costPicodollars: null, priceVersion: null, startedAt: START + 5 }
      writes.push(requestLog.close(closeRecord('failed', { ...nothing, status: 502, code: 'upstream_error' })))
      writes.push(
        requestLog.close(closeRecord('unpriced', { ...nothing, usage: { ...NO_USAGE, input: 5, output: 5 } })),
      )
      writes.push(
        requestLog.close(closeRecord('gone', { ...nothing, usage: NO_USAGE, costPicodollars: '9', priceVersion: 999 })),
      )
      const held = { streamed: true, holdPicodollars: '900', startedAt: START + 5 }
      const cut = { ...held, usage: { ...NO_USAGE, input: 3 }, priceVersion, usageSource: 'provider_partial' }
      const cost = String(costOf(cut.usage, compilePrice(LIST)))
      const bounds = { costPicodollars: cost, costLeastPicodollars: '1', costMostPicodollars: `${cost}0` }
      writes.push(requestLog.close(closeRecord('cut', { ...cut, ...bounds, ended: 'caller_left' })))
      const most = { costPicodollars: '900', costLeastPicodollars: '0', costMostPicodollars: '900' }
      const given = { ...nothing, ...held, ...most, usageSource: 'estimated', ended: 'interrupted' }
      writes.push(requestLog.close(closeRecord('given-up', { ...given, status: 0, code: 'interrupted' })))
      // A day with a call that runs is not dropped.
      const runningSince = engine === 'sqlite' ? START + 6 : START + 48 * HOUR
      writes.push(requestLog.open(openRecord('running', { startedAt: runningSince })))
      await Promise.all(writes)
      await requestLog.caughtUp()
    }

    /** Runs it with one change of the tables, and takes that back. */
    async function changed(table: string, set: string, where: string, back: string): Promise<LogCheck> {
      const run = (text: string) => sql.raw(`update ${table} set ${text} where ${where}`).execute(store.db)
      await run(set)
      try {
        return await checkAll(store.reads)
      } finally {
        await run(back)
      }
    }

    test('agrees, however it is cut into pages; what nobody can price is counted', async () => {
      const found = await checkAll(store.reads)
      assert.deepEqual(found.differences, [])
      assert.deepEqual([found.rows, found.unpriced, found.hours], [2_505, 1, 6])
      assert.deepEqual(await checkAll(store.reads, null, () => false), found)
    })

    test('from a time on, only what began then', async () => {
      const { rows, hours } = await checkAll(store.reads, START + 2 * HOUR + 60_000)
      assert.deepEqual([rows, hours], [833, 2])
    })

    test('a changed cost is found, with the row', async () => {
      const { differences } = await changed(
        'requests',
        'cost_picodollars = cost_picodollars + 1',
        "id = 'call-7'",
        'cost_picodollars = cost_picodollars - 1',
      )
      const cost = costOf({ ...NO_USAGE, input: 17, output: 3 }, compilePrice(LIST)) ?? 0n
      const [row, sum, ...others] = differences.toSorted((a, b) => (a.id === null ? 1 : 0) - (b.id === null ? 1 : 0))
      assert.deepEqual(
        [row?.id, row?.workspace, row?.keyId, row?.figure, row?.stored, row?.computed],
        ['call-7', 'default', 'key-1', 'cost', cost + 1n, cost],
      )
      // What the row says now is not what was added up.
      assert.deepEqual([sum?.keyId, sum?.at, sum?.figure], ['key-1', START + HOUR, 'cost'])
      assert.deepEqual([(sum?.computed ?? 0n) - (sum?.stored ?? 0n), others], [1n, []])
    })

    for (const [name, set, back] of [
      ['a changed cost that becomes unknown', 'cost_picodollars = null', null],
      ['a changed price version', 'price_version = null', null],
      ['a changed percentage', 'price_percent = 50', 'price_percent = 100'],
      ['changed tokens of the prompt', 'input_tokens = input_tokens + 100', 'input_tokens = input_tokens - 100'],
      ['a changed sum of the prompt', 'prompt_tokens = prompt_tokens + 1', 'prompt_tokens = prompt_tokens - 1'],
      ['changed tokens of the answer', 'completion_tokens = 4', 'completion_tokens = 3'],
    ] as const) {
      test(`${name} is found, with the row`, async () => {
        const before = await store.db
          .selectFrom('requests')
          .selectAll()
          .where('id', '=', 'call-7')
          .executeTakeFirstOrThrow()
        const undo = back ?? `cost_picodollars = ${before.cost_picodollars}, price_version = ${before.price_version}`
        const { differences } = await changed('requests', set, "id = 'call-7'", undo)
        assert.ok(differences.some(({ id }) => id === 'call-7'))
        assert.ok(differences.every(({ id }) => id === 'call-7' || id === null))
      })
    }

    for (const [name, id, set, back] of [
      ['below its least', 'cut', 'cost_least_picodollars = cost_picodollars + 1', 'cost_least_picodollars = 1'],
      ['above its most', 'cut', 'cost_most_picodollars = 1', 'cost_most_picodollars = 10 * cost_picodollars'],
      [
        'of an interrupted stream that is not its bound',
        'given-up',
        'cost_picodollars = 899',
        'cost_picodollars = 900',
      ],
    ] as const) {
      test(`a cost ${name} is found`, async () => {
        const { differences } = await changed('requests', set, `id = '${id}'`, back)
        assert.ok(differences.some((found) => found.id === id && found.figure === 'cost'))
      })
    }

    for (const [figure, hour] of [
      ['requests', START + HOUR],
      ['prompt_tokens', START + HOUR],
      ['completion_tokens', START + HOUR],
      ['cost_picodollars', START + HOUR],
      // Only rows that are missing are put down to retention, which takes the oldest.
      ['cost_picodollars', START],
    ] as const) {
      test(`a changed sum of ${figure} is found, with its key and hour${hour === START ? ', the oldest' : ''}`, async () => {
        const where = `hour = ${hour} and workspace = 'other' and key_id = 'key-0'`
        const { differences } = await changed(
          'usage_hours',
          `${figure} = ${figure} + 1`,
          where,
          `${figure} = ${figure} - 1`,
        )
        assert.deepEqual(
          differences.map(({ id, workspace, keyId, at, figure: reported }) => [id, workspace, keyId, at, reported]),
          [[null, 'other', 'key-0', hour, figure === 'cost_picodollars' ? 'cost' : figure]],
        )
      })
    }

    test('a row that is gone, and sums that are gone, are found', async () => {
      const row = await store.db.selectFrom('requests').selectAll().where('id', '=', 'call-7').executeTakeFirstOrThrow()
      await store.db.deleteFrom('requests').where('id', '=', 'call-7').execute()
      const found = await checkAll(store.reads)
      await store.db.insertInto('requests').values(row).execute()
      assert.ok(found.differences.some(({ figure, at }) => figure === 'requests' && at === START + HOUR))
      const sums = await store.db.selectFrom('usage_hours').selectAll().where('workspace', '=', 'other').execute()
      await store.db.deleteFrom('usage_hours').where('workspace', '=', 'other').execute()
      const without = await checkAll(store.reads)
      await store.db.insertInto('usage_hours').values(sums).execute()
      assert.equal(without.differences.filter(({ figure }) => figure === 'requests').length, 6)
      assert.deepEqual((await checkAll(store.reads)).differences, [])
    })

    test('a row of the oldest hour that is gone is found: retention has not come there', async () => {
      const [row] = await store.db.selectFrom('requests').selectAll().where('id', '=', 'call-3').execute()
      assert.ok(row !== undefined)
      await store.db.deleteFrom('requests').where('id', '=', 'call-3').execute()
      const found = await checkAll(store.reads)
      await store.db.insertInto('requests').values(row).execute()
      assert.deepEqual(
        found.differences.filter(({ figure }) => figure === 'requests').map(({ keyId, at }) => [keyId, at]),
        [['key-1', START]],
      )
    })

    test('what retention took is no difference', async () => {
      const rows = (await checkAll(store.reads)).rows
      if (engine === 'sqlite') await deleteExpired(store.db, { before: START + HOUR + 1_000, pause: async () => {} })
      else await deleteExpired(store.db, { before: START + 24 * HOUR, pause: async () => {} })
      const found = await checkAll(store.reads)
      assert.deepEqual(found.differences, [])
      assert.ok(found.rows < rows)
    })

    test('after retention, a row that is gone behind it is found', async () => {
      const usage = { ...NO_USAGE, input: 1 }
      const costPicodollars = String(costOf(usage, compilePrice(LIST)))
      for (const id of ['late', 'later']) {
        const record = { startedAt: START + 30 * HOUR, usage, costPicodollars, priceVersion: version }
        await store.requestLog.close(closeRecord(id, record))
      }
      await store.requestLog.caughtUp()
      assert.deepEqual((await checkAll(store.reads)).differences, [])
      const row = await store.db.selectFrom('requests').selectAll().where('id', '=', 'late').executeTakeFirstOrThrow()
      await store.db.deleteFrom('requests').where('id', '=', 'late').execute()
      const { differences } = await checkAll(store.reads)
      await store.db.insertInto('requests').values(row).execute()
      assert.equal(differences.filter(({ figure }) => figure === 'requests').length, 1)
    })
  })
}
