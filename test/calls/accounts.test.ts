import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { FAMILIES } from '../../src/providers/families.ts'
import { vendorOf } from '../../src/store/control/vendor.ts'
import { issue } from '../egress/certificates.ts'
import { type ConnectProxy, startConnectProxy } from '../egress/connect-proxy.ts'
import { startTlsFront, type TlsFront } from '../egress/tls-front.ts'
import { type Answered, type Harness, hello, startHarness } from '../harness.ts'
import { assertVerified, newKey } from '../limits/limited.ts'
import { managing } from '../management/manage.ts'

/** Two accounts of one vendor by its own address, which a proxy leads to the simulator. */
const MODEL = 'gpt-4o-mini'
const folder = mkdtempSync(join(tmpdir(), 'switchyard-accounts-'))
const issued = issue(folder, ['api.openai.com'])
const fronted = { url: 'http://127.0.0.1:9' }
let front: TlsFront
let proxy: ConnectProxy
let harness: Harness
const manage = managing(() => harness)

before(async () => {
  front = await startTlsFront(issued, () => fronted.url)
  proxy = await startConnectProxy(() => front.port)
  const way = { family: 'openai', ca: issued.ca, proxy: `http://127.0.0.1:${proxy.port}` }
  const providers = {
    first: { ...way, api_key: 'sk-of-the-first-account' },
    second: { ...way, api_key: 'sk-of-the-second-account', base_url: 'https://api.openai.com/v1' },
    elsewhere: { family: 'openai', api_key: 'sk-elsewhere-0000000000', base_url: '${SIMULATED}' },
  }
  const group = { balance: 'weighted', members: ['first', 'second'].map((provider) => ({ provider, model: MODEL })) }
  const routes = { small: { chain: [group] }, away: { chain: [{ provider: 'elsewhere', model: MODEL }] } }
  harness = await startHarness({ config: JSON.stringify({ providers, workspaces: { default: { routes } } }) })
  fronted.url = harness.simulator.openaiUrl
})
after(async () => {
  await assertVerified(harness)
  await harness.stop()
  await proxy.close()
  front.close()
  rmSync(folder, { recursive: true, force: true })
})

const servedBy = (answer: Answered) => answer.headers.get('x-gateway-provider')
const costOf = async (answer: Answered) => Number((await harness.rowOf(answer))['cost_picodollars'])
const listPrice = ({ json: { usage } }: Answered) => usage.prompt_tokens * 150_000 + usage.completion_tokens * 600_000
const hard = { budget: { usd: '1', per: 'month', mode: 'hard' } } as const

describe('two accounts of one vendor', () => {
  test('share the calls of a route, each with its key, at the prices of the vendor', async () => {
    const answers: Answered[] = []
    // Each of the two is missing by chance less often than once in a billion runs.
    for (let call = 0; call < 32; call += 1) answers.push(await harness.chat(hello('small')))
    assert.deepEqual([...new Set(answers.map(servedBy))].sort(), ['first', 'second'])
    for (const answer of answers) {
      assert.equal(answer.status, 200, answer.text)
      assert.equal(await costOf(answer), listPrice(answer))
    }
    assert.ok(proxy.heads.every((head) => head.startsWith('CONNECT api.openai.com:443 ')))
  })

  test('serve a key with a hard budget; a server of which nothing is known does not', async () => {
    const key = await newKey(harness, hard)
    const explained = await manage('POST', `/routes/small/explain?key=${key.id}`, hello('small', { max_tokens: 10 }))
    assert.equal(explained.status, 200, explained.text)
    for (const { hold_usd } of explained.json.entries) assert.ok(Number(hold_usd) > 0, explained.text)
    const answer = await key.chat('small')
    assert.equal(answer.status, 200, answer.text)
    const refused = await key.chat('away')
    assert.deepEqual([refused.status, refused.json.error.code], [402, 'price_unknown'])
  })

  test('show whose prices they have', async () => {
    const pricedAs = async (name: string) => (await manage('GET', `/providers/${name}`)).json.priced_as
    assert.deepEqual(await Promise.all(['first', 'second', 'elsewhere'].map(pricedAs)), ['openai', 'openai', null])
    const { json } = await manage('GET', '/catalog?workspace=default')
    const [away, small] = json.data
    assert.deepEqual(
      [...small.chain, ...away.chain].map((entry) => [entry.provider, entry.input_per_mtok, entry.context_window]),
      [
        ['first', '0.15', 128_000],
        ['second', '0.15', 128_000],
        ['elsewhere', null, null],
      ],
    )
    const missing = await manage('GET', `/registry/second/${MODEL}`)
    assert.equal(missing.status, 404)
    assert.match(missing.json.error.message, /priced as openai\/gpt-4o-mini/)
  })

  test('a price of its own wins for the one account, from then on', async () => {
    const before = await harness.chat(hello(`second/${MODEL}`))
    const cost = await costOf(before)
    const own = { input_per_mtok: '1', output_per_mtok: '2' }
    assert.equal((await manage('PUT', `/registry/second/${MODEL}`, own)).status, 201)
    const [second, first] = [await harness.chat(hello(`second/${MODEL}`)), await harness.chat(hello(`first/${MODEL}`))]
    const { prompt_tokens: input, completion_tokens: output } = second.json.usage
    assert.equal(await costOf(second), input * 1e6 + output * 2e6)
    assert.equal(await costOf(first), listPrice(first))
    assert.equal(await costOf(before), cost)
    const { json } = await manage('POST', '/verify')
    assert.deepEqual([json.differences, json.rows.differences, json.rows.unpriced], [[], [], 0])
  })
})

test('a family with one address has its prices there, whether the address is written or left out', () => {
  const usual = { apiKey: null, headers: {}, onCallerLeft: 'abort' } as const
  const known = [...FAMILIES].flatMap(([family, { modelsTarget }]) => {
    const account = { ...usual, name: 'account', family, settings: { region: 'us-east-1', project: 'p' } }
    const { origin } = new URL(modelsTarget({ ...account, baseUrl: null }, null).url)
    return vendorOf({ family, baseUrl: origin }) === family ? [family] : []
  })
  assert.deepEqual(known, ['openai', 'anthropic', 'gemini'])
})
