import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type MapOptions, mapConfig } from '../../../src/import/litellm/map-config.ts'
import { readLitellmFile } from '../../../src/import/litellm/read-file.ts'
import type { Kept, SourceModel } from '../../../src/import/litellm/source.ts'
import { wholeWeights } from '../../../src/import/litellm/weights.ts'
import { isClean, looserOf } from '../../../src/import/report.ts'
import { readBuiltinRegistry } from '../../../src/store/control/seed-registry.ts'

const builtin = readBuiltinRegistry()

async function map(yaml: string, more: Partial<MapOptions> = {}) {
  const source = await readLitellmFile('config.yaml', () => yaml)
  return mapConfig(source, {
    environment: { LITELLM_MASTER_KEY: 'sk-long-enough-for-a-key' },
    now: 0,
    builtin,
    ...more,
  })
}

describe('shares of a group as whole numbers', () => {
  const cases: [number[], number[], boolean][] = [
    [[0.7, 0.3, 0], [7, 3, 0], false],
    [[1, 1], [1, 1], false],
    [[600, 60], [10, 1], false],
    [[100_000, 1], [1000, 1], true],
    [[0, 0], [1, 1], true],
    [[-1, 2], [0, 1], false],
    [[0.333333, 0.666667], [500, 1000], true],
  ]
  for (const [shares, weights, isScaled] of cases) {
    test(shares.join(', '), () => assert.deepEqual(wholeWeights(shares), { weights, isScaled }))
  }
})

describe('a weight that LiteLLM never chooses by', () => {
  const member = (provider: string, weight: string) =>
    `  - { model_name: a, litellm_params: { model: ${provider}/m, weight: ${weight} } }`
  /** Of each deployment: how its weight is reported, and what is written. */
  async function weights(...given: string[]) {
    const providers = ['groq', 'mistral', 'moonshot']
    const yaml = given.map((weight, index) => member(providers[index] ?? '', weight))
    const { config, findings } = await map(`model_list:\n${yaml.join('\n')}`)
    const found = findings.filter(({ path }) => path.endsWith('.weight'))
    const [place] = config.workspaces?.['default']?.routes?.['a']?.chain ?? []
    const written = place !== undefined && 'members' in place ? place.members.map(({ weight }) => weight ?? 1) : []
    return { said: found.map(({ status, message }) => `${status}: ${message}`), written }
  }

  test('below 0: it counts as 0, and the shares beside it are only near', async () => {
    const { said, written } = await weights('-3', '5', '4')
    const beside = 'approximate: a weight below 0 beside it shifts the shares in LiteLLM; here it does not'
    assert.deepEqual(said, [
      'approximate: below 0: counted as 0, so it is asked only when the others cannot serve',
      beside,
      beside,
    ])
    assert.deepEqual(written, [0, 5, 4])
  })

  test('0: it is asked only when the others cannot serve', async () => {
    const { said, written } = await weights('0', '5')
    assert.deepEqual(said, [
      'approximate: 0: asked when the others cannot serve; LiteLLM asks it only while they cool down',
      'exact: ',
    ])
    assert.deepEqual(written, [0, 1])
  })

  test('in sum 0 or less: LiteLLM ignores them, and so does the import', async () => {
    const ignored = 'approximate: ignored: LiteLLM takes no weights that add up to 0 or less'
    assert.deepEqual(await weights('-3', '2'), { said: [ignored, ignored], written: [1, 1] })
    assert.deepEqual(await weights('0', '0'), { said: [ignored, ignored], written: [1, 1] })
    assert.deepEqual(await weights('-3'), { said: [ignored], written: [] })
  })

  test('a text: it counts as 0 until it is a number', async () => {
    const { said, written } = await weights('heavy', '5')
    assert.deepEqual(said, ['manual: is not a number; until then it counts as 0', 'exact: '])
    assert.deepEqual(written, [0, 1])
    const unset = await weights('os.environ/NOT_SET_HERE', '5')
    assert.deepEqual(unset, {
      said: ['manual: a number is needed now: set NOT_SET_HERE and import again; until then it counts as 0', 'exact: '],
      written: [0, 1],
    })
  })
})

