import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, test } from 'node:test'
import { type ScriptedAnswer, startSimulator } from '../../../simulator/simulator.ts'
import { hello, newFolder, until } from '../../harness.ts'
import { startProcess } from '../../process.ts'
import { callerOf } from './world.ts'

/** Each is so unlike anything else that finding it anywhere means a leak. */
const SECRETS = {
  ...{ provider: 'Zq7providerkey01XyW', caller: 'Zq7gatewaykey02XyW' },
  ...{ prompt: 'Zq7prompt03XyW', answer: 'Zq7answer04XyW' },
}
const said = { tweak: { text: `${SECRETS.answer} more ${SECRETS.answer}` } }
const repeated = `key ${SECRETS.provider}, prompt ${SECRETS.prompt}, answer ${SECRETS.answer}`
const ANSWERS: ScriptedAnswer[] = [
  said,
  { ...said, stream: { steps: [{ play: 'first' }, 'cut'] } },
  { ...said, stream: { steps: [{ play: 'first' }, { send: { data: `{"broken": "${repeated}` } }, 'end'] } },
  { ...said, stream: { steps: [{ play: 'first' }, { send: { data: { error: { message: repeated } } } }, 'end'] } },
  { stream: { steps: [{ send: { data: { error: { message: repeated } } } }, 'end'] } },
  { headers: { 'content-type': `text/${SECRETS.provider}` }, body: repeated },
  { ...said, stream: { steps: [{ play: 'first' }, 'stall'] } },
]

const simulator = await startSimulator()
const folder = newFolder()
after(async () => {
  await simulator.close()
  rmSync(folder, { recursive: true, force: true })
})

test('no prompt, answer or secret of a stream is in a log line, however it fails', async () => {
  const gateway = startProcess({
    folder,
    environment: {
      ...{ LOG_LEVEL: 'trace', STREAMING: 'on', GATEWAY_KEY: SECRETS.caller },
      ...{ OPENAI_API_KEY: SECRETS.provider, OPENAI_BASE_URL: simulator.openaiUrl },
    },
  })
  const url = await gateway.url()
  const headers = { authorization: `Bearer ${SECRETS.caller}` }
  const messages = [{ role: 'user', content: SECRETS.prompt }]
  for (const [call, answer] of ANSWERS.entries()) {
    simulator.script(`gpt-${call}`, [answer])
    const caller = callerOf(url, { ...hello(`gpt-${call}`), messages }, { headers })
    if (answer === ANSWERS.at(-1)) {
      await until(() => caller.said() !== '', 'content is out')
      caller.leave()
      await until(() => simulator.streams.open === 0, 'the call upstream is ended')
    } else await caller.ended
    assert.ok(caller.text().length > 0)
    assert.ok(!caller.text().includes(SECRETS.provider), caller.text())
  }
  await gateway.stop()
  const log = gateway.stdout() + gateway.stderr()
  assert.match(log, /draining/)
  for (const [name, secret] of Object.entries(SECRETS)) assert.ok(!log.includes(secret), `${name} is in the log`)
})
