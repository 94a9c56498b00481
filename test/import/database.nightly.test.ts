import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import pg from 'pg'
import type { Finding } from '../../src/import/finding.ts'
import { type DatabaseOptions, importDatabase } from '../../src/import/litellm/database/import-database.ts'
import type { MovedKey } from '../../src/import/litellm/database/keys.ts'
import type { MappedConfig } from '../../src/import/litellm/mapped-config.ts'
import type { LitellmSource } from '../../src/import/litellm/source.ts'
import { AdoptedKey } from '../../src/management/contract/keys.ts'
import { startPostgres } from '../postgres.ts'
import { insert, litellmPython, madeByLitellm, migrate } from './litellm-database.ts'

const found = litellmPython()
const missing = 'missing' in found ? found.missing : null
if (missing !== null && process.env['CI']) assert.fail(missing)
const python = 'python' in found ? found.python : ''

const server = missing === null ? await startPostgres() : null
after(() => server?.stop())

const NOW = Date.parse('2026-11-18T13:00:00Z')
const MONTH_END = '2026-12-01 00:00:00'
const SALT = 'sk-salt-example-000000'
const section = (path: string) => ({ values: {}, path, at: () => 'config.yaml:1' })
const nothingRead = (): LitellmSource => ({
  models: [],
  credentials: [],
  general: section('general_settings'),
  router: section('router_settings'),
  litellm: section('litellm_settings'),
  environment: section('environment_variables'),
  rest: section(''),
})

/** A configuration with three routes, and what the mapping was given. */
function stubbed() {
  const seen: { source: LitellmSource | null } = { source: null }
  const route = (alias: string, accessGroups: string[]) => {
    const definition = { shared: true, chain: [{ provider: 'openai', model: 'gpt-4o' }] }
    return { alias, mode: 'chat', accessGroups, teamId: null, modelIds: [], entries: [], definition }
  }
  const mapConfig = (source: LitellmSource): MappedConfig => {
    seen.source = source
    const chain = [{ provider: 'openai', model: 'gpt-4o' }]
    const routes = { chat: { shared: true, chain }, mini: { shared: true, chain }, big: { shared: true, chain } }
    return {
      config: { workspaces: { default: { routes } } },
      findings: [],
      variables: [],
      routes: new Map([
        ['chat', route('chat', [])],
        ['mini', route('mini', ['cheap'])],
        ['big', route('big', [])],
      ]),
      masterKey: null,
    }
  }
  return { seen, mapConfig }
}

async function read(address: string, more: Partial<DatabaseOptions> = {}) {
  const { seen, mapConfig } = stubbed()
  const options = { address, saltKey: SALT, strict: false, now: NOW, taken: [], mapConfig, ...more }
  const imported = await importDatabase(nothingRead(), options)
  const keys: MovedKey[] = []
  for await (const page of imported.keys()) keys.push(...page)
  await imported.close()
  for (const key of keys) AdoptedKey.parse(key)
  return { ...imported, all: keys, seen, byName: new Map(keys.map((key) => [key.name, key])) }
}

const summary = ({ path, status, direction }: Finding) => `${path} ${status} ${direction}`

const TEAMS = {
  LiteLLM_BudgetTable: [
    { budget_id: 'b1', max_budget: 7, budget_duration: '7d', tpm_limit: 900, created_by: 'x', updated_by: 'x' },
    { budget_id: 'b2', max_budget: 3, created_by: 'x', updated_by: 'x' },
  ],
  LiteLLM_OrganizationTable: [
    {
      organization_id: 'o1',
      organization_alias: 'Labs',
      budget_id: 'b1',
      models: ['chat', 'mini'],
      created_by: 'x',
      updated_by: 'x',
    },
  ],
  LiteLLM_ModelTable: [{ id: 1, aliases: { fast: 'mini', gone: 'nowhere' }, created_by: 'x', updated_by: 'x' }],
  LiteLLM_TeamTable: [
    {
      team_id: 't-search-0001',
      team_alias: 'Search',
      max_budget: 100,
      budget_duration: '30d',
      budget_reset_at: MONTH_END,
      spend: 12.5,
      models: ['cheap', 'chat'],
      rpm_limit: 500,
      model_id: 1,
    },
    { team_id: 't-search-0002', team_alias: 'search', blocked: true },
    { team_id: 't-labs', team_alias: 'Labs', organization_id: 'o1' },
  ],
  LiteLLM_UserTable: [
    { user_id: 'ada', max_budget: 20, models: ['big', 'chat'] },
    { user_id: 'bob', max_budget: 4, spend: 1 },
  ],
  LiteLLM_TeamMembership: [{ user_id: 'eve', team_id: 't-search-0001', budget_id: 'b2', spend: 0.25 }],
}

