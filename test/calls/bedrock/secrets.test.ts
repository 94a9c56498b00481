import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type ScriptedAnswer, startSimulator } from '../../../simulator/simulator.ts'
import { filesUnder } from '../../files-under.ts'
import { hello, newFolder } from '../../harness.ts'
import { startProcess } from '../../process.ts'

/** Each is so unlike anything else that finding it anywhere means a leak. */
const SECRETS = {
  ...{ key: 'Zq7bedrockkey01XyW', secret: 'Zq7secretaccesskey02XyW', session: 'Zq7sessiontoken03XyW' },
  ...{ caller: 'Zq7gatewaykey04XyW', prompt: 'Zq7prompt05XyW', answer: 'Zq7answer06XyW' },
}
/** What each provider knows of us, and may repeat. */
const REPEATED = {
  bearer: `key ${SECRETS.key}`,
  signed: `secret ${SECRETS.secret}, session ${SECRETS.session}`,
}
type Name = keyof typeof REPEATED
const NAMES: readonly Name[] = ['bearer', 'signed']

function answersOf(name: Name): ScriptedAnswer[] {
  const repeated = REPEATED[name]
  const canonical = `does not match. The Canonical String for this request should have been 'POST ${SECRETS.session}`
  const exception = { event: ':throttlingException', data: { message: repeated } }
  return [
    { tweak: { text: SECRETS.answer } },
    { status: 400, body: { message: repeated } },
    { status: 403, headers: { 'x-amzn-errortype': 'InvalidSignatureException' }, body: { message: canonical } },
    { status: 429, headers: { 'x-amzn-errortype': repeated, 'x-amzn-requestid': repeated }, body: repeated },
    { tweak: { text: SECRETS.answer }, stream: { steps: [{ play: 'first' }, { send: exception }, 'end'] } },
    { stream: { steps: [{ send: exception }, 'end'] } },
    { tweak: { text: SECRETS.answer }, stream: { odd: ['damaged'] } },
    { headers: { 'content-type': `text/${repeated}` }, body: repeated },
  ]
}

const CONFIG = `
providers:
  bearer: { family: bedrock, base_url: "\${SIMULATED}", settings: { region: us-east-1 }, api_key: "\${KEY}" }
  signed: { family: bedrock, base_url: "\${SIMULATED}", settings: { region: us-east-1 }, credentials: { access_key_id: AKIDEXAMPLE, secret_access_key: "\${SECRET}", session_token: "\${SESSION}" } }
workspaces:
  default:
    streaming: true
    routes:
${NAMES.flatMap((provider) =>
  answersOf(provider).flatMap((_, at) =>
    ['amazon.nova', 'anthropic.claude'].map(
      (model) =>
        `      "${provider}-${model}-${at}": { chain: [{ provider: ${provider}, model: ${model}-${provider}-${at}, retries: 0 }] }`,
    ),
  ),
).join('\n')}
`

const simulator = await startSimulator()
const folder = newFolder()
after(async () => {
  await simulator.close()
  rmSync(folder, { recursive: true, force: true })
})

test('no key, secret, session, prompt or answer is in a log line, a row or an error', async () => {
  writeFileSync(join(folder, 'switchyard.yaml'), CONFIG)
  const gateway = startProcess({
    folder,
    environment: {
      ...{ LOG_LEVEL: 'trace', GATEWAY_KEY: SECRETS.caller, SIMULATED: simulator.bedrockUrl },
      ...{ KEY: SECRETS.key, SECRET: SECRETS.secret, SESSION: SECRETS.session },
    },
  })
  const url = await gateway.url()
  const headers = { authorization: `Bearer ${SECRETS.caller}`, 'content-type': 'application/json' }
  for (const provider of NAMES) {
    for (const model of ['amazon.nova', 'anthropic.claude']) {
      for (const [at, answer] of answersOf(provider).entries()) {
        for (const stream of [false, true]) {
          simulator.script(`${model}-${provider}-${at}`, [answer])
          const messages = [{ role: 'user', content: SECRETS.prompt }]
          const body = JSON.stringify({ ...hello(`${provider}-${model}-${at}`, { stream }), messages })
          const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
          const text = await response.text()
          const seen = JSON.stringify([...response.headers]) + text
          for (const name of ['key', 'secret', 'session', 'prompt'] as const) {
            assert.ok(!seen.includes(SECRETS[name]), `${name} in the answer ${at}: ${seen}`)
          }
        }
      }
    }
  }
  const sent = simulator.calls.map((call) => JSON.stringify(call.headers) + call.rawBody).join('\n')
  for (const name of ['key', 'session', 'prompt'] as const) assert.ok(sent.includes(SECRETS[name]), name)
  assert.ok(!sent.includes(SECRETS.secret), 'a secret access key is never sent')
  await gateway.stop()
  const log = gateway.stdout() + gateway.stderr()
  const files = filesUnder(join(folder, 'data')).map((path) => readFileSync(path))
  for (const [name, secret] of Object.entries(SECRETS)) {
    assert.ok(!log.includes(secret), `${name} is in the log`)
    for (const file of files) assert.ok(!file.includes(secret), `${name} is in the data folder`)
  }
})
