import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { hello, startHarness } from '../harness.ts'
import { ask } from '../litellm-api/ask.ts'
import { managing } from '../management/manage.ts'
import { cliOf } from './run-cli.ts'

const gateway = await startHarness({ config: '{}', environment: { LITELLM_API: 'on' } })
after(() => gateway.stop())
const { folder } = gateway
const cli = cliOf(() => gateway.url)
const manage = managing(() => gateway)
const run = (args: string, environment: Record<string, string> = {}) =>
  cli(`import litellm ${args}`, {
    folder,
    environment: { LITELLM_MASTER_KEY: 'sk-a-master-key-of-litellm', ...environment },
  })

const SECRET = 'sk-written-in-clear'
const file = (name: string, text: string) => writeFileSync(join(folder, name), text)
const models = `
model_list:
  - model_name: chat
    litellm_params:
      model: openai/gpt-sim-echo
      api_base: ${gateway.simulator.openaiUrl}
      api_key: ${SECRET}
      input_cost_per_token: 0.000001
      output_cost_per_token: 0.000002
`
file('plain.yaml', models.replace(SECRET, 'os.environ/PROVIDER_KEY'))
file('clear.yaml', models)
file('looser.yaml', `${models}general_settings: { allowed_ips: [10.0.0.1] }\n`)
file('empty.yaml', 'general_settings: {}\n')
file('broken.yaml', 'model_list: [\n')

describe('the report', () => {
  test('of a file that moves as it is: exit code 0, and nothing is written', async () => {
    const { code, stdout, stderr } = await run('plain.yaml')
    assert.equal(code, 0, stderr)
    assert.match(stdout, /plain\.yaml:3 +model_list\[0\]\.model_name +→ route "chat"/)
    assert.match(stdout, /\d+ exact, \d+ approximate, 0 manual, 0 unsupported; nothing looser/)
    assert.match(stderr, /Nothing was written\. Add --out switchyard\.yaml/)
  })

  test('of one that needs attention: exit code 3, as JSON, without the secret', async () => {
    const { code, stdout, json } = await run('looser.yaml --json')
    assert.equal(code, 3)
    assert.match(String(json()['summary']), /; 1 looser$/)
    assert.doesNotMatch(stdout, new RegExp(SECRET))
  })

  const refused: [string, string, RegExp][] = [
    ['no file', '', /FILE is missing/],
    ['a missing file', 'none.yaml', /none\.yaml: there is no such file/],
    ['no models', 'empty.yaml', /empty\.yaml has no model_list/],
    ['broken YAML', 'broken.yaml', /broken\.yaml:2:1: not YAML/],
    ['another acceptance', 'plain.yaml --accept all', /--accept takes looser/],
    ['prices that are none', 'plain.yaml --prices plain.yaml', /is not valid JSON/],
  ]
  for (const [name, args, message] of refused) {
    test(`${name}: exit code 2`, async () => {
      const { code, stderr } = await run(args)
      assert.equal(code, 2)
      assert.match(stderr, message)
    })
  }
})

test('the files: secrets apart, for their owner only, and nothing is overwritten', async () => {
  const options = '--out out.yaml --secrets-file secrets.env'
  const { code, stderr } = await run(`clear.yaml ${options}`)
  assert.equal(code, 3, stderr)
  assert.doesNotMatch(readFileSync(join(folder, 'out.yaml'), 'utf8'), new RegExp(SECRET))
  assert.equal(readFileSync(join(folder, 'secrets.env'), 'utf8'), `LITELLM_OPENAI_API_KEY=${SECRET}\n`)
  assert.equal(statSync(join(folder, 'secrets.env')).mode & 0o777, 0o600)
  assert.match((await run(`clear.yaml ${options}`)).stderr, /secrets\.env exists already/)
  assert.match((await run('clear.yaml --out out.yaml')).stderr, /out\.yaml is up to date/)
  assert.match((await run('looser.yaml --out plain.yaml')).stderr, /plain\.yaml exists and differs/)
})

describe('--apply', () => {
  test('refuses what is looser', async () => {
    const { code, stderr } = await run('looser.yaml --apply --yes')
    assert.equal(code, 1)
    assert.match(
      stderr,
      /nothing was applied: 1 settings would be looser than before \(general_settings\.allowed_ips\)/,
    )
  })

  test('needs the variables that the file names', async () => {
    const { code, stderr } = await run('plain.yaml --apply --yes')
    assert.equal(code, 2)
    assert.match(stderr, /\$\{PROVIDER_KEY\} is not set in the environment/)
  })

  test('makes the routes, and callers keep their key; a second time changes nothing', async () => {
    const first = await run('looser.yaml --apply --yes --accept looser')
    assert.equal(first.code, 0, first.stderr)
    const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk-a-master-key-of-litellm', 'content-type': 'application/json' },
      body: JSON.stringify(hello('chat')),
    })
    assert.equal(answer.status, 200)
    assert.notEqual(answer.headers.get('x-gateway-cost-usd'), null)
    const second = await run('looser.yaml --apply --yes --accept looser')
    assert.equal(second.code, 0, second.stderr)
    assert.match(second.stdout, /Nothing to change\./)
  })
})

describe('the master key', () => {
  const MASTER = 'sk-a-master-key-that-was-interrupted'
  const apply = () => run('plain.yaml --apply --yes', { PROVIDER_KEY: 'sk-sim', LITELLM_MASTER_KEY: MASTER })
  const isMaster = async () =>
    (await ask(gateway.url, { method: 'GET', path: '/key/list', key: MASTER })).status === 200
  const marks = async () => (await manage('GET', '/audit?resource=litellm-master-key')).json.data.length

  test('adopted by a run that was killed before it was marked: the next run finishes', async () => {
    const hash = createHash('sha256').update(MASTER).digest('hex')
    const keys = [{ workspace: 'default', name: 'litellm-master-2', hash }]
    assert.equal((await manage('POST', '/keys/adopt-many', { keys })).json.created, 1)
    assert.equal(await isMaster(), false)
    const { code, stderr } = await apply()
    assert.equal(code, 0, stderr)
    assert.match(stderr, /The master key, which was here already, now works for tools of LiteLLM with LITELLM_API=on\./)
    assert.equal(await isMaster(), true)
  })

  test('a run after that says and changes nothing', async () => {
    const before = await marks()
    const { code, stderr } = await apply()
    assert.equal(code, 0, stderr)
    assert.doesNotMatch(stderr, /master key/)
    assert.equal(await marks(), before)
  })

  test('switched off by an operator, it stays off', async () => {
    const [key] = (await manage('GET', '/keys?search=litellm-master-2&workspace=default')).json.data
    assert.equal((await manage('PUT', `/keys/${key.id}/litellm-master`, { enabled: false })).status, 200)
    assert.equal((await apply()).code, 0)
    assert.equal(await isMaster(), false)
  })
})
