import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, describe, mock, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { embeddingOf, toBase64 } from '../../simulator/openai/embeddings.ts'
import { type Harness, hello, KEY, startHarness } from '../harness.ts'

/** Its own process: what it takes to make thirty megabytes of vectors must not pass for work of the gateway. */
const MAIN = fileURLToPath(new URL('../../simulator/main.ts', import.meta.url))
const provider = spawn(process.execPath, [MAIN, '--openai-port', '0', '--anthropic-port', '0', '--json'])
const [line] = await once(provider.stdout, 'data')
const { openaiUrl } = JSON.parse(String(line)) as { openaiUrl: string }

const harness: Harness = await startHarness({ environment: { OPENAI_BASE_URL: openaiUrl } })
after(async () => {
  await harness.stop()
  provider.kill()
})

const MODEL = 'text-embedding-sim-echo'
/** More than the largest part of an ordinary call, less than any part of these. */
const SMALL_TEXT = 300_000

interface Passed {
  body: Buffer
  headers: Headers
  /** Small calls that began after it and ended before it. */
  overtakers: number
  /** The longest text that the serving thread read or wrote as JSON during it. */
  longestJson: number
}

/** Sends a large request, and small calls one after the other at the same time. */
async function pass(request: object): Promise<Passed> {
  const text = Buffer.from(JSON.stringify(request))
  let longestJson = 0
  const note = (length: number) => {
    longestJson = Math.max(longestJson, length)
  }
  const { parse, stringify } = JSON
  mock.method(JSON, 'parse', (source: string, reviver?: (key: string, value: unknown) => unknown) => {
    note(source.length)
    return parse(source, reviver)
  })
  mock.method(JSON, 'stringify', (value: unknown, ...rest: []) => {
    const written = stringify(value, ...rest)
    note(written?.length ?? 0)
    return written
  })
  let overtakers = 0
  let isOver = false
  try {
    const large = fetch(`${harness.url}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: text,
    })
      .then(async (response) => {
        const body = Buffer.from(await response.arrayBuffer())
        assert.equal(response.status, 200, body.toString('utf8', 0, 300))
        return { body, headers: response.headers }
      })
      .finally(() => (isOver = true))
    while (!isOver && overtakers < 20) {
      const small = await harness.chat(hello('claude-sim-echo'))
      assert.equal(small.status, 200, small.text)
      if (!isOver) overtakers++
    }
    return { ...(await large), overtakers, longestJson }
  } finally {
    mock.restoreAll()
  }
}

async function assertLogged({ headers, body }: Passed, requestBytes: number, tokens: number): Promise<void> {
  const rows = await harness.rows()
  const row = rows.find(({ id }) => id === headers.get('x-gateway-request-id'))
  assert.deepEqual([row?.['request_bytes'], row?.['response_bytes']], [requestBytes, body.length])
  assert.deepEqual([row?.status, row?.['prompt_tokens']], [200, tokens])
}

describe('small calls are answered while', () => {
  test('2048 texts of 15 kB each, as JSON, pass', async () => {
    const input = Array.from({ length: 2048 }, (_, index) => `${index} `.padEnd(12_300, 'lorem "ipsum"\n'))
    const request = { model: MODEL, input }
    const passed = await pass(request)
    const { data, model } = JSON.parse(passed.body.toString())
    assert.equal(model, MODEL)
    assert.equal(data.length, 2048)
    // A vector is made of the whole text: it is right only where the text arrived whole.
    for (let at = 0; at < 2048; at += 89) assert.deepEqual(data[at].embedding, embeddingOf(MODEL, input[at] ?? '', 8))
    const bytes = Buffer.byteLength(JSON.stringify(request))
    assert.ok(bytes > 30_000_000)
    await assertLogged(passed, bytes, 2048 * Math.ceil(12_300 / 4))
    assert.ok(passed.overtakers > 0)
    assert.ok(passed.longestJson < SMALL_TEXT, `${passed.longestJson}`)
  })

  for (const [encoding_format, dimensions] of [
    ['base64', 2900],
    ['float', 1300],
  ] as const) {
    test(`30 MB of vectors pass as ${encoding_format}`, async () => {
      const input = Array.from({ length: 2048 }, (_, index) => `text ${index}`)
      const request = { model: MODEL, input, encoding_format, dimensions }
      const passed = await pass(request)
      assert.ok(passed.body.length > 29_000_000, `${passed.body.length}`)
      const { data } = JSON.parse(passed.body.toString())
      for (let at = 0; at < 2048; at += 89) {
        const vector = embeddingOf(MODEL, input[at] ?? '', dimensions)
        assert.deepEqual(data[at].embedding, encoding_format === 'base64' ? toBase64(vector) : vector)
      }
      const tokens = input.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0)
      await assertLogged(passed, Buffer.byteLength(JSON.stringify(request)), tokens)
      assert.ok(passed.overtakers > 0)
      assert.ok(passed.longestJson < SMALL_TEXT, `${passed.longestJson}`)
    })
  }
})