const rowsOf = (hashes: Record<string, string>) => ({
  ...TEAMS,
  LiteLLM_VerificationToken: [
    { token: hashes['sk-plain'], key_alias: 'plain', key_name: 'sk-...lain', models: [] },
    {
      token: hashes['sk-budget'],
      key_alias: 'with budget',
      team_id: 't-search-0001',
      user_id: 'eve',
      max_budget: 50,
      budget_duration: '30d',
      budget_reset_at: MONTH_END,
      spend: 49.5,
      expires: '2027-01-01 00:00:00',
      metadata: { tags: ['a'], callback_vars: { key: 'sealed' } },
    },
    { token: hashes['sk-named'], key_alias: 'named', budget_id: 'b1', models: ['mini'], blocked: true, spend: 2 },
    { token: hashes['sk-ada-1'], key_alias: 'one', user_id: 'ada' },
    { token: hashes['sk-ada-2'], key_alias: 'one', user_id: 'ada', models: ['big', 'mini'] },
    { token: hashes['sk-bob'], key_alias: 'bobs', user_id: 'bob' },
    { token: hashes['sk-other'], key_alias: 'other', team_id: 't-search-0002', allowed_routes: ['/embeddings'] },
    { token: hashes['sk-calls'], key_alias: 'calls', team_id: 't-labs', allowed_routes: ['llm_api_routes'] },
    { token: hashes['sk-expired'], key_alias: 'expired', expires: '2026-01-01 00:00:00' },
    { token: hashes['sk-session'], team_id: 'litellm-dashboard' },
    { token: 'sk-in-clear-of-an-old-version' },
  ],
})

