import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, type TestContext, test } from 'node:test'
import { embeddingOf } from '../../simulator/openai/embeddings.ts'
import { type Harness, type Json, KEY, startHarness } from '../harness.ts'
import { pythonSession } from '../python-session.ts'

/** The script has a `client`; what it puts into `result` comes back as JSON. */
const FRAME = (script: string) => `
import os
import openai
client = openai.OpenAI(base_url=os.environ["BASE_URL"], api_key=os.environ["KEY"])
${script}
`

const session = pythonSession()
let harness: Harness
before(async () => {
  harness = await startHarness()
})
beforeEach(() => harness.simulator.reset())
after(() => harness.stop())

async function python(context: TestContext, script: string): Promise<Json> {
  return session.skips(context) ? null : session.run(FRAME(script), { BASE_URL: `${harness.url}/v1`, KEY })
}

describe("Python's openai package", () => {
  test('embeds: it asks for base64 and decodes it', async (context) => {
    const result = await python(
      context,
      `
answer = client.embeddings.with_raw_response.create(model="text-embedding-3-small", input=["one", "two"])
parsed = answer.parse()
result = {
    "vectors": [item.embedding for item in parsed.data], "model": parsed.model,
    "usage": parsed.usage.model_dump(), "id": answer.headers["x-gateway-request-id"],
}`,
    )
    if (result === null) return
    const model = 'text-embedding-3-small'
    assert.equal(harness.sent().encoding_format, 'base64')
    assert.deepEqual(
      result.vectors,
      ['one', 'two'].map((text) => embeddingOf(model, text, 1536).map(Math.fround)),
    )
    assert.deepEqual([result.model, result.usage], [model, { prompt_tokens: 2, total_tokens: 2 }])
    assert.match(result.id, /^embd_/)
  })

  test('embeds with servers that send another encoding or order than asked for', async (context) => {
    const result = await python(
      context,
      `
result = {}
for scenario in ["floats", "base64", "unordered"]:
    for options in [{}, {"encoding_format": "float"}]:
        answer = client.embeddings.create(model=f"text-embedding-sim-{scenario}", input=["one", "two"], **options)
        result[f"{scenario} {len(options)}"] = [item.embedding for item in answer.data]`,
    )
    if (result === null) return
    assert.equal(Object.keys(result).length, 6)
    for (const [name, vectors] of Object.entries<number[][]>(result)) {
      const model = `text-embedding-sim-${name.split(' ')[0]}`
      const expected = ['one', 'two'].map((text) => embeddingOf(model, text, 8).map(Math.fround))
      assert.deepEqual(
        vectors.map((vector) => vector.map(Math.fround)),
        expected,
        name,
      )
    }
  })

  test('chats', async (context) => {
    const result = await python(
      context,
      `
answer = client.chat.completions.create(model="claude-sim-echo", messages=[{"role": "user", "content": "ping"}])
result = {"text": answer.choices[0].message.content, "model": answer.model, "tokens": answer.usage.total_tokens}`,
    )
    if (result === null) return
    assert.deepEqual([result.text, result.model], ['ping', 'claude-sim-echo'])
    assert.ok(result.tokens > 0)
  })

  test('asks only once for a stream, which is 501', async (context) => {
    const result = await python(
      context,
      `
try:
    client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": "ping"}], stream=True)
    result = {"status": 200}
except openai.APIStatusError as error:
    result = {"status": error.status_code, "code": error.code}`,
    )
    if (result === null) return
    assert.deepEqual(result, { status: 501, code: 'not_implemented' })
    assert.equal((await harness.rows()).filter(({ status }) => status === 501).length, 1)
    assert.equal(harness.upstream().length, 0)
  })
})
