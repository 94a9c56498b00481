import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { closeRecord, ENGINES, openRecord, testStores } from '../../../test/test-store.ts'
import { readValueUses } from '../../alerts/value-use.ts'
import type { ValueScope } from '../../domain/budgets/each.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { closeInterrupted, createFold } from '../fold/fold.ts'
import { readPosition } from '../fold/position.ts'
import { closeLine, openLine } from '../spool/record-lines.ts'
import { createEachLog } from './each-log.ts'
import { readLiveValues, type ValuesAsked } from './live-values.ts'

const stores = await testStores()
const NOON = Date.parse('2026-11-18T12:00:00Z')
const YESTERDAY = NOON - 86_400_000

/** Session `run`: the main agent, `a`, and `b` that `a` has started; one call each with a hundred, and one of yesterday. */
const CALLS = [
  { id: 'main', session: 'run', user: 'ann', tags: { team: 'blue' } },
  { id: 'a1', session: 'run', agent: 'a', user: 'bob' },
  { id: 'b1', session: 'run', agent: 'b', parent: 'a', project: 'site' },
  { id: 'old', session: 'run', agent: 'a', startedAt: YESTERDAY },
  { id: 'other', keyId: 'key-2', session: 'run', user: 'ann' },
  { id: 'cut', session: 'run', costPicodollars: null, unconfirmedMost: '7', unconfirmedCounted: '7' },
  { id: 'plain' },
]

const scope = (kind: ValueScope['kind'], value: string, keyId = 'key-1', of = ''): ValueScope => ({
  ...{ workspace: 'default', keyId, kind, of, value },
})

for (const engine of ENGINES) {
  describe(`values in the log on ${engine}`, async () => {
    const store = await stores.openNew(engine)
    const log = createEachLog(store.db, async () => {})
    const lines = CALLS.map((call, place) => ({
      seq: place + 1,
      payload: closeLine(closeRecord(call.id, { startedAt: NOON, costPicodollars: '100', ...call })),
    }))
    const fold = createFold(store.db, 'node')
    await fold.fold(await readPosition(store.db, 'node'), lines)

    const sums = async (...scopes: ValueScope[]) => {
      const { values } = await log.read(scopes, NOON)
      return values.map(({ spent }) => [Number(spent.day), Number(spent.total)])
    }

    test('a session counts by key, with what is unconfirmed and counted', async () => {
      assert.deepEqual(await sums(scope('session', 'run'), scope('session', 'run', 'key-2'), scope('session', 'x')), [
        [307, 407],
        [100, 100],
        [0, 0],
      ])
    })

    test('an agent counts with those that it started', async () => {
      assert.deepEqual(await sums(scope('agent', 'a', 'key-1', 'run'), scope('agent', 'b', 'key-1', 'run')), [
        [200, 300],
        [100, 100],
      ])
    })

    test('users, projects and tags count over all keys, or by one', async () => {
      const all = [scope('user', 'ann', ''), scope('user', 'ann'), scope('project', 'site', '')]
      assert.deepEqual(await sums(...all, scope('tag', 'blue', '', 'team'), scope('', ''), scope('', '', '')), [
        [200, 200],
        [100, 100],
        [100, 100],
        [100, 100],
        [407, 507],
        [507, 607],
      ])
    })

    test('a call that is open is there with its hold, until it has ended', async () => {
      const payload = openLine(openRecord('running', { startedAt: NOON, session: 'live', holdPicodollars: '50' }))
      await fold.fold(CALLS.length, [{ seq: CALLS.length + 1, payload }])
      const read = async () => (await log.read([scope('session', 'live')], NOON)).values[0]
      assert.deepEqual((await read())?.open, [{ id: 'running', hold: 50n }])
      const ended = async () => (await log.ended(['running', 'nothing'])).calls
      assert.deepEqual(await ended(), [{ id: 'running', at: NOON, cost: null }])
      await closeInterrupted(store.db, 'node', NOON)
      assert.deepEqual((await read())?.open, [])
      const [{ cost } = { cost: null }] = await ended()
      assert.equal(cost, (await read())?.spent.total)
    })

    test('the costliest values are listed, of all keys together or of each', async () => {
      const asked = { workspace: 'default', tag: null, isByKey: true, keyIds: null, startsAt: 0, since: YESTERDAY }
      const list = async (more: Partial<ValuesAsked> & Pick<ValuesAsked, 'kind'>, most = 5) => {
        const found = await readLiveValues(store.db, { ...asked, ...more }, most, NOON)
        return [...found].map(([key, { live, values }]) => [key, live, values.map(({ keyId, value }) => keyId + value)])
      }
      const keyIds = ['key-1', 'key-2']
      assert.deepEqual(await list({ kind: 'session' }, 2), [['', 3, ['key-1run', 'key-2run']]])
      const ofEach = await list({ kind: 'session', keyIds }, 1)
      assert.deepEqual(ofEach.sort(), [
        ['key-1', 2, ['key-1run']],
        ['key-2', 1, ['key-2run']],
      ])
      assert.deepEqual(await list({ kind: 'user', isByKey: false }), [['', 2, ['ann', 'bob']]])
      assert.deepEqual(await list({ kind: 'tag', tag: 'team' }), [['', 1, ['key-1blue']]])
      assert.deepEqual(await list({ kind: 'tag', tag: 'other' }), [])
      assert.deepEqual(await list({ kind: 'key' }), [['', 2, ['key-1', 'key-2']]])
      const tomorrow = NOON + 2 * 86_400_000
      assert.deepEqual(await list({ kind: 'session', since: tomorrow }), [])
    })

    test('the log has come no further than the beginnings of calls that it holds back', async () => {
      const held = await stores.openNew(engine)
      const late = createFold(held.db, 'node', { openAfterMs: 60_000 })
      const begun = { seq: 1, payload: openLine(openRecord('cut-off', { startedAt: NOON, session: 'run' })) }
      const after = await readPosition(held.db, 'node')
      const to = await late.fold(after, [begun, { seq: 2, payload: closeLine(closeRecord('ended')) }])
      const view = createEachLog(held.db, async () => {})
      // A gateway that has died may have sent it: its hold must not go free because it has no row.
      const before = await view.ended(['cut-off'])
      assert.deepEqual([before.calls, before.positions.get('node')], [[], 0])
      await late.fold(to, [], true)
      const { calls, positions } = await view.ended(['cut-off'])
      assert.deepEqual([calls.length, positions.get('node')], [1, 2])
    })

    test('values near their budgets are found for the alerts', async () => {
      const limits = {
        budgets: [
          { each: 'user', usd: '0.0000000002', per: 'day', mode: 'hard', warn_at: 90 },
          { each: 'session', usd: '0.0000000005', per: 'total', mode: 'soft', warn_at: 80 },
          { each: 'project', usd: '0.0000000001', per: 'total', mode: 'hard' },
        ],
      }
      const workspaces = new Map([['default', { name: 'default', limits }]])
      const snapshot = { workspaces, keys: new Map() } as unknown as Snapshot
      const uses = await readValueUses(store.db, snapshot, NOON)
      assert.deepEqual(
        uses.map(({ name, value, spent, warnAt }) => [name, value, Number(spent), warnAt]),
        [
          ['default', 'user ann', 200, 90],
          ['key-1', 'session run', 407, 80],
        ],
      )
    })
  })
}