describe('a secret is reported as it was kept where it was read', () => {
  const place = 'database:LiteLLM_ProxyModelTable/m1'
  const stored = (kept: Kept): SourceModel => ({
    ...{ name: 'a', info: {}, rest: {}, path: place, source: place, at: () => place, kept: () => kept },
    params: { model: 'openai/gpt-4o', api_key: 'sk-of-a-provider', extra_headers: { 'x-token': 'of-a-header' } },
  })
  for (const kept of ['encrypted in the database', 'in clear in the database'] as const) {
    test(kept, async () => {
      const source = { ...(await readLitellmFile('config.yaml', () => '{}')), models: [stored(kept)] }
      const { findings, variables } = mapConfig(source, { environment: {}, now: 0, builtin })
      const said = findings.filter(({ message }) => message.includes('not copied')).map(({ message }) => message)
      assert.deepEqual(said, [
        `is ${kept}: not copied; set LITELLM_OPENAI_API_KEY`,
        `is ${kept}: not copied; set LITELLM_OPENAI_X_TOKEN`,
      ])
      assert.deepEqual([...new Set(variables.map(({ why }) => why))], [kept])
    })
  }
})

const KIMI = 'model_list: [{ model_name: kimi, litellm_params: { model: moonshot/kimi-k2 } }]'

test('a model without a price is named, and its price is taken from the list that was given', async () => {
  const without = await map(KIMI)
  assert.match(
    without.findings.find(({ path }) => path === 'routes.kimi')?.message ?? '',
    /^no price for moonshot\/kimi-k2/,
  )
  const row = { litellm_provider: 'moonshot', input_cost_per_token: 6e-7, output_cost_per_token: 2.5e-6, mode: 'chat' }
  const priced = await map(KIMI, { prices: { 'moonshot/kimi-k2': row } })
  assert.equal(
    priced.findings.find(({ path }) => path === 'routes.kimi'),
    undefined,
  )
  assert.deepEqual(priced.config.registry, [
    { provider: 'moonshot', model: 'kimi-k2', input_per_mtok: '0.6', output_per_mtok: '2.5', mode: 'chat' },
  ])
  assert.equal(isClean(priced.findings), true)
})

test('a price that one deployment states holds for the model, whichever route calls it', async () => {
  const { config, findings } = await map(`
model_list:
  - { model_name: a, litellm_params: { model: moonshot/kimi-k2, input_cost_per_token: 6e-7, output_cost_per_token: 2.5e-6 } }
  - { model_name: b, litellm_params: { model: moonshot/kimi-k2 } }`)
  assert.equal(config.registry?.length, 1)
  assert.deepEqual(
    findings.filter(({ path }) => path.startsWith('routes.')),
    [],
  )
})

test('a price of the list that is the shipped one is not written again; another one is, and said', async () => {
  const file = 'model_list: [{ model_name: a, litellm_params: { model: openai/gpt-4o } }]'
  const shipped = builtin.models.find(({ facts }) => facts.provider === 'openai' && facts.model === 'gpt-4o')?.prices
  const row = (input: number) => ({
    'gpt-4o': {
      litellm_provider: 'openai',
      input_cost_per_token: input,
      output_cost_per_token: Number(shipped?.output_per_mtok) / 1e6,
    },
  })
  const same = await map(file, { prices: row(Number(shipped?.input_per_mtok) / 1e6) })
  assert.equal(same.config.registry, undefined)
  const other = await map(file, { prices: row(1e-6) })
  assert.equal(other.config.registry?.[0]?.input_per_mtok, '1')
  assert.match(other.findings.find(({ path }) => path === 'registry.openai/gpt-4o')?.message ?? '', /^1 and /)
})

test('limits for all calls are those of the workspace only where there is one', async () => {
  const file = `${KIMI}\nlitellm_settings: { max_budget: 10 }\ngeneral_settings: { global_max_parallel_requests: 5 }`
  const one = await map(file)
  assert.deepEqual(one.config.workspaces?.['default']?.limits, {
    budget: { usd: '10', per: 'total', mode: 'hard', when_tight: 'fit' },
    max_parallel: 5,
  })
  const several = await map(file, { isOnlyWorkspace: false })
  assert.equal(several.config.workspaces?.['default']?.limits, undefined)
  assert.deepEqual(
    looserOf(several.findings).map(({ path }) => path),
    ['litellm_settings.max_budget', 'general_settings.global_max_parallel_requests'],
  )
})

