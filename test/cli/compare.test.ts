import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { hello, type Json, KEY, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { cliOf } from './run-cli.ts'

const prices = 'input_per_mtok: "1", output_per_mtok: "2"'
const config = (model: string, more = '') => `
workspaces: { default: { streaming: true, ${more} routes: { chat: { chain: [{ provider: openai, model: ${model} }] } } } }
registry:
  - { provider: openai, model: gpt-sim-echo, ${prices} }
  - { provider: openai, model: gpt-sim-tokens-9, ${prices} }
`
const SECRETS_KEY = 'a-key-for-stored-content'
const stored = 'content: { retention_days: 3 },'
const here = await startHarness({ config: config('gpt-sim-echo', stored), environment: { SECRETS_KEY } })
const there = await startHarness({ config: config('gpt-sim-echo') })
after(() => Promise.all([here.stop(), there.stop()]))
const cli = cliOf(() => here.url)
writeFileSync(join(here.folder, 'a.key'), `${KEY}\n`)
const line = () => `compare --with ${there.url}/v1/ --with-key-file a.key --key-file a.key`
const run = (more = '') => cli(`${line()} ${more}`, { folder: here.folder })

describe('two gateways', () => {
  test('have nothing to compare without requests', async () => {
    const { code, stderr } = await run()
    assert.deepEqual(
      [code, stderr],
      [1, 'switchyard: compare: no served requests in this time; use --since 7d, or make some\n'],
    )
  })

  test('that are alike: each kind of request by its share, with stored prompts or made-up ones', async () => {
    for (let call = 0; call < 4; call++) assert.equal((await here.chat(hello('chat'))).status, 200)
    assert.equal((await here.chat(hello('chat', { stream: true }))).status, 200)
    const message = await fetch(`${here.url}/v1/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(hello('chat', { max_tokens: 20 })),
    })
    assert.equal(message.status, 200)
    const { code, stdout, stderr } = await run('--calls 6 --json')
    assert.equal(code, 0, stderr + stdout)
    const data = JSON.parse(stdout).data as Json[]
    assert.deepEqual(
      data.map(({ endpoint, streamed, calls }) => [endpoint, streamed, calls]),
      [
        ['chat', false, 3],
        ['messages', false, 2],
        ['chat', true, 1],
      ].toSorted((a, b) => Number(b[2]) - Number(a[2])),
    )
    for (const { here: ours, there: theirs, differs } of data) {
      assert.deepEqual(differs, [])
      assert.equal(ours.prompt_tokens, theirs.prompt_tokens)
      assert.match(String(ours.cost_usd), /^0\.0\d+$/)
    }
    const table = await run('--calls 3 --synthetic')
    assert.equal(table.code, 0, table.stderr)
    assert.match(table.stdout, /^chat \(chat\) +this +1 +200 +chat /m)
    assert.match(table.stdout, /^Both answer alike\.$/m)
  })

  test('that are not', async () => {
    const manage = managing(() => there)
    await manage('PATCH', '/workspaces/default', { limits: { rpm: 1 } })
    await manage('PUT', '/routes/chat', { chain: [{ provider: 'openai', model: 'gpt-sim-400' }] })
    const { code, stdout } = await run('--calls 3')
    assert.equal(code, 3, stdout)
    assert.match(stdout, /status$/m)
    assert.match(stdout, /kinds of requests differ\.$/m)
  })

  test('within a budget', async () => {
    const { stderr, stdout } = await run('--budget 0.000001 --json')
    assert.match(stderr, /the budget is used up; --budget allows more/)
    assert.deepEqual(JSON.parse(stdout).data, [])
  })

  const WRONG: [line: string, message: RegExp][] = [
    ['compare', /--with URL is missing/],
    [`compare --with ${there.url}`, /--key-file FILE is missing, and GATEWAY_KEY is not set/],
    [`compare --with ${there.url} --key-file a.key`, /--with-key-file FILE is missing/],
    [`${line()} --calls 0`, /--calls is from 1 to 500/],
    [`${line()} --budget much`, /--budget is an amount in USD, not 'much'/],
  ]
  for (const [wrong, message] of WRONG) {
    test(`called wrongly: ${message.source}`, async () => {
      const { code, stderr } = await cli(wrong, { folder: here.folder })
      assert.equal(code, 2)
      assert.match(stderr, message)
    })
  }
})
