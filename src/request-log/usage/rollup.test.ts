import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Kysely, KyselyPlugin } from 'kysely'
import { atLength } from '../../../test/at-length.ts'
import { anyCall } from '../../../test/calls/any-call.ts'
import { fc } from '../../../test/property.ts'
import { assertSumsEqualRows } from '../../../test/store/sums-of-rows.ts'
import { closeRecord, ENGINES, openRecord, testStores } from '../../../test/test-store.ts'
import { NO_USAGE } from '../../domain/pricing/usage.ts'
import type { Database } from '../../store/engine/schema.ts'
import { closeInterrupted, createFold } from '../fold/fold.ts'
import { readPosition } from '../fold/position.ts'
import type { CloseRecord } from '../record.ts'
import { closeLine, openedId, openLine, type SpoolRow } from '../spool/record-lines.ts'

const stores = await testStores()

/** What may happen, in any order: a call opens or closes (also twice), a batch is folded, a batch fails, a restart. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('open', 'close'), of: fc.nat(30) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('fold'), rows: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail'), at: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart') }) },
)

/** Breaks the connection after some queries, as a crash within the transaction would. */
function failing(db: Kysely<Database>, after: number): Kysely<Database> {
  let queries = 0
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (++queries === after) throw new Error('the connection broke')
      return result
    },
  }
  return db.withPlugin(plugin)
}

/** Up to its position the log has every call, up to that of the ends every end. */
async function assertDelivered(db: Kysely<Database>, node: string, spool: readonly SpoolRow[]): Promise<void> {
  const position = await db.selectFrom('spool_positions').selectAll().where('node', '=', node).executeTakeFirst()
  const rows = await db.selectFrom('requests').select(['id', 'state']).where('node', '=', node).execute()
  const states = new Map(rows.map(({ id, state }) => [id, state]))
  for (const { seq, payload } of spool) {
    const state = states.get(openedId(payload))
    if (seq <= (position?.seq ?? 0)) assert.ok(state !== undefined, `${payload} is missing`)
    if (seq <= (position?.ends_seq ?? 0) && payload.startsWith('c')) assert.equal(state, 'closed')
  }
}

let runs = 0

for (const engine of ENGINES) {
  describe(`hourly sums on ${engine}`, async () => {
    const { db } = await stores.openNew(engine)

    test('property: the sums equal the sum of the rows, whatever order, batches, repeats, failures and restarts', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyCall, { minLength: 1, maxLength: 12 }),
          fc.array(step, { maxLength: 40, size: 'max' }),
          fc.nat(4),
          async (calls, steps, openAfterMs) => {
            const run = `run-${engine}-${++runs}`
            const spool: SpoolRow[] = []
            const recordOf = (of: number): CloseRecord => {
              const place = of % calls.length
              return closeRecord(`${run}-${place}`, {
                workspace: run,
                ...calls[place]!,
              })
            }
            const spooled = (kind: string, of: number) => {
              const record = recordOf(of)
              const { keyId, route, startedAt } = record
              const opened = { ...openRecord(record.id), workspace: run, keyId, route, startedAt }
              const payload = kind === 'open' ? openLine(opened) : closeLine(record)
              spool.push({ seq: spool.length + 1, payload })
            }
            let time = 0
            const options = { openAfterMs, now: () => time }
            const folder = createFold(db, run, options)
            let after: number | null = null
            const fold = async (rows: number, through = folder, isWhole?: boolean) => {
              time += 1
              after ??= await through.resume((from) => spool.slice(from))
              const batch = spool.slice(after, after + rows)
              after = await through.fold(after, batch, isWhole)
            }
            const failOnce = async (at: number) => {
              after = null
              await fold(10, createFold(failing(db, at), run, options)).catch(() => {})
              after = null
            }
            for (const happening of steps) {
              if ('of' in happening) spooled(happening.kind, happening.of)
              else if ('rows' in happening) await fold(happening.rows)
              else if ('at' in happening) await failOnce(happening.at)
              else await closeInterrupted(db, run, 9_000_000)
              await assertSumsEqualRows(db, run)
              await assertDelivered(db, run, spool)
            }
            await fold(spool.length, folder, true)
            await assertSumsEqualRows(db, run)
            await assertDelivered(db, run, spool)
            const { seq } = await db
              .selectFrom('spool_positions')
              .select('seq')
              .where('node', '=', run)
              .executeTakeFirstOrThrow()
            assert.equal(seq, spool.length)
          },
        ),
        { numRuns: atLength(10, 25) },
      )
    })

    test('a call that was given up as interrupted counts once, as what it became', async () => {
      const folder = createFold(db, 'late')
      const record = closeRecord('late-1', { workspace: 'late' })
      const after = await readPosition(db, 'late')
      const opened = { ...openRecord('late-1'), workspace: 'late' }
      const first = await folder.fold(after, [{ seq: 1, payload: openLine(opened) }])
      assert.equal(await closeInterrupted(db, 'late', 5_000), 1)
      const codes = () =>
        db.selectFrom('usage_hours').select('code').where('workspace', '=', 'late').where('requests', '>', 0).execute()
      assert.deepEqual(await codes(), [{ code: 'interrupted' }])
      await folder.fold(first, [{ seq: 2, payload: closeLine(record) }])
      assert.deepEqual(await codes(), [{ code: '' }])
      await assertSumsEqualRows(db, 'late')
    })

    test('sums beyond 64 bits stay at their cap instead of stopping the log', async () => {
      const folder = createFold(db, 'mad')
      const record = (id: string) =>
        closeLine(
          closeRecord(id, {
            workspace: 'mad',
            costPicodollars: String(2n ** 63n - 1n),
            usage: { ...NO_USAGE, input: Number.MAX_SAFE_INTEGER },
          }),
        )
      const rows = Array.from({ length: 5 }, (_, index) => ({
        seq: index + 1,
        payload: record(`mad-${index}`),
      }))
      await readPosition(db, 'mad')
      await folder.fold(0, rows.slice(0, 3))
      await folder.fold(3, rows.slice(3))
      const sums = await db
        .selectFrom('usage_hours')
        .select(['requests', 'prompt_tokens', 'cost_picodollars'])
        .where('workspace', '=', 'mad')
        .execute()
      assert.deepEqual(
        sums.map((sum) => [sum.requests, BigInt(sum.prompt_tokens), BigInt(sum.cost_picodollars)]),
        [[5, 5n * BigInt(Number.MAX_SAFE_INTEGER), 9_000_000_000_000_000_000n]],
      )
    })

    test('nodes that fold into the same hours at once lose nothing', async () => {
      const work = Array.from({ length: 4 }, async (_, node) => {
        const name = `together-${node}`
        const folder = createFold(db, name)
        let after = await readPosition(db, name)
        for (let batch = 0; batch < 10; batch++) {
          const rows = Array.from({ length: 20 }, (_, index) => {
            const change = { workspace: 'together', keyId: `key-${(index * (node + 1)) % 7}` }
            const payload = closeLine(closeRecord(`${name}-${batch}-${index}`, change))
            return { seq: after + index + 1, payload }
          })
          after = await folder.fold(after, rows)
        }
      })
      await Promise.all(work)
      await assertSumsEqualRows(db, 'together')
    })
  })
}
