import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { cliOf } from '../cli/run-cli.ts'
import { type Harness, hello, type Json, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { startPostgres } from '../postgres.ts'
import { insert, litellmPython, madeByLitellm, migrate } from './litellm-database.ts'

const found = litellmPython()
const missing = 'missing' in found ? found.missing : null
if (missing !== null && process.env['CI']) assert.fail(missing)
const python = 'python' in found ? found.python : ''
const SALT = 'sk-salt-of-this-test'
const SECRET = 'sk-provider-in-the-database'
const MASTER = 'sk-master-of-this-test-0001'

const server = missing === null ? await startPostgres() : null
const harness: Harness | null =
  missing === null ? await startHarness({ environment: { SECRETS_KEY: 'a-key-for-what-is-stored' } }) : null
after(() => Promise.all([server?.stop(), harness?.stop()]))

describe('a LiteLLM installation moves in', { skip: missing ?? false }, () => {
  const gateway = () => harness as Harness
  const manage = managing(gateway)
  const cli = cliOf(() => gateway().url)
  const values = [
    'sk-search-app-000001',
    'sk-nearly-spent-0001',
    'sk-blocked-key-00001',
    'sk-only-mini-0000001',
    MASTER,
  ]
  const address = () => gateway().simulator.openaiUrl
  const config = () => `
model_list:
  - { model_name: chat, litellm_params: { model: openai/gpt-sim-echo, api_base: ${address()}, api_key: os.environ/SIM_KEY, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }, model_info: { max_input_tokens: 100000, max_output_tokens: 4000 } }
  - { model_name: mini, litellm_params: { model: openai/gpt-sim-echo, api_base: ${address()}, api_key: os.environ/SIM_KEY } }
general_settings: { master_key: os.environ/LITELLM_MASTER_KEY }
`
  let url = ''
  const environment = { SIM_KEY: 'sk-sim', LITELLM_MASTER_KEY: MASTER }
  const run = (more: string) =>
    cli(`import litellm config.yaml --database ${url} --salt-key-file salt ${more}`, {
      folder: gateway().folder,
      environment,
    })
  const call = (value: string, model: string, more: Json = {}) =>
    gateway().chat(hello(model, more), { authorization: `Bearer ${value}` })

  test('its database, made by its own migrations and functions', async () => {
    const { hashes, sealed } = madeByLitellm(python, {
      hash: values,
      seal: ['openai/gpt-sim-echo', SECRET],
      salt: SALT,
    })
    url = (await server?.createDatabase()) ?? ''
    await migrate(url, python, '99999999')
    const month = { budget_duration: '30d' }
    await insert(url, {
      LiteLLM_TeamTable: [{ team_id: 't1', team_alias: 'Search', max_budget: 100, spend: 12.5, ...month }],
      LiteLLM_ProxyModelTable: [
        {
          model_id: 'm1',
          model_name: 'stored',
          litellm_params: { model: sealed['openai/gpt-sim-echo'], api_key: sealed[SECRET], api_base: address() },
          created_by: 'x',
          updated_by: 'x',
        },
      ],
      LiteLLM_VerificationToken: [
        {
          token: hashes[values[0] ?? ''],
          key_alias: 'search-app',
          team_id: 't1',
          max_budget: 5,
          spend: 1.25,
          ...month,
        },
        { token: hashes[values[1] ?? ''], key_alias: 'spent', max_budget: 1, spend: 0.99999, ...month },
        { token: hashes[values[2] ?? ''], key_alias: 'blocked', blocked: true, expires: '2099-01-01 00:00:00' },
        { token: hashes[values[3] ?? ''], key_alias: 'only mini', models: ['mini'] },
      ],
    })
    writeFileSync(join(gateway().folder, 'config.yaml'), config())
    writeFileSync(join(gateway().folder, 'salt'), SALT)
  })

  test('a dry run reports and changes nothing', async () => {
    const { code, stdout, stderr } = await run('')
    assert.ok(code === 0 || code === 3, stderr)
    assert.match(stdout, /1 workspaces and 4 keys can move in with --apply\./)
    assert.match(
      stdout,
      /litellm_params\.api_key +is encrypted in the database: not copied; set LITELLM_OPENAI_API_KEY/,
    )
    assert.doesNotMatch(stdout, /in clear/)
    assert.doesNotMatch(stdout + stderr, new RegExp(`${SECRET}|${values.join('|')}`))
    assert.deepEqual((await manage('GET', '/keys?search=spent')).json.data, [])
  })

  test('applied, the values of its keys work with their budgets, spend and models', async () => {
    const { code, stdout, stderr } = await run('--apply --accept looser --yes')
    assert.equal(code, 0, stdout + stderr)
    assert.doesNotMatch(stdout + stderr, new RegExp(`${SECRET}|${values.join('|')}`))
    const served = await call(values[0] ?? '', 'chat')
    assert.equal(served.status, 200, served.text)
    assert.equal((await call(values[0] ?? '', 'stored')).status, 402, 'a hard budget needs a price')
    const { json } = await gateway().get('/v1/key', { authorization: `Bearer ${values[0]}` })
    assert.match(JSON.stringify(json), /"1\.25/)
    const spent = await call(values[1] ?? '', 'chat', { max_tokens: 400 })
    assert.equal(spent.status, 402, spent.text)
    assert.equal((await call(values[2] ?? '', 'chat')).status, 403)
    assert.equal((await call(values[3] ?? '', 'chat')).status, 403)
    assert.equal((await call(values[3] ?? '', 'mini')).status, 200)
    assert.equal((await call(MASTER, 'stored')).status, 200)
    assert.equal((await call(MASTER, 'openai/gpt-sim-echo')).status, 404, 'LiteLLM serves its list of models only')
    assert.equal((await manage('GET', '/workspaces/Search')).json.opening_spend.usd, '12.5')
    assert.deepEqual((await manage('POST', '/verify')).json.differences, [])
  })

  test('again, nothing changes', async () => {
    const { code, stdout, stderr } = await run('--apply --accept looser --yes')
    assert.equal(code, 0, stdout + stderr)
    assert.match(stderr, /Workspaces: 0 to create, 0 with other spend, 1 up to date\./)
    assert.match(stderr, /Keys: 0 to create, 0 to update, 4 up to date\./)
    assert.match(stdout, /Nothing to change\.|^0 changed/m)
  })

  test('a master key that was revoked here stays revoked, and the rest still moves', async () => {
    const { data } = (await manage('GET', '/keys?search=litellm-master&workspace=default')).json
    await manage('DELETE', `/keys/${data[0].id}`)
    const { code, stdout, stderr } = await run('--apply --accept looser --yes')
    assert.equal(code, 0, stdout + stderr)
    assert.match(stderr, /The master key was not moved: The key was revoked here\./)
    assert.match(stderr, /Keys: 0 to create, 0 to update, 4 up to date\./)
    assert.equal((await call(MASTER, 'stored')).status, 401)
  })

  test('a key of the same name is no reason to leave the master key behind', async () => {
    const other = 'sk-another-master-000002'
    await manage('POST', '/keys?workspace=default', { name: 'litellm-master' })
    const { code, stderr } = await cli(`import litellm config.yaml --apply --yes --accept looser`, {
      folder: gateway().folder,
      environment: { ...environment, LITELLM_MASTER_KEY: other },
    })
    assert.equal(code, 0, stderr)
    assert.match(stderr, /works for callers as the key litellm-master-[0-9a-f]{4},/)
    assert.equal((await call(other, 'mini')).status, 200)
  })

  test('what is wrong is said in a line', async () => {
    const folder = gateway().folder
    for (const [line, message] of [
      ['--database mysql://x', /--database is the address of a database/],
      [`--database ${url.replace(/\/test_\d+/, '/nowhere')}`, /--database: database "nowhere" does not exist/],
      [`--database ${server?.url}`, /there is no table "LiteLLM_VerificationToken"/],
      ['--salt-key-file salt', /--salt-key-file is for --database/],
    ] as const) {
      const { code, stderr } = await cli(`import litellm config.yaml ${line}`, { folder, environment })
      assert.equal(code, 2, stderr)
      assert.match(stderr, message)
    }
  })
})
