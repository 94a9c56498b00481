import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { APPLICATIONS } from '../../demo/applications.ts'
import { attributed } from '../../demo/attribution.ts'
import { FILE_KEYS } from '../../demo/config.ts'
import { HISTORY_DAYS, history } from '../../demo/history.ts'
import { startDemo } from '../../demo/start.ts'
import { liveCallsAnHour, requestOf } from '../../demo/traffic.ts'
import { CIRCUIT_REASON, WINDOW_REASON } from '../../src/calls/chain/chain-cursor.ts'
import { ERRORS } from '../../src/domain/errors.ts'
import { compilePrice, costOf, parsePrices, picodollarsOfUsd } from '../../src/domain/pricing/price.ts'
import { attemptsOf } from '../../src/management/requests/request-view.ts'
import type { AttemptRecord, CloseRecord } from '../../src/request-log/record.ts'
import { usageOf } from '../../src/request-log/row.ts'
import { loadSnapshot } from '../../src/store/control/snapshot.ts'
import type { RequestRow } from '../../src/store/engine/schema.ts'
import type { Json } from '../harness.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A Thursday afternoon: a fixed time makes a fixed picture. */
const NOW = Date.UTC(2026, 10, 12, 15, 40)

const demo = await startDemo({ port: 0, traffic: false, now: NOW })
after(() => demo.stop())
const { db, requestLog } = demo.gateway.store
await requestLog.caughtUp()
const rows: RequestRow[] = await db.selectFrom('requests').selectAll().orderBy('started_at').execute()

