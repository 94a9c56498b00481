import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { filesUnder } from '../files-under.ts'
import { newFolder } from '../harness.ts'
import { type Started, startProcess } from '../process.ts'
import { ask } from './ask.ts'

const ADMIN = 'Zq7adminofleaktests01XyW'
/** Each is so unlike anything else that finding it anywhere means a leak. */
const VALUES = ['sk-Zq7chosenvalue02XyW', 'sk-Zq7secondvalue03XyW', 'sk-Zq7unknownvalue04XyW', 'sk-Zq7wrongadmin05XyW']
const [CHOSEN = '', SECOND = '', UNKNOWN = '', WRONG = ''] = VALUES

const folder = newFolder()
let started: Started
let url: string

before(async () => {
  const environment = { LITELLM_API: 'on', LOG_LEVEL: 'trace', ADMIN_KEY: ADMIN }
  started = startProcess({ folder, environment })
  url = await started.url()
})
after(() => rmSync(folder, { recursive: true, force: true }))

test('values of keys reach neither the log nor a file, wherever they are sent', async () => {
  const post = (path: string, body: unknown, key = ADMIN) => ask(url, { method: 'POST', path, body, key })
  const get = (path: string, key = ADMIN) => ask(url, { method: 'GET', path, key })
  const statuses = [
    await post('/key/generate', { key: CHOSEN, key_alias: 'one', metadata: { a: 'b' } }),
    await get(`/key/info?key=${CHOSEN}`),
    await get('/key/info', CHOSEN),
    await get(`/key/info?key=${UNKNOWN}`),
    await get(`/key/${UNKNOWN}/nonsense`),
    await post(`/key/${CHOSEN}/regenerate`, { new_key: SECOND, grace_period: '1h' }),
    await post('/key/update', { key: SECOND, max_budget: 'much' }),
    await post('/key/update', { key: SECOND, guardrails: ['x'] }),
    await post('/key/delete', { keys: [SECOND, UNKNOWN] }),
    await get('/key/list', WRONG),
    await post('/chat/completions', { model: 'x', messages: [], api_key: UNKNOWN }, CHOSEN),
  ].map(({ status }) => status)
  assert.deepEqual(statuses, [200, 200, 200, 404, 404, 200, 422, 400, 200, 401, 401])
  await started.stop()
  const written = [
    started.stdout(),
    started.stderr(),
    ...filesUnder(folder).map((file) => readFileSync(file, 'latin1')),
  ]
  assert.ok(started.stderr().includes('serving'))
  for (const value of VALUES) assert.equal(written.filter((text) => text.includes(value)).length, 0, value)
})
