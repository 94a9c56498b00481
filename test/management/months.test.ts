import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { ADMIN_KEY, type Harness, type Json, startHarness } from '../harness.ts'
import { startPostgres } from '../postgres.ts'
import { closeRecord } from '../test-store.ts'
import { auditOf, managing } from './manage.ts'

const server = await startPostgres()
after(() => server.stop())

const USD = 1_000_000_000_000
const HEADER = 'date,time_zone,model,account,class,quantity,unit,amount,currency'

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`closing months on ${engine}`, { concurrency: false }, () => {
    let harness: Harness
    let now = Date.parse('2026-06-20T12:00:00Z')
    const manage = managing(() => harness)
    before(async () => {
      const environment: Record<string, string> =
        engine === 'postgres' ? { DATABASE_URL: await server.createDatabase() } : {}
      harness = await startHarness({ now: () => now, environment })
    })
    after(() => harness?.stop())

    const call = (id: string, time: string, usd: number, more: object = {}) =>
      harness.gateway.store.requestLog.close(
        closeRecord(id, {
          ...{ startedAt: Date.parse(time), finishedAt: Date.parse(time) + 10, keyId: 'key-1', provider: 'openai' },
          // Its prices are gone: a close cannot recompute the cost.
          ...{
            model: 'm1',
            priceVersion: 999_999,
            costPicodollars: String(BigInt(Math.round(usd * 1_000_000)) * 1_000_000n),
            ...more,
          },
        }),
      )
    const get = async (month: string): Promise<Json> => (await manage('GET', `/months/${month}`)).json
    const close = (month: string, comment?: string) =>
      manage('POST', `/months/${month}/close`, comment === undefined ? {} : { comment })
    const text = async (path: string) =>
      (await fetch(harness.url + path, { headers: { authorization: `Bearer ${ADMIN_KEY}` } })).text()
    /** Σ of a column of CSV, in picodollars; nothing here has a comma in a text before it. */
    const sumOf = (csv: string, column: string) => {
      const [head = '', ...lines] = csv.trimEnd().split('\r\n')
      const place = head.split(',').indexOf(column)
      const fields = (line: string) => [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)]
      return lines.reduce((sum, line) => {
        const field = fields(line)[place]
        return sum + Math.round(Number(field?.[1] ?? field?.[2] ?? 0) * 1_000_000)
      }, 0)
    }
    const micros = (usd: string) => Math.round(Number(usd) * 1_000_000)

    test('a month that is not over is refused with the time from which it can be closed', async () => {
      await call('a', '2026-05-04T01:00:00Z', 1.5)
      await call('b', '2026-05-31T23:59:59Z', 0.25, { keyId: 'key-2', workspace: 'other' })
      await call('c', '2026-06-01T00:00:00Z', 7)
      const { status, json } = await close('2026-06')
      assert.equal(status, 409)
      assert.match(json.error.message, /^2026-06 cannot be closed now\. 2026-06 isn't over yet\.$/)
      const open = await get('2026-06')
      assert.deepEqual([open.state, open.total_usd, open.sha256], ['open', '7', null])
      assert.deepEqual(open.blockers, [
        { sentence: "2026-06 isn't over yet.", possible_from: '2026-07-01T00:00:00.000Z', can_override: false },
      ])
    })

    test('an unsettled report is a reason to wait, and says until when', async () => {
      const body = `${HEADER}\n2026-05-31,UTC,m1,p,input,10,tokens,1.5,USD\n`
      now = Date.parse('2026-06-01T06:00:00Z')
      const sent = await manage('POST', '/reports', { source: 'csv', provider: 'openai', text: body })
      assert.equal(sent.status, 200, sent.text)
      const refused = await close('2026-05')
      assert.equal(refused.status, 409)
      assert.match(
        refused.json.error.message,
        /report of openai for 2026-05-31 can still change.*from 2026-06-02 00:00Z/,
      )
      assert.equal((await get('2026-05')).blockers[0].possible_from, '2026-06-02T00:00:00.000Z')
      now = Date.parse('2026-06-20T12:00:00Z')
    })

    test('a missing row is a reason, until it is there again', async () => {
      const store = harness.gateway.store.db
      const row = await store.selectFrom('requests').selectAll().where('id', '=', 'a').executeTakeFirstOrThrow()
      await store.deleteFrom('requests').where('id', '=', 'a').execute()
      const refused = await close('2026-05')
      assert.equal(refused.status, 409)
      assert.match(refused.json.error.message, /1 row is missing from the request log between 2026-05-04 01:00Z/)
      await store.insertInto('requests').values(row).execute()
    })

    test('closed once: frozen, hashed, audited, with the name of who did it', async () => {
      const draft = await get('2026-05')
      const [first, second] = await Promise.all([close('2026-05', 'May'), close('2026-05')])
      assert.deepEqual([first.status, second.status].sort(), [200, 409])
      const books = await get('2026-05')
      const { closed_at, closed_by, sha256, comment, state, verified, ...frozen } = books
      const { closed_at: _at, closed_by: _by, sha256: _sha, comment: _comment, state: _state, ...drafted } = draft
      assert.deepEqual({ ...frozen, verified: null }, { ...drafted, verified: null })
      assert.deepEqual(
        [state, verified, closed_by, closed_at],
        ['closed', true, 'ADMIN_KEY', new Date(now).toISOString()],
      )
      assert.deepEqual(
        [books.total_usd, books.workspaces],
        [
          '1.75',
          [
            { workspace: 'default', requests: 1, cost_usd: '1.5' },
            { workspace: 'other', requests: 1, cost_usd: '0.25' },
          ],
        ],
      )
      assert.deepEqual(books.providers, [{ provider: 'openai', requests: 2, cost_usd: '1.75' }])
      const [difference] = books.differences
      assert.deepEqual([difference.provider, difference.theirs_usd, difference.reports.length], ['openai', '1.5', 1])
      const again = await close('2026-05')
      assert.equal(again.status, 409)
      assert.match(again.json.error.message, /^ADMIN_KEY closed 2026-05 at 2026-06-20T12:00:00\.000Z\./)
      const [entry, ...more] = await auditOf(manage, 'months/2026-05')
      assert.deepEqual([entry.action, entry.after.sha256, more.length], ['months.close', sha256, 0])
      const hashed = createHash('sha256')
        .update(await text('/months/2026-05/export?format=text'))
        .digest('hex')
      assert.equal(hashed, sha256)
    })

    test('exports add up to the closed total', async () => {
      for (const [format, column] of [
        ['csv', 'cost_usd'],
        ['focus', 'BilledCost'],
      ] as const) {
        assert.equal(sumOf(await text(`/months/2026-05/export?format=${format}`), column), 1_750_000, format)
      }
      assert.equal((await manage('GET', '/months/2026-06/export')).status, 400)
      assert.match((await manage('GET', '/months/2026-13')).json.error.message, /^month: YYYY-MM, not '2026-13'/)
    })

    test('what comes later goes to the next month, and the closed one stays as it is', async () => {
      const before = await get('2026-05')
      await call('late', '2026-05-20T00:00:00Z', 0.5)
      await harness.gateway.store.requestLog.caughtUp()
      const correction = {
        ...{
          created_at: now + 1,
          actor: 'ann',
          reason: 'billed',
          kind: 'confirmed' as const,
          request_id: 'a',
          workspace: 'default',
        },
        ...{ key_id: 'key-1', provider: 'openai', model: 'm1', counted_picodollars: 0, source: null },
      }
      const store = harness.gateway.store.db
      const ofMay = { ...correction, id: 'k1', charged_at: Date.parse('2026-05-04T01:00:00Z'), picodollars: USD / 10 }
      const ofJune = { ...ofMay, id: 'k2', request_id: 'c', charged_at: Date.parse('2026-06-01T00:00:00Z') }
      const ofJuly = { ...ofMay, id: 'k3', request_id: 'd', charged_at: Date.parse('2026-07-01T00:00:00Z') }
      await store.insertInto('corrections').values([ofMay, ofJune, ofJuly]).execute()
      assert.deepEqual(await get('2026-05'), before)
      now = Date.parse('2026-07-10T00:00:00Z')
      assert.equal((await close('2026-06')).status, 200)
      const june = await get('2026-06')
      assert.deepEqual(
        [june.usage_usd, june.late_usd, june.corrections_usd, june.total_usd, june.previous_sha256],
        ['7', '0.5', '0.2', '7.7', before.sha256],
      )
      assert.deepEqual(
        june.late.map((each: Json) => [each.month, each.workspace, each.key_id, each.requests, each.cost_usd]),
        [['2026-05', 'default', 'key-1', 1, '0.5']],
      )
      assert.deepEqual(
        june.corrections.map((each: Json) => [each.id, each.month, each.cost_usd]),
        [
          ['k1', '2026-05', '0.1'],
          ['k2', '2026-06', '0.1'],
        ],
      )
      for (const month of ['2026-05', '2026-06']) {
        for (const [format, column] of [
          ['csv', 'cost_usd'],
          ['focus', 'BilledCost'],
        ] as const) {
          const exported = await text(`/months/${month}/export?format=${format}`)
          assert.equal(sumOf(exported, column), micros((await get(month)).total_usd), `${month} ${format}`)
        }
      }
      assert.match(await text('/months/2026-06/export?format=focus'), /"Correction"/)
    })

    test('late calls are listed once, and months are closed in order', async () => {
      now = Date.parse('2026-09-10T00:00:00Z')
      await call('d', '2026-07-03T00:00:00Z', 1)
      await call('e', '2026-08-03T00:00:00Z', 1)
      await harness.gateway.store.requestLog.caughtUp()
      assert.match((await close('2026-08')).json.error.message, /Close 2026-07 first\./)
      assert.match((await close('2026-04')).json.error.message, /2026-06 is already closed/)
      assert.equal((await close('2026-07')).status, 200)
      const july = await get('2026-07')
      assert.deepEqual([july.total_usd, july.late, july.corrections.length], ['1.1', [], 1])
      const { data } = (await manage('GET', '/months')).json
      assert.deepEqual(
        data.map((each: Json) => [each.month, each.state, each.total_usd]),
        [
          ['2026-09', 'open', '0'],
          ['2026-08', 'open', '1'],
          ['2026-07', 'closed', '1.1'],
          ['2026-06', 'closed', '7.7'],
          ['2026-05', 'closed', '1.75'],
        ],
      )
    })

    test('rows that retention has deleted since are told, and exports still add up', async () => {
      const store = harness.gateway.store.db
      const before = Date.parse('2026-05-10T00:00:00Z')
      await store
        .insertInto('settings')
        .values({ name: 'log_kept_since', value: String(before) })
        .execute()
      await store.deleteFrom('requests').where('started_at', '<', before).execute()
      const may = await get('2026-05')
      assert.deepEqual([may.rows_deleted_before, may.total_usd], ['2026-05-10T00:00:00.000Z', '1.75'])
      const focus = await text('/months/2026-05/export?format=focus')
      assert.equal(sumOf(focus, 'BilledCost'), 1_750_000)
      assert.match(focus, /rows before 2026-05-10T00:00:00\.000Z are deleted by retention/)
    })

    test('a changed row of the books no longer has its hash', async () => {
      const store = harness.gateway.store.db
      const { content } = await store
        .selectFrom('month_closes')
        .select('content')
        .where('month', '=', '2026-05')
        .executeTakeFirstOrThrow()
      const changed = content.replace('"cost_usd":"1.5"', '"cost_usd":"1.4"')
      await store.updateTable('month_closes').set({ content: changed }).where('month', '=', '2026-05').execute()
      assert.equal((await get('2026-05')).verified, false)
    })
  })
}

describe('who may close', () => {
  let harness: Harness
  before(async () => {
    harness = await startHarness()
  })
  after(() => harness?.stop())

  for (const [name, given, reads, closes] of [
    ['a viewer of everything reads only', { role: 'viewer' }, 200, 403],
    ['an editor of everything reads only', { role: 'editor' }, 200, 403],
    ['an admin of one workspace does neither', { role: 'admin', workspaces: ['default'] }, 403, 403],
  ] as const) {
    test(name, async () => {
      const manage = managing(() => harness)
      const { value } = (await manage('POST', '/admin-keys', { name: name.replaceAll(' ', '-'), ...given })).json
      const headers = { authorization: `Bearer ${value}` }
      assert.equal((await manage('GET', '/months', undefined, headers)).status, reads)
      assert.equal((await manage('POST', '/months/2026-05/close', {}, headers)).status, closes)
    })
  }
})
