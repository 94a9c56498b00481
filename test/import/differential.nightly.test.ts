import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { cliOf } from '../cli/run-cli.ts'
import { type Answered, type Harness, type Json, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { litellmPython } from './litellm-database.ts'
import { type LitellmProxy, startLitellm } from './litellm-proxy.ts'

const found = litellmPython()
const missing = 'missing' in found ? found.missing : null
if (missing !== null && process.env['CI']) assert.fail(missing)

const MASTER = 'sk-master-of-the-differential'
const environment = { LITELLM_MASTER_KEY: MASTER, SIM_KEY: 'sk-simulated' }

const config = (openai: string, anthropic: string) => `
model_list:
  - model_name: chat
    litellm_params: { model: openai/gpt-sim-echo, api_base: ${openai}, api_key: os.environ/SIM_KEY, input_cost_per_token: 0.000003, output_cost_per_token: 0.000015 }
  - model_name: cached
    litellm_params: { model: openai/gpt-sim-cached-4, api_base: ${openai}, api_key: os.environ/SIM_KEY, input_cost_per_token: 0.000003, output_cost_per_token: 0.000015, cache_read_input_token_cost: 0.0000003 }
  - model_name: shared load
    litellm_params: { model: openai/gpt-sim-big-usage-100-7, api_base: ${openai}, api_key: os.environ/SIM_KEY, weight: 3, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
  - model_name: shared load
    litellm_params: { model: openai/gpt-sim-big-usage-200-7, api_base: ${openai}, api_key: os.environ/SIM_KEY, weight: 0, input_cost_per_token: 0.000001, output_cost_per_token: 0.000002 }
  - model_name: rests
    litellm_params: { model: openai/gpt-sim-500, api_base: ${openai}, api_key: os.environ/SIM_KEY }
  - model_name: limited
    litellm_params: { model: openai/gpt-sim-429, api_base: ${openai}, api_key: os.environ/SIM_KEY }
  - model_name: refused
    litellm_params: { model: openai/gpt-sim-400, api_base: ${openai}, api_key: os.environ/SIM_KEY }
  - model_name: claude
    litellm_params: { model: anthropic/claude-sim-echo, api_base: ${anthropic}, api_key: os.environ/SIM_KEY, input_cost_per_token: 0.000003, output_cost_per_token: 0.000015 }
  - model_name: vectors
    litellm_params: { model: openai/text-embedding-sim-echo, api_base: ${openai}, api_key: os.environ/SIM_KEY, input_cost_per_token: 0.00000002, output_cost_per_token: 0 }
    model_info: { mode: embedding }
router_settings:
  num_retries: 0
  fallbacks: [{ rests: [chat] }]
  model_group_alias: { other name: chat }
litellm_settings: { drop_params: true, num_retries: 0 }
general_settings: { master_key: os.environ/LITELLM_MASTER_KEY }
`

interface Shape {
  path: string
  model: string
  body(text: string): Json
  /** What may differ, and why, by the reference of the import. */
  differs?: readonly ('cost' | 'model' | 'prompt')[]
}

const chat = (model: string, more: Json = {}, differs: Shape['differs'] = []): Shape => ({
  path: '/v1/chat/completions',
  model,
  body: (content) => ({ model, messages: [{ role: 'user', content }], max_tokens: 50, ...more }),
  differs,
})
const STREAM = { stream: true, stream_options: { include_usage: true } }

const SHAPES: readonly Shape[] = [
  chat('chat'),
  chat('chat', { temperature: 0.5 }),
  chat('chat', STREAM),
  chat('other name'),
  chat('cached'),
  chat('shared load'),
  // After a fallback LiteLLM names the model that served.
  chat('rests', {}, ['model']),
  chat('limited'),
  chat('refused'),
  chat('no such model'),
  // LiteLLM sends a text as a list with one part, which the simulator counts as more.
  chat('claude', {}, ['prompt', 'cost']),
  chat('claude', STREAM, ['prompt', 'cost']),
  {
    path: '/v1/messages',
    model: 'claude',
    body: (content) => ({ model: 'claude', max_tokens: 50, messages: [{ role: 'user', content }] }),
    // LiteLLM passes the provider's name of the model on.
    differs: ['model'],
  },
  { path: '/v1/embeddings', model: 'vectors', body: (input) => ({ model: 'vectors', input }) },
]
const CALLS = 200

describe('a real LiteLLM and the import of its file', { skip: missing ?? false }, () => {
  const running: { harness?: Harness; litellm?: LitellmProxy } = {}
  after(() => Promise.all([running.harness?.stop(), running.litellm?.stop()]))

  test(`answer ${CALLS} calls alike`, async () => {
    const harness = await startHarness({ environment: { LITELLM_API: 'on' } })
    running.harness = harness
    const manage = managing(() => harness)
    const { folder, simulator } = harness
    const file = config(simulator.openaiUrl, simulator.anthropicUrl)
    const python = 'python' in found ? found.python : ''
    const litellm = await startLitellm(python, { folder, config: file, environment })
    running.litellm = litellm
    writeFileSync(join(folder, 'config.yaml'), file)
    const cli = cliOf(() => harness.url)
    const { code, stderr } = await cli('import litellm config.yaml --apply --yes', { folder, environment })
    assert.equal(code, 0, stderr)
    const differences: string[] = []
    for (let call = 0; call < CALLS; call++) {
      const shape = SHAPES[call % SHAPES.length] as Shape
      const body = shape.body(`call number ${call} of the differential test`)
      const [ours, theirs] = [await ask(harness.url, shape, body), await ask(litellm.url, shape, body)]
      const row = await manage('GET', `/requests/${ours.headers.get('x-gateway-request-id')}`)
      for (const difference of compared(ours, theirs, row.json.cost_usd, shape)) {
        differences.push(`${call} ${shape.path} ${shape.model}: ${difference}`)
      }
    }
    assert.deepEqual(differences, [])
  })
})

async function ask(url: string, { path }: Shape, body: Json): Promise<Answered> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${MASTER}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: assembled(text) }
}

