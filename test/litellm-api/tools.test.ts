import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ADMIN_KEY, type Harness, hello, type Json, startHarness } from '../harness.ts'
import { asking, type Wire } from './ask.ts'

const CONFIG = `
registry:
  - { provider: openai, model: gpt-sim-echo, input_per_mtok: "0.15", output_per_mtok: "0.6", max_output_tokens: 16384 }
  - { provider: anthropic, model: claude-sim-echo, input_per_mtok: "3", output_per_mtok: "15", max_output_tokens: 8192 }
workspaces:
  default:
    routes:
      chat: { shared: true, chain: [{ provider: openai, model: gpt-sim-echo }] }
      sonnet: { shared: true, chain: [{ provider: anthropic, model: claude-sim-echo }] }
`

let harness: Harness
const send = asking(() => harness)

before(async () => {
  harness = await startHarness({ config: CONFIG, environment: { LITELLM_API: 'on' } })
})
after(() => harness.stop())

async function ok(wire: Wire): Promise<Json> {
  const answer = await send(wire)
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

/** Values as `encoding/json` puts them into a Go map: what the tool compares with its plan. */
function read(info: Json, names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, info[name]]))
}

describe("ncecere's Terraform provider", () => {
  // It sends both headers, and the person who changes something.
  const headers = { 'x-api-key': ADMIN_KEY, accept: 'application/json', 'litellm-changed-by': 'ci@example.com' }
  const post = (path: string, body: unknown) => ok({ method: 'POST', path, body, headers })
  const get = (path: string) => send({ method: 'GET', path, headers })

  test('a key: apply, plan without changes, update, destroy', async () => {
    const plan = {
      ...{ key_alias: 'terraform key', max_budget: 12.5, budget_duration: '1mo', tpm_limit: 1000, rpm_limit: 10 },
      ...{ max_parallel_requests: 2, models: ['chat'], metadata: { env: 'prod', retries: 3 }, tags: ['a', 'b'] },
      ...{ blocked: false, user_id: 'user-1', soft_budget: 10 },
    }
    const { key } = await post('/key/generate', { ...plan, duration: '30d' })
    const state = await get(`/key/info?key=${encodeURIComponent(key)}`)
    assert.deepEqual(read(state.json.info, Object.keys(plan)), plan)
    const changed = { ...plan, max_budget: 20, models: ['chat', 'sonnet'], metadata: { env: 'dev' }, tags: [] }
    await post('/key/update', { ...changed, key })
    const again = await get(`/key/info?key=${encodeURIComponent(key)}`)
    assert.deepEqual(read(again.json.info, Object.keys(plan)), changed)
    await post('/key/block', { key })
    assert.equal((await get(`/key/info?key=${key}`)).json.info.blocked, true)
    await post('/key/unblock', { key })
    await post('/key/delete', { keys: [key] })
    const gone = await get(`/key/info?key=${key}`)
    assert.match(`API request failed with status ${gone.status}: ${gone.text}`, /not found|404|does not exist/)
  })

  test('a key of a team without models: all-team-models is read back', async () => {
    const id = '0b6f1f0e-54c6-4a7a-8d8e-1f4b1a8f7f10'
    await post('/team/new', { team_id: id, team_alias: 'Team T' })
    const { key } = await post('/key/generate', { team_id: id, models: ['all-team-models'] })
    const { info } = (await get(`/key/info?key=${key}`)).json
    assert.deepEqual([info.team_id, info.models], [id, ['all-team-models']])
    const answer = await harness.chat(hello('chat'), { authorization: `Bearer ${key}` })
    assert.equal(answer.status, 200, answer.text)
    await post('/team/delete', { team_ids: [id] })
    assert.equal((await harness.chat(hello('chat'), { authorization: `Bearer ${key}` })).status, 401)
  })

  test('a service account', async () => {
    const body = { metadata: { service_account_id: 'bot' }, key_alias: 'bot', models: ['chat'] }
    const { key } = await post('/key/service-account/generate', body)
    assert.deepEqual((await get(`/key/info?key=${key}`)).json.info.metadata, body.metadata)
  })

  test('a team: apply, plan without changes, update with nulls, destroy', async () => {
    const team_id = 'f2a7c7e2-9f6b-4f7c-9c52-6f1f0a3b9d11'
    const plan = {
      ...{ team_alias: 'Platform', tpm_limit: 5000, rpm_limit: 50, max_budget: 100.25, budget_duration: '30d' },
      ...{ blocked: false, metadata: { cost_center: 'c-1' }, tags: ['x'] },
    }
    await post('/team/new', { ...plan, team_id, router_settings: {} })
    const state = await get(`/team/info?team_id=${team_id}`)
    assert.deepEqual(read(state.json.team_info, Object.keys(plan)), plan)
    await post('/team/update', {
      ...plan,
      team_id,
      max_budget: null,
      budget_duration: null,
      rpm_limit: null,
      router_settings: {},
    })
    const { team_info } = (await get(`/team/info?team_id=${team_id}`)).json
    assert.deepEqual(read(team_info, ['max_budget', 'budget_duration', 'rpm_limit', 'tpm_limit', 'metadata']), {
      ...{ max_budget: null, budget_duration: null, rpm_limit: null, tpm_limit: 5000, metadata: plan.metadata },
    })
    await post('/team/delete', { team_ids: [team_id] })
    assert.equal((await get(`/team/info?team_id=${team_id}`)).status, 404)
  })
})