describe('the database of LiteLLM', { skip: missing ?? false }, () => {
  const values = ['plain', 'budget', 'named', 'ada-1', 'ada-2', 'bob', 'other', 'calls', 'expired', 'session', 'before']
  const secrets = ['openai/gpt-4o', 'sk-provider-secret', 'os.environ/AZURE_KEY']
  const { hashes, sealed } =
    missing === null
      ? madeByLitellm(python, { hash: values.map((value) => `sk-${value}`), seal: secrets, salt: SALT })
      : { hashes: {}, sealed: {} }

  async function fresh(before: string): Promise<string> {
    const url = await server?.createDatabase()
    await migrate(url ?? '', python, before)
    return url ?? ''
  }

  for (const before of ['20250401', '20251215', '20260901', '99999999']) {
    test(`keys, teams and budgets, as of the migrations before ${before}`, async () => {
      const url = await fresh(before)
      const { LiteLLM_TeamMembership, ...rows } = rowsOf(hashes)
      await insert(url, { ...rows, LiteLLM_TeamMembership })
      const { byName, all, workspaces, counts, mapped, findings } = await read(url)
      assert.deepEqual(counts, { keys: 11, moved: 9 })
      assert.deepEqual(
        workspaces.map(({ name, limits, opening }) => [name, limits?.budget?.usd, limits?.budget?.per, opening]),
        [
          ['Search', '100', 'month', '12.5'],
          ['search-t-search', undefined, undefined, null],
          ['Labs', '7', 'week', null],
          ['user-ada', '20', 'total', null],
        ],
      )
      assert.deepEqual(mapped.config.workspaces?.['Search']?.routes, {
        fast: { chain: [{ provider: 'openai', model: 'gpt-4o' }] },
      })
      const budget = byName.get('with-budget')
      assert.deepEqual(
        [
          budget?.workspace,
          budget?.limits?.budget?.usd,
          budget?.limits?.budget?.when_tight,
          budget?.opening_spend?.usd,
        ],
        // The budget of the member is for ever, the key's for a month: both cannot be one.
        ['Search', '50', 'fit', '49.5'],
      )
      assert.deepEqual(budget?.allowed_models, ['mini', 'chat'])
      assert.equal(budget?.expires_at, '2027-01-01T00:00:00.000Z')
      assert.deepEqual(budget?.note, { key_alias: 'with budget', user_id: 'eve', budget_duration: '30d', tags: ['a'] })
      const named = byName.get('named')
      assert.deepEqual(named?.limits, { tpm: 900, budget: { usd: '7', per: 'week', mode: 'hard', when_tight: 'fit' } })
      assert.deepEqual([named?.paused, named?.allowed_models, named?.opening_spend?.usd], [true, ['mini'], '2'])
      const [first, second] = all.filter(({ workspace }) => workspace === 'user-ada')
      assert.deepEqual(
        [first?.allowed_models, second?.allowed_models].toSorted(),
        [['big', 'chat'], ['big']].toSorted(),
      )
      assert.ok(
        byName.has('one') && byName.has(`one-${all.find(({ name }) => name.startsWith('one-'))?.hash.slice(0, 4)}`),
      )
      assert.deepEqual(byName.get('bobs')?.opening_spend?.usd, '1')
      assert.equal(byName.get('other')?.paused, true)
      assert.deepEqual(byName.get('calls')?.allowed_models, ['chat', 'mini'])
      assert.equal(byName.get('plain')?.prefix, 'sk-...lain')
      assert.equal(byName.get('plain')?.hash, hashes['sk-plain'])
      const said = findings.map(summary)
      assert.ok(said.includes('LiteLLM_TeamMembership.budget_id unsupported looser'), said.join('\n'))
      assert.equal(said.includes('allowed_routes unsupported looser'), before > '20250415')
      assert.ok(findings.some(({ message }) => message.includes('the last migration of this database is 20')))
      assert.doesNotMatch(JSON.stringify([findings, all]), /sk-in-clear|sealed/)
    })
  }

  test('a value that was replaced works until it is revoked there', async () => {
    const url = await fresh('20260901')
    await insert(url, {
      LiteLLM_VerificationToken: [{ token: hashes['sk-plain'], key_alias: 'rotated' }],
      LiteLLM_DeprecatedVerificationToken: [
        { id: 'd1', token: hashes['sk-before'], active_token_id: hashes['sk-plain'], revoke_at: '2026-11-19 00:00:00' },
        { id: 'd2', token: hashes['sk-bob'], active_token_id: hashes['sk-plain'], revoke_at: '2026-11-01 00:00:00' },
      ],
    })
    const { all } = await read(url)
    assert.deepEqual(all[0]?.earlier_values, [{ hash: hashes['sk-before'], ends_at: '2026-11-19T00:00:00.000Z' }])
  })

  test('models, credentials and settings are opened with the salt key, and over those of the file', async () => {
    const url = await fresh('20260901')
    const by = { created_by: 'x', updated_by: 'x' }
    await insert(url, {
      LiteLLM_ProxyModelTable: [
        {
          model_id: 'm1',
          model_name: 'chat',
          model_info: { mode: 'chat' },
          ...by,
          litellm_params: {
            model: sealed['openai/gpt-4o'],
            api_key: sealed['sk-provider-secret'],
            rpm: 5,
            api_base: 'http://plain',
          },
        },
        {
          model_id: 'm2',
          model_name: 'as text',
          litellm_params: JSON.stringify(JSON.stringify({ model: 'openai/old' })),
          ...by,
        },
      ],
      LiteLLM_CredentialsTable: [
        {
          credential_id: 'c1',
          credential_name: 'azure',
          credential_values: { api_key: sealed['os.environ/AZURE_KEY'] },
          ...by,
        },
      ],
      LiteLLM_Config: [{ param_name: 'router_settings', param_value: { num_retries: 3, fallbacks: [] } }],
    })
    const { seen, findings } = await read(url)
    const [model, old] = seen.source?.models ?? []
    assert.deepEqual(
      [model?.params, model?.info, model?.source],
      [
        { model: 'openai/gpt-4o', api_key: 'sk-provider-secret', rpm: 5, api_base: 'http://plain' },
        { id: 'm1', mode: 'chat' },
        'database:LiteLLM_ProxyModelTable/m1',
      ],
    )
    assert.deepEqual(
      ['api_key', 'api_base'].map((name) => model?.kept?.(name)),
      ['encrypted in the database', 'in clear in the database'],
    )
    assert.equal(seen.source?.credentials[0]?.kept?.('api_key'), 'encrypted in the database')
    assert.deepEqual(old?.params, { model: 'openai/old' })
    assert.deepEqual(seen.source?.credentials[0]?.values, { api_key: 'os.environ/AZURE_KEY' })
    assert.deepEqual(seen.source?.router.values, { num_retries: 3 })
    assert.equal(seen.source?.router.at('num_retries'), 'database:LiteLLM_Config/router_settings')
    assert.ok(findings.every(({ status }) => status === 'exact'))
    const locked = await read(url, { saltKey: 'wrong' })
    assert.ok(locked.findings.some(({ message }) => message.startsWith('the salt key does not open 3 of 3 values')))
    assert.deepEqual(
      locked.seen.source?.models.map(({ name }) => name),
      ['as text'],
    )
  })

  test('reads only, and says what is half done', async () => {
    const url = await fresh('20250401')
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`insert into "_prisma_migrations" values ('20250402_half', null, null)`)
    const role = `reader_${process.pid}`
    await client.query(`create role ${role} login; grant select on all tables in schema public to ${role}`)
    await client.end()
    const reader = new URL(url)
    reader.username = role
    const { findings } = await read(reader.href)
    assert.ok(findings.some(({ status, message }) => status === 'manual' && message.includes('20250402_half')))
    const other = new URL(url)
    other.searchParams.set('schema', 'elsewhere')
    await assert.rejects(read(other.href), /no table "LiteLLM_VerificationToken" in the schema 'elsewhere'/)
  })

  test('looser keys are paused where that is asked for', async () => {
    const url = await fresh('20260901')
    await insert(url, {
      LiteLLM_VerificationToken: [{ token: hashes['sk-plain'], key_alias: 'p', allowed_routes: ['/x'] }],
    })
    assert.equal((await read(url)).all[0]?.paused, undefined)
    assert.equal((await read(url, { strict: true })).all[0]?.paused, true)
  })
})