/** What an answer says, or the chunks of a stream together. */
function assembled(text: string): Json {
  if (!text.startsWith('data:')) return said(JSON.parse(text))
  const chunks = text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as Json)
  const deltas = chunks.map(({ choices }) => choices?.[0]?.delta?.content ?? '')
  const { model } = chunks.at(-1) ?? {}
  const usage = chunks.map((chunk) => chunk.usage).findLast((each) => each !== undefined && each !== null)
  return { model, text: deltas.join(''), ...tokens(usage) }
}

function said(answer: Json): Json {
  const text = answer.choices?.[0]?.message?.content ?? answer.content?.[0]?.text ?? answer.data?.[0]?.embedding ?? null
  return { model: answer.model, text, ...tokens(answer.usage) }
}

function tokens(usage: Json = {}): Json {
  return {
    prompt: usage?.prompt_tokens ?? usage?.input_tokens ?? null,
    output: usage?.completion_tokens ?? usage?.output_tokens ?? null,
  }
}

function compared(ours: Answered, theirs: Answered, cost: unknown, { path, differs = [] }: Shape): string[] {
  const classes = [ours, theirs].map(({ status }) => Math.floor(status / 100))
  if (classes[0] !== classes[1])
    return [`status ${ours.status} here, ${theirs.status} there: ${theirs.text.slice(0, 200)}`]
  if (ours.status !== 200) return []
  const unlike = ['model', 'text', 'prompt', ...(path === '/v1/embeddings' ? [] : ['output'])].filter(
    (field) =>
      !differs.includes(field as never) && JSON.stringify(ours.json[field]) !== JSON.stringify(theirs.json[field]),
  )
  const said = unlike.map(
    (field) => `${field} ${JSON.stringify(ours.json[field])} here, ${JSON.stringify(theirs.json[field])} there`,
  )
  const theirCost = theirs.headers.get('x-litellm-response-cost')
  // LiteLLM counts in floats: to the picodollar is as far as they go.
  const isSame = theirCost === null || differs.includes('cost') || Math.abs(Number(cost) - Number(theirCost)) < 1e-12
  return isSame ? said : [...said, `cost ${String(cost)} here, ${theirCost} there`]
}