test("bbdsoftware's operator: existence by alias, typed maps, nothing to update after creation, deletion by alias", async () => {
  const list = () => ok({ method: 'GET', path: '/key/list?key_alias=operator-key' })
  assert.deepEqual((await list()).keys, [])
  const spec = {
    key_alias: 'operator-key',
    max_budget: 10,
    budget_duration: '30d',
    models: ['chat'],
    metadata: { a: 'b' },
  }
  const { key } = await ok({ method: 'POST', path: '/key/generate', body: spec })
  const [token] = (await list()).keys
  const { info } = await ok({ method: 'GET', path: `/key/info?key=${token}` })
  assert.deepEqual(read(info, Object.keys(spec)), spec)
  // Its zero values: nothing was asked for, and nothing else is read back.
  const zeros = read(info, [
    'aliases',
    'allowed_cache_controls',
    'allowed_routes',
    'config',
    'model_max_budget',
    'permissions',
    'tags',
  ])
  for (const value of Object.values(zeros)) assert.equal(Object.keys(value as object).length, 0)
  assert.deepEqual(read(info, ['team_id', 'user_id', 'blocked', 'litellm_budget_table']), {
    ...{ team_id: null, user_id: null, blocked: false, litellm_budget_table: null },
  })
  for (const value of Object.values(info.metadata)) assert.equal(typeof value, 'string')
  assert.equal((await ok({ method: 'GET', path: '/v2/team/list?team_alias=absent' })).teams.length, 0)
  await ok({ method: 'POST', path: '/key/delete', body: { key_aliases: ['operator-key'] } })
  assert.deepEqual((await list()).keys, [])
  assert.equal((await send({ method: 'GET', path: '/key/info', key })).status, 401)
})

test("home-operations' operator: probes, teams, keys, models", async () => {
  assert.equal((await send({ method: 'GET', path: '/health/liveliness' })).text, '"I\'m alive!"')
  assert.equal((await ok({ method: 'GET', path: '/health/readiness' })).status, 'healthy')
  const team = { team_id: 'home', team_alias: 'home', models: [] as string[], max_budget: 5 }
  assert.equal((await ok({ method: 'POST', path: '/team/new', body: team })).team_id, 'home')
  const fields = { key_alias: 'home-key', team_id: 'home', duration: '90d', rpm_limit: 5, metadata: { by: 'operator' } }
  const { key } = await ok({ method: 'POST', path: '/key/generate', body: fields })
  await ok({ method: 'POST', path: '/key/update', body: { key, ...fields, rpm_limit: 6 } })
  assert.equal((await ok({ method: 'GET', path: `/key/info?key=${key}` })).info.rpm_limit, 6)
  assert.deepEqual((await ok({ method: 'GET', path: '/team/info?team_id=home' })).team_info.members_with_roles, [])
  const { data } = await ok({ method: 'GET', path: '/model/info' })
  assert.ok(data.every((model: Json) => typeof model.model_info.id === 'string'))
  const refused = await send({
    method: 'POST',
    path: '/model/new',
    body: { model_name: 'x', litellm_params: { model: 'y' } },
  })
  assert.equal(refused.status, 501)
  await ok({ method: 'POST', path: '/key/delete', body: { keys: [key] } })
  await ok({ method: 'POST', path: '/team/delete', body: { team_ids: ['home'] } })
})

