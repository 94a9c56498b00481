import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { type Harness, type Json, KEY } from '../../harness.ts'
import { ask, framesOf, generate, NAMES, post, startWorld, stream, WEATHER } from './world.ts'

const harness: Harness = await startWorld()
const { simulator, url } = harness
beforeEach(() => simulator.reset())
after(() => harness.stop())

const partsOf = (frames: Json[]): Json[] => frames.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
const textOf = (frames: Json[]) =>
  partsOf(frames)
    .map(({ text = '' }) => text)
    .join('')

for (const way of NAMES) {
  describe(`through a ${way} entry`, () => {
    test('a text comes in frames, the end with usage and what the gateway adds', async () => {
      const answer = await post(url, stream(`${way}-events-40-0`), ask('hello'))
      assert.equal(answer.status, 200, answer.text)
      assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream/)
      const frames = framesOf(answer.text)
      assert.ok(frames.length > 10, `${frames.length} frames`)
      const last = frames.at(-1)
      assert.equal(last.candidates[0].finishReason, 'STOP')
      assert.ok(frames.slice(0, -1).every(({ candidates }) => candidates[0].finishReason === undefined))
      assert.ok(last.usageMetadata.candidatesTokenCount > 0)
      const row = await harness.rowOf({ ...answer, json: null } as never)
      assert.deepEqual([row['status'], row['ended'], row['usage_source']], [200, 'finished', 'provider'])
      assert.equal(last.xGateway.cost_usd, (Number(row['cost_picodollars']) / 1e12).toFixed(6))
    })

    test('calls come whole, with their ids, and their results go back', async () => {
      const user = { role: 'user', parts: [{ text: 'Weather?' }] }
      const first = await post(url, stream(`${way}-tools-2`), { contents: [user], tools: [WEATHER] })
      const parts = partsOf(framesOf(first.text)).filter(({ text }) => text !== '')
      const calls = parts.filter(({ functionCall }) => functionCall)
      assert.equal(calls.length, 2, first.text)
      const results = calls.map(({ functionCall: { id, name, args } }) => {
        assert.equal(typeof args, 'object')
        return { functionResponse: { id, name, response: { output: 'sunny' } } }
      })
      const contents = [user, { role: 'model', parts }, { role: 'user', parts: results }]
      const second = await post(url, stream(`${way}-tools-2`), { contents, tools: [WEATHER] })
      assert.equal(second.status, 200, second.text)
      assert.match(textOf(framesOf(second.text)), /^The tool answered: .*sunny/)
    })
  })
}

describe('a provider that speaks the format', () => {
  test('its frames pass as they are, but for what the last one gets', async () => {
    const answer = await post(url, stream('native-events-40-0'), ask('hello'))
    const direct = await fetch(
      `${simulator.geminiUrl}/v1beta/models/gemini-3.5-flash-sim-events-40-0:streamGenerateContent?alt=sse`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-goog-api-key': 'AIzaSyTest0123456789abcdefghijklmnopqrst' },
        body: JSON.stringify(ask('hello')),
      },
    )
    const plain = (text: string) =>
      text.replace(/,"xGateway":\{[^}]*\}/, '').replace(/"(responseId|thoughtSignature)":"[^"]*"/g, '"$1":""')
    assert.equal(plain(answer.text), plain(await direct.text()))
  })
})

test('without alt=sse it is refused, and the words say what to add', async () => {
  const answer = await post(url, '/v1beta/models/chat-echo:streamGenerateContent', ask('hello'))
  assert.deepEqual([answer.status, answer.json.error.status], [400, 'INVALID_ARGUMENT'])
  assert.match(answer.json.error.message, /alt=sse/)
})

describe('where streaming is switched off', async () => {
  const off = await startWorld()
  after(() => off.stop())
  test('a stream is 501 in this format, and a whole answer is served', async () => {
    const set = await fetch(`${off.url}/api/v1/workspaces/default`, {
      method: 'PATCH',
      headers: { authorization: 'Bearer gw_admin_test000000000000000000000000000', 'content-type': 'application/json' },
      body: JSON.stringify({ streaming: false }),
    })
    // The workspace belongs to the file: then this test says nothing.
    if (set.status !== 200) return
    const answer = await post(off.url, stream('chat-echo'), ask('hello'))
    assert.deepEqual([answer.status, answer.json.error.status], [501, 'UNIMPLEMENTED'])
    assert.equal((await post(off.url, generate('chat-echo'), ask('hello'))).status, 200)
  })
})

test('the key of a stream is taken from the query', async () => {
  const answer = await post(url, `${stream('chat-echo')}&key=${KEY}`, ask('hello'), {})
  assert.equal(answer.status, 200)
  assert.equal(textOf(framesOf(answer.text)), 'hello')
})