async function api(path: string, method = 'GET', body?: Json): Promise<Json> {
  const headers = { authorization: `Bearer ${demo.adminKey}`, 'content-type': 'application/json' }
  const response = await fetch(demo.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  assert.equal(response.status, 200, path)
  return response.json()
}

async function all(path: string): Promise<Json[]> {
  const found: Json[] = []
  for (let cursor = ''; ; ) {
    const page = await api(`${path}${path.includes('?') ? '&' : '?'}limit=500${cursor}`)
    found.push(...page.data)
    if (page.next_cursor === null) return found
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`
  }
}

describe('the history of the demo', () => {
  test('is a month of calls, with days and nights, mistakes and fallbacks', () => {
    assert.ok(rows.length > 25_000 && rows.length < 40_000, String(rows.length))
    const share = (which: (row: RequestRow) => boolean) => rows.filter(which).length / rows.length
    const errors = share((row) => row.code !== null)
    assert.ok(errors > 0.01 && errors < 0.035, String(errors))
    const fallbacks = share((row) => row.fallback === 1)
    assert.ok(fallbacks > 0.025 && fallbacks < 0.06, String(fallbacks))
    const onDays = (days: number[]) => rows.filter((row) => days.includes(new Date(row.started_at).getUTCDay())).length
    assert.ok(onDays([0, 6]) / 2 < (onDays([1, 2, 3, 4, 5]) / 5) * 0.8)
    const first = rows[0]?.started_at ?? 0
    assert.ok(first >= NOW - HISTORY_DAYS * DAY_MS && first < NOW - (HISTORY_DAYS - 1) * DAY_MS)
    assert.ok(rows.every((row) => (row.finished_at ?? 0) <= NOW && (row.finished_at ?? 0) >= row.started_at))
  })

  test('names only keys that worked then, providers, routes and codes that there are', async () => {
    const keys = new Map((await db.selectFrom('keys').selectAll().execute()).map((key) => [key.id, key]))
    const providers = new Set((await db.selectFrom('providers').select('name').execute()).map(({ name }) => name))
    const routes = await db.selectFrom('routes').select(['workspace', 'alias']).execute()
    const aliases = new Set(routes.map(({ workspace, alias }) => `${workspace} ${alias}`))
    for (const row of rows) {
      const key = keys.get(row.key_id)
      assert.ok(key !== undefined && key.workspace === row.workspace)
      assert.ok(key.created_at <= row.started_at && row.started_at < (key.expires_at ?? NOW))
      assert.ok(row.started_at < (key.revoked_at ?? NOW))
      assert.ok(row.provider === null || providers.has(row.provider), String(row.provider))
      assert.ok(row.route === null || aliases.has(`${row.workspace} ${row.route}`), String(row.route))
      if (row.code === null || row.ended === 'failed_mid_stream') assert.equal(row.status, 200)
      else if (row.code === 'caller_left') assert.equal(row.status, 499)
      else assert.equal(row.status, ERRORS[row.code as keyof typeof ERRORS].status, row.code)
    }
  })

  test('its costs are what the price version in force comes to', async () => {
    const versions = new Map((await db.selectFrom('price_versions').selectAll().execute()).map((row) => [row.id, row]))
    const used = new Set<number>()
    for (const row of rows) {
      const usage = usageOf(row)
      if (row.price_version === null || usage === null) {
        assert.equal(row.cost_picodollars, null)
        continue
      }
      used.add(row.price_version)
      const version = versions.get(row.price_version)
      assert.ok(version !== undefined && version.provider === row.provider && version.model === row.model)
      const later = [...versions.values()].find(
        ({ id, provider, model, created_at: from }) =>
          id > version.id && provider === row.provider && model === row.model && from <= row.started_at,
      )
      assert.ok(version.created_at <= row.started_at && later === undefined)
      const cost = costOf(usage, compilePrice(parsePrices(version.prices)))
      assert.equal(BigInt(row.cost_picodollars ?? -1), cost)
      assert.ok(row.hold_picodollars === null || BigInt(row.hold_picodollars) >= (cost ?? 0n), row.id)
    }
    const mini = [...versions.values()].filter(({ model }) => model === 'gpt-5.4-mini').map(({ id }) => id)
    assert.equal(mini.length, 2)
    assert.ok(mini.every((id) => used.has(id)))
  })

  test('a call that a budget refused says by how much, and shipped prices are not younger than their list', async () => {
    const refused = rows.filter(({ code }) => code === 'budget_exceeded')
    assert.ok(refused.length > 0)
    for (const row of refused) {
      const figures = JSON.parse(row.figures ?? 'null')
      const usd = (name: string) => picodollarsOfUsd(figures[name])
      const [limit, used, most] = [usd('limit_usd'), usd('spent_usd') + usd('held_usd'), usd('hold_usd')]
      assert.ok(used <= limit && used + most > limit, row.reason ?? '')
      assert.match(row.reason ?? '', /^The budget of evals does not allow this call: /)
    }
    for (const { source, created_at: from } of await db.selectFrom('price_versions').selectAll().execute()) {
      if (source.startsWith('builtin:')) assert.ok(Date.parse(source.slice('builtin:'.length)) <= from, source)
    }
  })

  test('its attempts tell the same story as the row', () => {
    for (const row of rows) {
      const attempts = attemptsOf(row)
      const called = attempts.filter((attempt) => attempt.kind === 'called')
      const last = called.at(-1)
      assert.equal(row.provider, last?.provider ?? null)
      assert.equal(row.model, last?.model ?? null)
      const isServed = row.code === null
      assert.equal(last?.reason === 'served' && last.status === 200, isServed, row.id)
      assert.equal(row.upstream_ms, isServed || row.ended !== null ? last?.durationMs : null)
      if (last !== undefined && !isServed) assert.equal(last.code, row.code)
      checkOrder(attempts, row)
    }
  })

  test('has streams, of which some were cut by the provider and some left by their caller', () => {
    const streams = rows.filter((row) => row.streamed === 1)
    assert.ok(streams.length > 500 && streams.every(({ workspace }) => workspace === 'chat'))
    for (const ended of ['finished', 'failed_mid_stream', 'caller_left']) {
      assert.ok(streams.filter((row) => row.ended === ended).length > 5, ended)
    }
    for (const row of streams.filter(({ usage_source: source }) => source === 'provider_partial')) {
      const [least, cost, most] = [row.cost_least_picodollars, row.cost_picodollars, row.cost_most_picodollars]
      assert.ok(cost === null || (BigInt(least ?? -1) <= BigInt(cost) && BigInt(cost) <= BigInt(most ?? cost)), row.id)
      assert.ok((row.first_content_ms ?? 0) <= (row.finished_at ?? 0) - row.started_at, row.id)
    }
  })

  test('says for whom calls were made: people, sessions and tags', async () => {
    const sessions = Map.groupBy(
      rows.filter(({ session }) => session !== null),
      ({ session }) => session,
    )
    assert.ok(sessions.size > 100 && [...sessions.values()].filter((calls) => calls.length > 3).length > 50)
    const agents = rows.filter(({ endpoint }) => endpoint === 'messages')
    assert.ok(agents.length > 500)
    assert.ok(
      agents.every(({ id, session, end_user: user }) => id.startsWith('msg_') && session !== null && user !== null),
    )
    assert.ok(rows.some(({ tags }) => tags?.includes('"repository"')))
    const { data } = await api('/usage?workspace=chat&group_by=session')
    assert.match(data.find(({ is_rest: isRest }: Json) => !isRest).group, /^agents-/)
  })

  test('skips entries in the words of the gateway', () => {
    const reasons = new Set(
      rows.flatMap(attemptsOf).flatMap(({ kind, reason }) => (kind === 'skipped' ? [reason] : [])),
    )
    assert.deepEqual([...reasons].sort(), [WINDOW_REASON, CIRCUIT_REASON].sort())
  })

  test('is the same for every demo that starts at the same time, ids aside', async () => {
    const snapshot = await loadSnapshot(db, demo.gateway.store.secrets)
    const setting = { now: NOW, snapshot, keyAt: () => 'a key', priceAt: () => null }
    const withoutIds = ({ id: _id, ...rest }: CloseRecord) => ({
      ...rest,
      attempts: rest.attempts.map((attempt) => ({ ...attempt, upstreamRequestId: null })),
    })
    const again = history(setting)[Symbol.iterator]()
    let count = 0
    for (const record of history(setting)) {
      assert.deepEqual(withoutIds(record), withoutIds(again.next().value))
      if (++count === 3_000) break
    }
  })

  test('adds up: the ledger, the sums and the rows agree', async () => {
    assert.deepEqual((await api('/verify', 'POST')).differences, [])
    const [from, to] = [NOW - 40 * DAY_MS, NOW].map((at) => new Date(at).toISOString())
    for (const workspace of ['default', 'research']) {
      const mine = rows.filter((row) => row.workspace === workspace)
      const { data } = await api(`/usage?workspace=${workspace}&from=${from}&to=${to}`)
      const total = data.reduce((sum: number, row: Json) => sum + row.requests, 0)
      assert.equal(total, mine.length)
      const cost = data.reduce((sum: bigint, row: Json) => sum + picodollarsOfUsd(row.cost_usd), 0n)
      const costOfRows = mine.reduce((sum, row) => sum + BigInt(row.cost_picodollars ?? 0), 0n)
      assert.ok(cost > 0n)
      assert.equal(cost, costOfRows)
    }
  })
})

describe('the live traffic of the demo', () => {
  test('is served, and says for whom, in every format', async () => {
    for (const [name, key] of Object.entries(FILE_KEYS)) {
      const application = APPLICATIONS.find((each) => each.key === name)
      assert.ok(application !== undefined)
      const who = attributed(application, NOW)
      const hello = { model: application.models[0]?.[0], messages: [{ role: 'user', content: 'hello' }] }
      const { path, headers, body } = requestOf(application, hello, who)
      const authorized = { ...headers, authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const response = await fetch(demo.url + path, { method: 'POST', headers: authorized, body: JSON.stringify(body) })
      assert.equal(response.status, 200, `${name}: ${await response.text()}`)
      const logged = await api(`/requests/${response.headers.get('x-gateway-request-id')}`)
      const { user, session, agent, parent, kind, project, tags } = logged
      assert.deepEqual({ user, session, agent, parent, kind, project, tags }, who, name)
      assert.equal(logged.endpoint, application.endpoint ?? 'chat')
    }
  })

  test('goes on at the rate of the history, hour by hour', () => {
    const yesterday = Math.floor(NOW / DAY_MS) * DAY_MS - DAY_MS
    const quarters = [0, 6, 12, 18].map((hour) => yesterday + hour * HOUR_MS)
    for (const from of quarters) {
      const logged = rows.filter((row) => row.started_at >= from && row.started_at < from + 6 * HOUR_MS).length
      let live = 0
      for (let hour = 0; hour < 6; hour++) live += liveCallsAnHour(from + hour * HOUR_MS)
      assert.ok(live > logged * 0.7 && live < logged * 1.4, `${live} live, ${logged} logged`)
    }
  })
})

function checkOrder(attempts: readonly AttemptRecord[], row: RequestRow): void {
  let time = 0
  for (const { startedAfterMs, durationMs } of attempts) {
    assert.ok(startedAfterMs >= time, row.id)
    time = startedAfterMs + durationMs
  }
  assert.ok(row.started_at + time <= (row.finished_at ?? 0), row.id)
}

describe('the demo', () => {
  test('has keys in every state, some of the file and some to change', async () => {
    const keys = await all('/keys')
    const named = (name: string) => keys.filter((key) => key.name === name)
    assert.equal(named('web-app')[0].managed_by, 'config')
    assert.equal(named('support-bot')[0].managed_by, null)
    assert.equal(named('data-pipeline').length, 1)
    const [present, replaced] = await all(`/keys/${named('data-pipeline')[0].id}/values`)
    assert.ok(replaced.ends_at < present.last_used_at && replaced.last_used_at < replaced.ends_at)
    assert.ok(Date.parse(named('prototype')[0].revoked_at) < NOW)
    assert.ok(Date.parse(named('hackathon')[0].expires_at) < NOW)
    assert.ok(Date.parse(named('contractor')[0].expires_at) > NOW)
    assert.equal(named('staging')[0].last_used_at, null)
    for (const { key, workspace } of APPLICATIONS) {
      const used = (await all(`/keys?workspace=${workspace}`)).filter((each) => each.name === key)
      assert.ok(used.length > 0 && used.every((each) => each.last_used_at !== null), key)
    }
    const routes = await all('/routes')
    assert.ok(routes.filter((route) => route.managed_by === null).length >= 2)
    assert.ok(routes.filter((route) => route.managed_by === 'config').length >= 2)
  })

  test('has budgets that are fine, nearly used up and gone over', async () => {
    const states = new Map((await all('/budgets')).map((budget) => [budget.name, budget.state]))
    assert.equal(states.get('evals'), 'near')
    assert.equal(states.get('support-bot'), 'over')
    assert.equal(states.get('mobile'), 'ok')
    assert.equal(states.get('contractor'), 'ok')
  })

  test('was looked after by several people over the month', async () => {
    const entries = await all('/audit')
    const actors = new Set(entries.map((entry) => entry.actor_name))
    for (const name of ['anna', 'ci-deploy', 'ADMIN_KEY']) assert.ok(actors.has(name), name)
    assert.ok(entries.every((entry) => Date.parse(entry.at) <= NOW))
    const days = new Set(entries.map((entry) => entry.at.slice(0, 10)))
    assert.ok(days.size >= 8)
  })

  test('can store what calls say', async () => {
    assert.equal((await api('/workspaces/default', 'PATCH', { content: {} })).content.retention_days, 7)
    await api('/workspaces/default', 'PATCH', { content: null })
  })

  test('takes calls', async () => {
    const response = await fetch(`${demo.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${demo.gatewayKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'local', messages: [{ role: 'user', content: 'hello' }] }),
    })
    assert.equal(response.status, 200)
  })
})