describe('CodexBar: the same key for all requests', () => {
  const get = (path: string, key: string) => ok({ method: 'GET', path, key, headers: { accept: 'application/json' } })

  test('a key of a team asks for the team', async () => {
    await ok({ method: 'POST', path: '/team/new', body: { team_id: 'menu', team_alias: 'Menu bar', max_budget: 50 } })
    const { key } = await ok({ method: 'POST', path: '/key/generate', body: { team_id: 'menu', max_budget: 5 } })
    const { info } = await get('/key/info', key)
    assert.deepEqual(read(info, ['user_id', 'team_id', 'max_budget', 'spend']), {
      ...{ user_id: null, team_id: 'menu', max_budget: 5, spend: 0 },
    })
    const { team_info } = await get(`/team/info?team_id=${info.team_id}`, key)
    assert.deepEqual(read(team_info, ['team_id', 'team_alias', 'max_budget', 'spend']), {
      ...{ team_id: 'menu', team_alias: 'Menu bar', max_budget: 50, spend: 0 },
    })
  })

  test('a key with a user asks for the user, and finds its team there', async () => {
    const body = { team_id: 'menu', user_id: 'ada' }
    const { key } = await ok({ method: 'POST', path: '/key/generate', body })
    const { info } = await get('/key/info', key)
    const user = await get(`/user/info?user_id=${info.user_id}`, key)
    assert.deepEqual([user.user_info.user_id, user.user_info.spend], ['ada', 0])
    const team = user.teams.find((each: Json) => each.team_id === info.team_id)
    assert.deepEqual([team.team_alias, team.max_budget], ['Menu bar', 50])
  })
})

test("mngr's agents: one key under a fixed alias, used for Messages", async () => {
  assert.equal((await send({ method: 'GET', path: '/health/liveness' })).status, 200)
  const body = { key_alias: 'workspace-7', max_budget: 1, models: ['sonnet'] }
  const { key } = await ok({ method: 'POST', path: '/key/generate', body })
  const twice = await send({ method: 'POST', path: '/key/generate', body })
  assert.deepEqual([twice.status, twice.json.error.param], [400, 'key_alias'])
  const answer = await fetch(`${harness.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    body: JSON.stringify({ ...hello('sonnet'), max_tokens: 16 }),
  })
  assert.equal(answer.status, 200)
  assert.ok(Number(answer.headers.get('x-litellm-response-cost')) > 0)
})

test('a platform mints 100 keys of 0.05 USD in parallel, uses them, reads what they spent, deletes them', async () => {
  const made: Json[] = await Promise.all(
    Array.from({ length: 100 }, (_, run) =>
      ok({
        method: 'POST',
        path: '/key/generate',
        body: { key_alias: `run-${run}`, max_budget: 0.05, duration: '1h' },
      }),
    ),
  )
  assert.equal(new Set(made.map(({ key }) => key)).size, 100)
  await Promise.all(
    made.map(async ({ key }) => {
      const answer = await harness.chat(hello('chat', { max_tokens: 20 }), { authorization: `Bearer ${key}` })
      assert.equal(answer.status, 200, answer.text)
      const { info } = await ok({ method: 'GET', path: '/key/info', key })
      assert.equal(info.max_budget, 0.05)
      assert.ok(info.spend > 0 && info.spend <= 0.05)
      assert.equal(info.spend, Number(answer.headers.get('x-litellm-key-spend')))
    }),
  )
  const { deleted_keys } = await ok({ method: 'POST', path: '/key/delete', body: { keys: made.map(({ key }) => key) } })
  assert.equal(deleted_keys.length, 100)
  const last = await harness.chat(hello('chat'), { authorization: `Bearer ${made[99].key}` })
  assert.equal(last.status, 401)
})
