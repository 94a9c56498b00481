import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { closeRecord, ENGINES, testStores } from '../../../test/test-store.ts'
import type { Store } from '../../app/open-store.ts'
import type { ValueScope } from '../../domain/budgets/each.ts'
import { ensureWorkspace } from '../../store/control/workspaces.ts'
import { createFold } from '../fold/fold.ts'
import { readPosition } from '../fold/position.ts'
import { closeLine } from '../spool/record-lines.ts'
import { createEachLog } from './each-log.ts'
import { expireValues } from './expire-values.ts'

const stores = await testStores()
const DAY = 86_400_000
const NOON = Date.parse('2026-11-18T12:00:00Z')
/** Everything that retention may take, it has taken. */
const EXPIRING = { before: NOON, now: NOON, pause: async () => {} }

for (const engine of ENGINES) {
  describe(`sums of values that expire on ${engine}`, () => {
    /** A store with one call of 100 picodollars on each of these days before now. */
    async function storeWith(
      daysAgo: readonly number[],
      limits: object | null,
    ): Promise<{ store: Opened; call: Call }> {
      const store = await stores.openNew(engine)
      await ensureWorkspace(store.db, 'default', 1)
      const change = { limits: limits === null ? null : JSON.stringify(limits) }
      await store.db.updateTable('workspaces').set(change).where('name', '=', 'default').execute()
      const fold = createFold(store.db, 'node')
      let seq = 0
      const call: Call = async (ago, more = {}) => {
        const startedAt = NOON - ago * DAY
        const names = { session: 'run', agent: 'b', parent: 'a', user: 'ann' }
        const record = closeRecord(`call-${seq}`, { startedAt, costPicodollars: '100', ...names, ...more })
        await fold.fold(await readPosition(store.db, 'node'), [{ seq: seq + 1, payload: closeLine(record) }])
        seq += 1
      }
      for (const ago of daysAgo) await call(ago)
      return { store, call }
    }
    const daysOf = async ({ db }: Opened, kind: string) => {
      const rows = db.selectFrom('value_days').select(['day', 'counted_picodollars as sum']).where('kind', '=', kind)
      return (await rows.orderBy('day').execute()).map(({ day, sum }) => [day, Number(sum)])
    }
    const spentBy = async ({ db }: Opened, kind: ValueScope['kind'], value: string, of = '') => {
      const scope = { workspace: 'default', keyId: 'key-1', kind, of, value }
      const { values } = await createEachLog(db, async () => {}).read([scope], NOON)
      const { day, month, total } = values[0]?.spent ?? { day: -1, month: -1, total: -1 }
      return [day, month, total].map(Number)
    }
    const start = (ago: number) => Math.floor((NOON - ago * DAY) / DAY) * DAY

    test('become one for each value where a budget in total counts them, and say the same as before', async () => {
      const total = { usd: '1', per: 'total', mode: 'hard' }
      const budgets = [
        { each: 'session', ...total },
        { each: 'agent', ...total },
      ]
      const { store } = await storeWith([0, 10, 40, 41, 400], { budgets })
      const read = () => Promise.all([spentBy(store, 'session', 'run'), spentBy(store, 'agent', 'a', 'run')])
      const before = await read()
      assert.deepEqual(before, [
        [100, 200, 500],
        [100, 200, 500],
      ])
      assert.equal(await expireValues(store.db, { ...EXPIRING, stepRows: 2 }), 9)
      assert.deepEqual(await read(), before)
      const kept = [
        [0, 300],
        [start(10), 100],
        [start(0), 100],
      ]
      assert.deepEqual(await daysOf(store, 'session'), kept)
      assert.deepEqual(await daysOf(store, 'agent'), kept)
      // No budget in total is for users.
      assert.deepEqual(await daysOf(store, 'user'), kept.slice(1))
      assert.equal(await expireValues(store.db, EXPIRING), 0)
    })

    test('stay while the log has their rows, and while a period contains them', async () => {
      const { store } = await storeWith([0, 17, 18, 40], null)
      assert.equal(await expireValues(store.db, { ...EXPIRING, before: NOON - 50 * DAY }), 0)
      await expireValues(store.db, EXPIRING)
      // The month began 17 days ago; a day is left for clocks that differ.
      assert.deepEqual(await daysOf(store, 'session'), [
        [start(18), 100],
        [start(17), 100],
        [start(0), 100],
      ])
    })

    test('also of a key; a late record of such a day is counted, and joins them', async () => {
      const { store, call } = await storeWith([40], null)
      const budgets = [{ each: 'user', usd: '1', per: 'total', mode: 'soft' }]
      const key = { id: 'key-1', kind: 'live', workspace: 'default', name: 'one', limits: JSON.stringify({ budgets }) }
      await store.db
        .insertInto('keys')
        .values({ ...key, prefix: 'gw_live_', created_at: 1 } as never)
        .execute()
      await expireValues(store.db, EXPIRING)
      await call(40)
      assert.deepEqual(await spentBy(store, 'user', 'ann'), [0, 0, 200])
      await Promise.all([expireValues(store.db, EXPIRING), expireValues(store.db, EXPIRING)])
      assert.deepEqual(await daysOf(store, 'user'), [[0, 200]])
      assert.deepEqual(await daysOf(store, 'session'), [])
    })
  })
}

type Opened = Pick<Store, 'db'>
type Call = (ago: number, more?: object) => Promise<void>
