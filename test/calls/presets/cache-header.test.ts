import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startVendors } from '../../../simulator/vendors/vendors.ts'
import { KEY, startHarness } from '../../harness.ts'

const vendors = await startVendors()
const row = (more = '') => `{ preset: xai, base_url: "${vendors.urls.xai}", api_key: sk-of-xai-0000${more} }`
const harness = await startHarness({
  config: `
providers:
  xai: ${row()}
  set: ${row(', headers: { x-grok-conv-id: ours }')}
workspaces: { default: { streaming: true } }
`,
})
after(async () => {
  await harness.stop()
  await vendors.close()
})

const HELLO = [{ role: 'user', content: 'hello' }]
const FORMATS = {
  '/v1/chat/completions': { messages: HELLO, max_tokens: 50 },
  '/v1/messages': { messages: HELLO, max_tokens: 50 },
  '/v1/responses': { input: 'hello' },
}

/** The header field with which the vendor was asked. */
async function sent(path: keyof typeof FORMATS, session: string | null, provider = 'xai') {
  const response = await fetch(harness.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      ...(session !== null && { 'x-gateway-session': session }),
    },
    body: JSON.stringify({ model: `${provider}/xai-sim-echo`, ...FORMATS[path] }),
  })
  assert.equal(response.status, 200, await response.text())
  const call = vendors.calls.at(-1)
  assert.ok(!JSON.stringify([call?.body, call?.headers]).includes('nightly'), 'nothing of its name leaves')
  return call?.headers['x-grok-conv-id']
}

test('a session keeps its server at the vendor, in every format', async () => {
  const key = await sent('/v1/chat/completions', 'nightly-1')
  assert.match(String(key), /^[0-9a-f]{32}$/)
  assert.equal(await sent('/v1/messages', 'nightly-1'), key)
  assert.equal(await sent('/v1/responses', 'nightly-1'), key)
  assert.notEqual(await sent('/v1/messages', 'nightly-2'), key)
})

test('without a session there is none, and what the operator has set stays', async () => {
  assert.equal(await sent('/v1/chat/completions', null), undefined)
  assert.equal(await sent('/v1/chat/completions', 'nightly-1', 'set'), 'ours')
})
