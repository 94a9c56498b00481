import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stringify } from 'yaml'
import { type FileConfig, FileConfigSchema } from '../../src/domain/file-config.ts'
import { mapConfig } from '../../src/import/litellm/map-config.ts'
import { readLitellmFile } from '../../src/import/litellm/read-file.ts'
import { writeLitellmConfig } from '../../src/import/litellm/write-config.ts'

const provider = (name: string, family: string, more: object = {}) => ({
  name,
  family,
  preset: null,
  base_url: null,
  settings: {},
  ...more,
})
const PROVIDERS = [
  provider('openai', 'openai'),
  provider('anthropic', 'anthropic'),
  provider('groq', 'openai', { preset: 'groq' }),
  provider('mine', 'openai', { base_url: 'http://10.0.0.5:8000/v1' }),
  provider('aws', 'bedrock', { settings: { region: 'eu-west-1' } }),
]

const CONFIG: Pick<FileConfig, 'providers' | 'workspaces'> = FileConfigSchema.parse({
  providers: { mine: { family: 'openai', base_url: 'http://10.0.0.5:8000/v1', api_key: '${MINE_KEY}' } },
  workspaces: {
    other: {
      routes: {
        everywhere: { shared: true, chain: [{ provider: 'groq', model: 'llama' }] },
        own: { chain: [{ provider: 'groq', model: 'x' }] },
      },
    },
    default: {
      routes: {
        chat: {
          defaults: { temperature: 0.2 },
          cache: { ttl_seconds: 60 },
          chain: [
            {
              balance: 'weighted',
              members: [
                { provider: 'openai', model: 'gpt-4o', weight: 3, timeout_ms: 30_000 },
                { provider: 'mine', model: 'gpt-4o', weight: 1, retries: 0 },
              ],
            },
            { provider: 'anthropic', model: 'claude-sonnet-4-5', max_output_tokens: 500 },
            { provider: 'aws', model: 'amazon.nova-pro-v1:0', hedge_after_ms: 900 },
          ],
        },
      },
    },
  },
})

test('routes and providers as LiteLLM has them, and what it has no words for', () => {
  const { config, left } = writeLitellmConfig(CONFIG, PROVIDERS, 'default')
  assert.deepEqual(
    config.model_list.map(({ model_name, litellm_params }) => [model_name, litellm_params]),
    [
      ['everywhere', { model: 'groq/llama', api_key: 'os.environ/GROQ_API_KEY' }],
      [
        'chat',
        { model: 'openai/gpt-4o', api_key: 'os.environ/OPENAI_API_KEY', timeout: 30, weight: 3, temperature: 0.2 },
      ],
      [
        'chat',
        {
          model: 'openai/gpt-4o',
          api_key: 'os.environ/MINE_KEY',
          api_base: 'http://10.0.0.5:8000/v1',
          num_retries: 0,
          weight: 1,
          temperature: 0.2,
        },
      ],
      [
        'chat (2)',
        {
          model: 'anthropic/claude-sonnet-4-5',
          api_key: 'os.environ/ANTHROPIC_API_KEY',
          max_tokens: 500,
          temperature: 0.2,
        },
      ],
      [
        'chat (3)',
        {
          model: 'bedrock/amazon.nova-pro-v1:0',
          api_key: 'os.environ/AWS_BEARER_TOKEN_BEDROCK',
          aws_region_name: 'eu-west-1',
          temperature: 0.2,
        },
      ],
    ],
  )
  assert.deepEqual(config.router_settings, { fallbacks: [{ chat: ['chat (2)', 'chat (3)'] }] })
  assert.deepEqual(left, ["route 'chat': hedge_after_ms", "route 'chat': its cache"])
})

test('what is exported can be imported again', async () => {
  const text = stringify(writeLitellmConfig(CONFIG, PROVIDERS, 'default').config)
  const source = await readLitellmFile('config.yaml', () => text)
  const { config } = mapConfig(source, { environment: {}, now: 0 })
  const chain = config.workspaces?.['default']?.routes?.['chat']?.chain ?? []
  const models = chain.flatMap((place) => ('members' in place ? place.members : [place])).map(({ model }) => model)
  assert.deepEqual(models, ['gpt-4o', 'gpt-4o', 'claude-sonnet-4-5', 'amazon.nova-pro-v1:0'])
})
