import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type ScriptedAnswer, startSimulator } from '../../../simulator/simulator.ts'
import { hello, newFolder } from '../../harness.ts'
import { startProcess } from '../../process.ts'
import { callerOf } from '../streams/world.ts'

/** Each is so unlike anything else that finding it anywhere means a leak. */
const SECRETS = {
  ...{ provider: 'Zq7providerkey01XyW', caller: 'Zq7gatewaykey02XyW' },
  ...{ prompt: 'Zq7prompt03XyW', answer: 'Zq7answer04XyW' },
}
const repeated = `key ${SECRETS.provider}, prompt ${SECRETS.prompt}, answer ${SECRETS.answer}`
const said = { tweak: { text: `${SECRETS.answer} more` } }
const failed = { error: { code: 400, status: 'INVALID_ARGUMENT', message: repeated } }
const ANSWERS: ScriptedAnswer[] = [
  said,
  { status: 400, body: failed },
  { ...said, stream: { steps: [{ play: 'first' }, { send: { data: failed } }, 'end'] } },
  { stream: { steps: [{ raw: JSON.stringify(failed) }, 'end'] } },
  { ...said, stream: { steps: [{ play: 'first' }, 'cut'] } },
  { tweak: { ...said.tweak, finish: `ODD_${SECRETS.prompt}` } },
]

const simulator = await startSimulator()
const folder = newFolder()
after(async () => {
  await simulator.close()
  rmSync(folder, { recursive: true, force: true })
})

test('no prompt, answer or secret is in a log line or an address, however a call fails', async () => {
  const path = join(folder, 'switchyard.yaml')
  const routes = ANSWERS.map((_, at) => `      m${at}: { chain: [{ provider: google, model: gemini-3-${at} }] }`)
  writeFileSync(
    path,
    `providers:\n  google: { family: gemini, base_url: "${simulator.geminiUrl}", api_key: ${SECRETS.provider} }\nworkspaces:\n  default:\n    routes:\n${routes.join('\n')}\n`,
  )
  const gateway = startProcess({
    folder,
    environment: { LOG_LEVEL: 'trace', STREAMING: 'on', GATEWAY_KEY: SECRETS.caller, SWITCHYARD_CONFIG: path },
  })
  const url = await gateway.url()
  const headers = { authorization: `Bearer ${SECRETS.caller}` }
  const messages = [{ role: 'user', content: SECRETS.prompt }]
  for (const [at, answer] of ANSWERS.entries()) {
    simulator.script(`gemini-3-${at}`, [answer])
    const caller = callerOf(url, { ...hello(`m${at}`), messages }, { headers })
    await caller.ended
    assert.ok(caller.text().length > 0)
    assert.ok(!caller.text().includes(SECRETS.provider), caller.text())
  }
  assert.equal(simulator.calls.length >= ANSWERS.length, true)
  for (const { query, path: called } of simulator.calls) assert.ok(!`${called}?${query}`.includes(SECRETS.provider))
  await gateway.stop()
  const log = gateway.stdout() + gateway.stderr()
  for (const [name, secret] of Object.entries(SECRETS)) assert.ok(!log.includes(secret), `${name} is in the log`)
})
