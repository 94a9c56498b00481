import assert from 'node:assert/strict'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { setImmediate as aTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { until } from '../../test/harness.ts'
import { closeRecord, ENGINES, openRecord, testStores } from '../../test/test-store.ts'
import { BATCH_RECORDS } from '../request-log/spool/reader.ts'
import { listSegments } from '../request-log/spool/segments.ts'
import type { Store } from './open-store.ts'

const stores = await testStores()

async function requests(store: Store) {
  await store.requestLog.caughtUp()
  return store.db.selectFrom('requests').selectAll().orderBy('id').execute()
}

for (const engine of ENGINES) {
  describe(`store on ${engine}`, () => {
    test('a fresh database is migrated, a migrated one is left as it is', async () => {
      const options = await stores.newOptions(engine)
      const versions = (store: Store) => sql`select version, applied_at from schema_versions`.execute(store.db)
      const first = await stores.open(options)
      const before = await versions(first)
      await first.close()
      const second = await stores.open(options)
      assert.deepEqual((await versions(second)).rows, before.rows)
      assert.equal(second.node, first.node)
    })

    test('a database of a newer version is refused and not touched', async () => {
      const options = await stores.newOptions(engine)
      const store = await stores.open(options)
      await sql`insert into schema_versions (version, applied_at) values (99, 1)`.execute(store.db)
      await store.close()
      await assert.rejects(
        stores.open(options),
        /schema version 99, this gateway knows \d+: it was migrated by a newer/,
      )
    })

    test('an opened call is there before it is closed, a closed one is complete', async () => {
      const store = await stores.openNew(engine)
      const forWhom = { user: 'anna', session: 's-1', tags: { team: 'a' } }
      await store.requestLog.open(openRecord('r1', forWhom))
      const [opened] = await requests(store)
      assert.deepEqual([opened?.state, opened?.requested_model, opened?.status], ['open', 'fast', null])

      const usage = {
        input: 10,
        cachedInput: 20,
        cacheWrite5m: 1,
        cacheWrite30m: 2,
        cacheWrite1h: 3,
        audioInput: 0,
        imageInput: 9,
        audioOutput: 7,
        imageOutput: 8,
        output: 40,
        reasoning: 5,
        pricePercent: 110,
      }
      const hold = { holdPicodollars: '77', holdTokens: 300 }
      const stream = {
        ...{ streamed: true, firstContentMs: 320, ended: 'caller_left', eventsSent: 12 },
        ...{ usageSource: 'provider_partial', costLeastPicodollars: '41', costMostPicodollars: '77' },
      }
      const adjustments = [{ field: 'max_tokens', value: 800, reason: 'fitted_to_budget' as const }]
      await store.requestLog.close(
        closeRecord('r1', {
          usage,
          fallback: true,
          ignoredParams: ['seed'],
          adjustments,
          ...hold,
          ...stream,
          ...forWhom,
        }),
      )
      const [closed] = await requests(store)
      assert.deepEqual(closed, {
        id: 'r1',
        node: store.node,
        state: 'closed',
        workspace: 'default',
        key_id: 'key-1',
        route: 'fast',
        requested_model: 'fast',
        started_at: 1000,
        finished_at: 1500,
        status: 200,
        code: null,
        provider: 'first',
        model: 'model-1',
        fallback: 1,
        attempts: '[]',
        finish_reason: 'stop',
        prompt_tokens: 45,
        completion_tokens: 40,
        input_tokens: 10,
        cached_tokens: 20,
        cache_write_5m_tokens: 1,
        cache_write_30m_tokens: 2,
        uses: null,
        stated_picodollars: null,
        stated_by: null,
        hold_added_picodollars: null,
        unconfirmed_estimate_picodollars: null,
        unconfirmed_most_picodollars: null,
        unconfirmed_counted_picodollars: null,
        unconfirmed_policy: null,
        audio_input_tokens: 0,
        image_input_tokens: 9,
        audio_output_tokens: 7,
        image_output_tokens: 8,
        cache_write_1h_tokens: 3,
        reasoning_tokens: 5,
        price_percent: 110,
        cost_picodollars: 42,
        endpoint: null,
        end_user: 'anna',
        session: 's-1',
        agent: null,
        parent: null,
        kind: null,
        project: null,
        resale_picodollars: null,
        loop: null,
        prompt_cache_saved_picodollars: null,
        cache_miss: null,
        tags: '{"team":"a"}',
        reason: null,
        param: null,
        provider_code: null,
        figures: null,
        cache: null,
        saved_picodollars: null,
        answer_of: null,
        price_version: 7,
        upstream_ms: 400,
        gateway_microseconds: 350,
        request_bytes: 100,
        response_bytes: 200,
        ignored_params: '["seed"]',
        hold_picodollars: 77,
        hold_tokens: 300,
        idempotency_key: null,
        body_hash: null,
        adjustments: JSON.stringify(adjustments),
        streamed: 1,
        first_content_ms: 320,
        ended: 'caller_left',
        events_sent: 12,
        usage_source: 'provider_partial',
        cost_least_picodollars: 41,
        cost_most_picodollars: 77,
      })
    })

    test('a refused call has a close without an open', async () => {
      const store = await stores.openNew(engine)
      const refused = {
        requestedModel: null,
        route: null,
        status: 400,
        code: 'invalid_request',
        provider: null,
      } as const
      await store.requestLog.close(closeRecord('r1', { ...refused, model: null, costPicodollars: null }))
      const [row] = await requests(store)
      assert.deepEqual([row?.state, row?.code, row?.requested_model], ['closed', 'invalid_request', null])
    })

    test('a cost beyond 2^53 keeps every digit', async () => {
      const store = await stores.openNew(engine)
      const costs = ['9007199254740993', '9223372036854775807', '9007199254740991', '0']
      for (const [index, costPicodollars] of costs.entries()) {
        await store.requestLog.close(closeRecord(`r${index}`, { costPicodollars }))
      }
      const rows = await requests(store)
      assert.deepEqual(
        rows.map((row) => BigInt(row.cost_picodollars ?? -1)),
        costs.map(BigInt),
      )
      const sum = await store.db
        .selectFrom('requests')
        .select((select) => select.fn.sum<number | bigint>('cost_picodollars').as('sum'))
        .where('id', 'in', ['r0', 'r2'])
        .executeTakeFirstOrThrow()
      assert.equal(BigInt(sum.sum), 18014398509481984n)
    })

    test('what a caller can send does not stop the log', async () => {
      const store = await stores.openNew(engine)
      await store.requestLog.open(openRecord('r1', { requestedModel: 'nul\u0000 lone\ud800', startedAt: 1000.7 }))
      await store.requestLog.open(openRecord('r2', { requestedModel: 'x'.repeat(1_000_000) }))
      await store.requestLog.close(closeRecord('r3', { upstreamMs: 12.5, gatewayMicroseconds: Number.NaN }))
      const rows = await requests(store)
      assert.deepEqual(
        rows.map((row) => row.requested_model?.length),
        [10, 512, 4],
      )
      assert.deepEqual([rows[0]?.started_at, rows[2]?.upstream_ms, rows[2]?.gateway_microseconds], [1001, 13, 0])
    })

    test('what a provider can send does not swell the log', async () => {
      const store = await stores.openNew(engine)
      const attempt = { kind: 'called', provider: 'p', model: 'm', startedAfterMs: 0, durationMs: 1 } as const
      const attempts = [{ ...attempt, status: 200, code: null, upstreamRequestId: 'i'.repeat(9_000), reason: 'served' }]
      await store.requestLog.close(closeRecord('r1', { finishReason: 'x'.repeat(1_000_000), attempts }))
      const [row] = await requests(store)
      assert.equal(row?.finish_reason?.length, 512)
      assert.equal(JSON.parse(row?.attempts ?? '')[0].upstreamRequestId.length, 512)
    })

    test('calls left open by the last process are interrupted at the next start, others are not', async () => {
      const options = await stores.newOptions(engine)
      const first = await stores.open(options)
      await first.requestLog.open(openRecord('r1'))
      await first.requestLog.open(openRecord('r2'))
      await first.requestLog.close(closeRecord('r2'))
      await first.close()
      const startedAt = Date.now()
      const second = await stores.open(options)
      await second.requestLog.open(openRecord('r3'))
      const rows = await requests(second)
      assert.deepEqual(
        rows.map((row) => [row.id, row.state, row.status, row.code]),
        [
          ['r1', 'closed', 0, 'interrupted'],
          ['r2', 'closed', 200, null],
          ['r3', 'open', null, null],
        ],
      )
      assert.ok((rows[0]?.finished_at ?? 0) >= startedAt)
    })

    test('a spool that forgot its last rows never reuses their numbers', async () => {
      const options = await stores.newOptions(engine)
      const first = await stores.open(options)
      await first.requestLog.close(closeRecord('r1'))
      await first.requestLog.close(closeRecord('r2'))
      await first.close()
      for (const { path } of listSegments(join(options.dataDir, 'spool'))) rmSync(path)
      const second = await stores.open(options)
      await second.requestLog.close(closeRecord('r3'))
      assert.deepEqual(
        (await requests(second)).map((row) => row.id),
        ['r1', 'r2', 'r3'],
      )
    })

    test('a data folder in use is refused, and free again after a close', async () => {
      const options = await stores.newOptions(engine)
      const store = await stores.open(options)
      await assert.rejects(stores.open(options), /is in use by another running gateway/)
      await store.requestLog.open(openRecord('r1'))
      await store.close()
      await stores.open(options)
    })

    test('after a close the log refuses instead of losing', async () => {
      const store = await stores.openNew(engine)
      await store.close()
      await assert.rejects(store.requestLog.open(openRecord('r1')))
    })
  })
}

test('the data folder and its secrets are for the owner only', async () => {
  const options = await stores.newOptions('sqlite')
  const dataDir = join(options.dataDir, 'nested', 'data')
  await stores.open({ ...options, dataDir })
  assert.equal(statSync(dataDir).mode & 0o777, 0o700)
  assert.equal(statSync(join(dataDir, 'secrets.key')).mode & 0o777, 0o600)
})

test('a data folder that cannot be made is one clear line', async () => {
  const options = await stores.newOptions('sqlite')
  const store = await stores.open(options)
  const dataDir = join(options.dataDir, 'switchyard.db', 'data')
  await assert.rejects(stores.open({ ...options, dataDir }), /^StoreError: cannot create the data folder/)
  await store.close()
})

test('nodes that start together on one PostgreSQL migrate it once and keep apart', async () => {
  const first = await stores.newOptions('postgres')
  const others = await Promise.all([1, 2, 3].map(() => stores.newOptions('postgres')))
  const nodes = await Promise.all(
    [first, ...others].map((options) => stores.open({ ...options, databaseUrl: first.databaseUrl })),
  )
  for (const [index, node] of nodes.entries()) await node.requestLog.open(openRecord(`r${index}`))
  await Promise.all(nodes.map((node) => node.requestLog.caughtUp()))
  assert.equal(new Set(nodes.map((node) => node.node)).size, 4)

  await nodes[0]?.close()
  const again = await stores.open(first)
  const rows = await requests(again)
  assert.deepEqual(
    rows.map((row) => row.state),
    ['closed', 'open', 'open', 'open'],
  )
})

test('PostgreSQL away: calls are logged on, and arrive when it is back', async () => {
  const store = await stores.openNew('postgres')
  await store.requestLog.open(openRecord('r1'))
  await store.requestLog.caughtUp()
  await stores.server.halt()
  try {
    await Promise.all(Array.from({ length: 2_500 }, (_, index) => store.requestLog.close(closeRecord(`r${index}`))))
    while (store.requestLog.status().lastError === null) await new Promise((resolve) => setTimeout(resolve, 10))
    assert.equal(store.requestLog.status().lagRows, 2_500)
  } finally {
    await stores.server.resume()
  }
  const rows = await requests(store)
  assert.equal(rows.length, 2_500)
  assert.ok(rows.every((row) => row.state === 'closed'))
  assert.deepEqual([store.requestLog.status().lagRows, store.requestLog.status().lastError], [0, null])
})

test('PostgreSQL away at the end: the store closes, the next start delivers', async () => {
  const options = await stores.newOptions('postgres')
  const store = await stores.open(options)
  await stores.server.halt()
  try {
    await store.requestLog.close(closeRecord('r1'))
    await store.close()
    await assert.rejects(stores.open(options), /^StoreError: cannot open the postgres database/)
  } finally {
    await stores.server.resume()
  }
  assert.deepEqual(
    (await requests(await stores.open(options))).map((row) => row.id),
    ['r1'],
  )
})

test('on PostgreSQL other nodes find a call with an Idempotency-Key without waiting for more to gather', async () => {
  const longerThanTheTest = 1_000_000_000
  const store = await stores.open({ ...(await stores.newOptions('postgres')), gatherMs: longerThanTheTest })
  for (const id of ['r1', 'r2']) {
    await store.requestLog.open(openRecord(id, { idempotencyKey: id }))
    const found = () => store.reads.selectFrom('requests').select('id').where('id', '=', id).execute()
    await until(async () => (await found()).length > 0, `${id} is in the log`)
  }
})

test('what comes while rows are folded gathers for the next time', async () => {
  const options = await stores.newOptions('sqlite')
  const store = await stores.open(options)
  using database = new DatabaseSync(join(options.dataDir, 'switchyard.db'), { readOnly: true })
  const position = database.prepare('select seq from spool_positions')
  const seen = new Set<unknown>()
  const began = performance.now()
  let written = 0
  // Until it has folded a few times, however long that takes here.
  while (seen.size < 4) {
    // More often than a transaction takes, less often than makes a full batch within the second in which they gather.
    if (performance.now() - began < written * 0.6) await aTurn()
    else await store.requestLog.open(openRecord(`r${written++}`))
    seen.add(position.get()?.['seq'])
  }
  const seconds = (performance.now() - began) / 1_000
  // A stalled machine catches up with full batches, which do not wait for more.
  const full = Math.floor(written / BATCH_RECORDS)
  assert.ok(seen.size <= 2 * seconds + 2 + full, `${seen.size} transactions of ${written} records in ${seconds} s`)
})
