import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startProcess } from '../child-process.ts'
import { fixedPort } from '../fixed-port.ts'
import { startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'

test('the service of the page masks and restores addresses', async (t) => {
  const [, code = ''] = /```js\n(.*?)\n```/s.exec(readFileSync('docs/guardrails.md', 'utf8')) ?? []
  assert.ok(code.includes('createServer'))
  const harness = await startHarness()
  t.after(() => harness.stop())
  const file = join(harness.folder, 'mask.mjs')
  writeFileSync(file, code)
  const port = await fixedPort()
  const env = { PORT: String(port) }
  const service = await startProcess({ command: process.execPath, args: [file], env, readyWhen: /(ready)/ })
  t.after(() => service.stop())
  const guardrail = { url: `http://127.0.0.1:${port}`, timeout_ms: 30_000 }
  assert.equal((await managing(() => harness)('PATCH', '/workspaces/default', { guardrail })).status, 200)
  const content = 'ann@x.example and bob@y.example, not ann@x.example'
  const answer = await harness.chat({ model: 'gpt-sim-echo', messages: [{ role: 'user', content }] })
  assert.equal(harness.sent().messages[0].content, '[EMAIL_1] and [EMAIL_2], not [EMAIL_1]')
  assert.equal(answer.json.choices[0].message.content, content)
})