test('the master key is known by its hash; a short one is flagged, none at all is said', async () => {
  const short = await map(`${KIMI}\ngeneral_settings: { master_key: sk-1234 }`)
  assert.equal(short.masterKey?.isGuessable, true)
  assert.equal(short.masterKey?.hash.length, 64)
  assert.doesNotMatch(JSON.stringify(short), /sk-1234/)
  const none = await map(KIMI, { environment: {} })
  assert.equal(none.masterKey, null)
  assert.equal(none.findings.find(({ path }) => path === 'general_settings.master_key')?.direction, 'tighter')
})

test("a team's own model is no route of the file, but known for the team's workspace", async () => {
  const file = `
model_list:
  - model_name: internal
    litellm_params: { model: openai/gpt-4o }
    model_info: { team_id: t1, team_public_model_name: ours, id: m1, access_groups: [beta] }`
  const { config, routes } = await map(file)
  assert.deepEqual(config.workspaces?.['default']?.routes, {})
  const { alias, teamId, modelIds, accessGroups, entries } = routes.get('t1:ours') ?? {}
  assert.deepEqual(
    { alias, teamId, modelIds, accessGroups, entries },
    {
      alias: 'ours',
      teamId: 't1',
      modelIds: ['m1'],
      accessGroups: ['beta'],
      entries: [{ provider: 'openai', model: 'gpt-4o' }],
    },
  )
})

describe('models of other endpoints', () => {
  const model = (name: string, mode: string, info: string) =>
    `  - { model_name: ${name}, litellm_params: { model: openai/${name}, api_base: "https://own.example/v1", api_key: k }, model_info: { mode: ${mode}, ${info} } }`

  test('are routes, with their prices by unit; time has a price per second, as the list rounds it', async () => {
    const { config, findings } = await map(`model_list:
${model('draws', 'image_generation', 'output_cost_per_image: 0.04')}
${model('hears', 'audio_transcription', 'input_cost_per_second: 0.0001, output_cost_per_second: 0.0001')}
${model('says', 'audio_speech', 'input_cost_per_character: 0.000015')}
${model('ranks', 'rerank', 'input_cost_per_query: 0.002')}
${model('goes-on', 'completion', 'input_cost_per_token: 0.000001, output_cost_per_token: 0.000002')}
${model('judges', 'moderation', 'input_cost_per_token: 0, output_cost_per_token: 0')}`)
    assert.deepEqual(Object.keys(config.workspaces?.['default']?.routes ?? {}), [
      ...['draws', 'hears', 'says', 'ranks', 'goes-on', 'judges'],
    ])
    const prices = config.registry?.map(({ model, mode, unit_prices, input_per_mtok }) => [
      ...[
        model,
        mode,
        unit_prices?.map(({ name, unit, usd_per_1000 }) => [name, unit, usd_per_1000]) ?? input_per_mtok,
      ],
    ])
    assert.deepEqual(prices, [
      ['draws', 'image_generation', [['image', 'image', '40']]],
      ['hears', 'audio_transcription', [['audio_input', 'audio_second', '0.1']]],
      ['says', 'audio_speech', [['character', 'character', '0.015']]],
      ['ranks', 'rerank', [['search_unit', 'search', '2']]],
      ['goes-on', 'completion', '1'],
      ['judges', 'moderation', '0'],
    ])
    const rounded = findings.filter(({ path, status }) => path.endsWith('_per_second') && status === 'approximate')
    assert.equal(rounded.length, 2)
    assert.deepEqual(
      findings.filter(({ path }) => path.startsWith('routes.')),
      [],
    )
  })

  test('without a price of their own have that of the shipped list', async () => {
    const { findings } = await map(
      'model_list: [{ model_name: hears, litellm_params: { model: openai/whisper-1, api_key: k } }]',
    )
    assert.deepEqual(
      findings.filter(({ path }) => path.startsWith('routes.')),
      [],
    )
  })

  test('of a mode that has no endpoint are left out', async () => {
    const { findings } = await map(`model_list:\n${model('films', 'video_generation', 'id: x')}`)
    assert.match(JSON.stringify(findings), /models of the mode video_generation are not served here/)
  })
})
