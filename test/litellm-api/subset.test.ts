import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type Harness, hello, startHarness } from '../harness.ts'
import { asking, kindsOf } from './ask.ts'
import { EXCHANGES } from './exchanges.ts'

const CONFIG = `
registry:
  - { provider: openai, model: gpt-sim-echo, input_per_mtok: "0.15", output_per_mtok: "0.6", max_output_tokens: 16384 }
workspaces:
  default:
    direct_models: false
    routes:
      chat: { shared: true, chain: [{ provider: openai, model: gpt-sim-echo }] }
`
let harness: Harness
const send = asking(() => harness)

before(async () => {
  harness = await startHarness({ config: CONFIG, environment: { LITELLM_API: 'on' } })
})
after(() => harness.stop())

describe('an exchange of each row: request, status, and what the answer contains', () => {
  for (const [name, wire, status, contains] of EXCHANGES) {
    test(name, async () => {
      const answer = await send(wire)
      assert.equal(answer.status, status, answer.text)
      if (typeof contains === 'string') assert.equal(answer.json, contains)
      else assert.partialDeepStrictEqual(answer.json, contains)
    })
  }
})

test('the types of a key as tools decode them: numbers, nulls, maps of text', async () => {
  const made = await send({ method: 'POST', path: '/key/generate', body: { metadata: { a: 'b' }, duration: '30d' } })
  const { info } = (await send({ method: 'GET', path: `/key/info?key=${made.json.key}` })).json
  assert.match(made.json.key, /^sk-[A-Za-z0-9]{32}$/)
  assert.match(info.expires, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(kindsOf(info), {
    ...{ token: 'string', key_name: 'string', key_alias: 'string', spend: 'number', max_budget: 'null' },
    ...{ soft_budget: 'null', budget_duration: 'null', tpm_limit: 'null', rpm_limit: 'null' },
    ...{ max_parallel_requests: 'null', budget_reset_at: 'null', expires: 'string', models: 'list', user_id: 'null' },
    ...{ team_id: 'null', blocked: 'boolean', metadata: 'object', tags: 'list', aliases: 'object', config: 'object' },
    ...{ permissions: 'object', model_max_budget: 'object', allowed_cache_controls: 'list', allowed_routes: 'list' },
    ...{ last_active: 'null', created_at: 'string', updated_at: 'string', litellm_budget_table: 'null' },
  })
})

test('money keeps every digit, both ways', async () => {
  const body = '{"key_alias":"exact","max_budget":123456789.123456789012}'
  const made = await send({ method: 'POST', path: '/key/generate', body })
  assert.ok(made.text.includes('"max_budget":123456789.123456789012,'), made.text)
})

test('a regenerated key has a new value; the old one works for as long as it was asked', async () => {
  const { json: made } = await send({ method: 'POST', path: '/key/generate', body: { key_alias: 'renewed' } })
  const renewal = { grace_period: '24h', new_key: 'sk-chosen-by-its-holder-1' }
  const again = await send({ method: 'POST', path: `/key/${made.token}/regenerate`, body: renewal })
  assert.partialDeepStrictEqual(again.json, { key: renewal.new_key, key_name: 'sk-...er-1', key_alias: 'renewed' })
  for (const value of [made.key, renewal.new_key]) {
    assert.equal((await send({ method: 'GET', path: '/key/info', key: value })).status, 200)
  }
  const last = await send({ method: 'POST', path: '/key/regenerate', body: { key: renewal.new_key } })
  assert.equal((await send({ method: 'GET', path: '/key/info', key: renewal.new_key })).status, 401)
  assert.equal((await send({ method: 'GET', path: '/key/info', key: last.json.key })).json.info.key_alias, 'renewed')
})

test('spend is the cost of its calls, exact, in key, team, logs and sums', async () => {
  await send({ method: 'POST', path: '/team/new', body: { team_id: 'paying' } })
  const body = { team_id: 'paying', max_budget: 5, budget_duration: '30d', models: ['chat'] }
  const { json: made } = await send({ method: 'POST', path: '/key/generate', body })
  const answer = await harness.chat(hello('chat'), { authorization: `Bearer ${made.key}` })
  assert.equal(answer.status, 200, answer.text)
  const row = await harness.rowOf(answer)
  const usd = Number(row['cost_picodollars']) / 1e12
  assert.ok(usd > 0)
  const { info } = (await send({ method: 'GET', path: '/key/info', key: made.key })).json
  assert.deepEqual([info.spend, info.budget_duration], [usd, '30d'])
  assert.match(info.budget_reset_at, /-01T00:00:00\.000Z$/)
  assert.equal((await send({ method: 'GET', path: '/team/info?team_id=paying' })).json.team_info.spend, usd)
  const today = new Date().toISOString().slice(0, 10)
  const logs = await send({ method: 'GET', path: `/spend/logs?api_key=${made.token}` })
  assert.partialDeepStrictEqual(logs.json, [
    { request_id: row.id, api_key: made.token, spend: usd, model_group: 'chat', team_id: 'paying', cache_hit: 'False' },
  ])
  const one = await send({ method: 'GET', path: `/spend/logs?request_id=${row.id}` })
  assert.equal(one.json[0].request_id, row.id)
  const days = await send({ method: 'GET', path: `/spend/logs?start_date=${today}&end_date=${today}` })
  assert.deepEqual(days.json, [{ startTime: today, spend: usd, users: {}, models: { chat: usd }, [made.token]: usd }])
  assert.equal((await send({ method: 'GET', path: '/global/spend' })).json.spend, usd)
})

test('blocking a team blocks its keys', async () => {
  await send({ method: 'POST', path: '/team/new', body: { team_id: 'stopped' } })
  const { json: made } = await send({ method: 'POST', path: '/key/generate', body: { team_id: 'stopped' } })
  const blocked = await send({ method: 'POST', path: '/team/block', body: { team_id: 'stopped' } })
  assert.equal(blocked.json.blocked, true)
  const answer = await harness.chat(hello('chat'), { authorization: `Bearer ${made.key}` })
  assert.equal(answer.status, 403)
})
