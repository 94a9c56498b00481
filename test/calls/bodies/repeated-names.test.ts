import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { ADMIN_KEY, type Harness, KEY, startHarness } from '../../harness.ts'

const harness: Harness = await startHarness()
after(() => harness.stop())

async function post(path: string, body: string, key = KEY) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(new URL(path, harness.url), { method: 'POST', headers, body })
  return { status: response.status, text: await response.text() }
}

const model = '"model":"gpt-sim-echo"'
const messages = '"messages":[{"role":"user","content":"x"}]'
const large = `"user":"${'x'.repeat(200_000)}"`

describe('a name that an object has twice is refused and named, before any provider is called', () => {
  for (const [what, path, body, place] of [
    ['of chat', '/v1/chat/completions', `{${model},${messages},"n":1,"n":9}`, 'n'],
    ['with escapes', '/v1/chat/completions', `{${model},${messages},"n":1,"\\u006e":9}`, 'n'],
    ['__proto__', '/v1/chat/completions', `{${model},${messages},"__proto__":1,"__proto__":{}}`, '__proto__'],
    [
      'in a message',
      '/v1/chat/completions',
      `{${model},"messages":[{"role":"user","content":"x","content":"y"}]}`,
      'messages[0].content',
    ],
    ['of a large body', '/v1/chat/completions', `{${model},${messages},${large},"n":1,"n":9}`, 'n'],
    ['of Messages', '/v1/messages', `{${model},${messages},"max_tokens":1,"max_tokens":99}`, 'max_tokens'],
    ['of a count', '/v1/messages/count_tokens', `{${model},${messages},${messages}}`, 'messages'],
    ['of Responses', '/v1/responses', `{${model},"input":"x","input":"y"}`, 'input'],
    ['of embeddings', '/v1/embeddings', '{"model":"text-embedding-sim","input":"x","input":"y"}', 'input'],
  ] as const) {
    test(what, async () => {
      const answer = await post(path, body)
      assert.equal(answer.status, 400, answer.text)
      assert.ok(answer.text.includes(`"${place}: this name appears more than once`), answer.text)
      assert.equal(harness.upstream().length, 0)
    })
  }

  test('of the management API', async () => {
    const answer = await post('/keys', '{"name":"a","name":"b"}', ADMIN_KEY)
    assert.equal(answer.status, 400, answer.text)
    assert.match(answer.text, /"name: this name appears more than once/)
  })
})

test('the log keeps which field was repeated, but no text of the caller', async () => {
  await post('/v1/chat/completions', `{${model},${messages},"my secret":1,"my secret":2}`)
  await post('/v1/chat/completions', `{${model},${messages},"n":1,"n":2}`)
  const rows = JSON.stringify(await harness.rows())
  assert.match(rows, /n: this name appears/)
  assert.doesNotMatch(rows, /my secret/)
})
