import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { hello, type Json, startHarness } from '../../harness.ts'
import { managing } from '../../management/manage.ts'

const BODIES: [string, Json][] = [
  ['a valid request', hello('gpt-any', { stream: true })],
  ['no messages', { model: 'gpt-any', stream: true }],
  ['no model', { stream: true }],
  ['a model that does not exist', hello('nothing-known', { stream: true })],
  ['wrong options', hello('gpt-any', { stream: true, stream_options: 7, temperature: 'hot' })],
]

describe('stream: true', () => {
  for (const [gateway, workspace, isOn] of [
    ['off', null, false],
    ['off', true, true],
    ['on', null, true],
    ['on', false, false],
  ] as const)
    test(`STREAMING=${gateway}, workspace ${workspace}: ${isOn ? 'is streamed' : '501, whatever else the body says'}`, async () => {
      const harness = await startHarness({ environment: { STREAMING: gateway } })
      try {
        const manage = managing(() => harness)
        const set = await manage('PATCH', '/workspaces/default', { streaming: workspace })
        assert.equal(set.status, 200, set.text)
        for (const [what, body] of BODIES) {
          const { status, json, text } = await harness.chat(body)
          if (!isOn) assert.deepEqual([status, json.error.code], [501, 'not_implemented'], what)
          else if (what === 'a valid request') assert.match(text, /data: \[DONE\]\n\n$/)
          else assert.ok(status === 400 || status === 404, `${what}: ${status}`)
        }
        assert.equal((await harness.chat(hello('gpt-any', { stream: false }))).status, 200)
        assert.equal(harness.upstream().length, isOn ? 2 : 1)
      } finally {
        await harness.stop()
      }
    })
})
