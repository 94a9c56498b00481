import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { type Harness, hello, type Json, startHarness, until } from '../harness.ts'

/** A provider that answers with bytes as they are, and keeps its connections. */
let next = ''
const sockets: Socket[] = []
const server = createServer((socket) => {
  sockets.push(socket)
  socket.on('error', () => {}).on('data', () => socket.write(next, 'latin1'))
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo

const harness: Harness = await startHarness({
  config: `
providers:
  doubtful: { family: openai, base_url: "http://127.0.0.1:${port}/v1", api_key: x }
workspaces:
  default:
    routes:
      alone: { chain: [{ provider: doubtful, model: m, timeout_ms: 60000, retries: 0 }] }
      falls: { chain: [{ provider: doubtful, model: m, timeout_ms: 60000, retries: 0 }, { provider: openai, model: gpt-sim-echo }] }
`,
})
after(async () => {
  await harness.stop()
  server.close()
})

const BODY = JSON.stringify({
  choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
})
const OK = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n`
const withLine = (line: string) => `${OK}${line}\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`
const chunk = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n`

const DOUBTFUL: Record<string, string> = {
  'a blank before a colon': withLine('x-a : b'),
  'a folded line': withLine('x-a: b\r\n c'),
  'a line that ends in LF': withLine('x-a: b\nx-c: d'),
  'only lines that end in LF': withLine('x-a: b').replaceAll('\r\n', '\n'),
  'a CR alone': withLine('x-a: b\rc'),
  'a NUL': withLine('x-a: b\0c'),
  'a line without a colon': withLine('x-a'),
  'a length twice': withLine(`content-length: ${BODY.length}`),
  'a length and chunks': `${OK}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n${chunk}\r\n`,
  'a trailer that is none': `${OK}transfer-encoding: chunked\r\n\r\n${chunk}x-a : b\r\n\r\n`,
}

/** It is asked, and answers as it should: neither is its circuit open, nor the connection gone. */
async function wellAnswered(): Promise<void> {
  next = withLine('x-a: b')
  for (let turn = 0; turn < 2; turn += 1) assert.equal((await harness.chat(hello('alone'))).status, 200)
}

describe('a provider whose answer holds', () => {
  test('nothing of the kind keeps its connection', async () => {
    await wellAnswered()
    assert.equal(sockets.length, 1)
  })

  for (const [what, answer] of Object.entries(DOUBTFUL)) {
    test(`${what}: the call goes on elsewhere, the connection ends`, async () => {
      await wellAnswered()
      next = answer
      const alone = await harness.chat(hello('alone'))
      assert.deepEqual([alone.status, alone.json.error.code], [502, 'upstream_error'])
      assert.match(alone.json.error.message, /not valid HTTP/)
      const answered = await harness.chat(hello('falls'))
      assert.deepEqual([answered.status, answered.headers.get('x-gateway-fallback-used')], [200, 'true'])
      const attempts: Json[] = JSON.parse(String((await harness.rowOf(answered))['attempts']))
      assert.deepEqual(
        attempts.map(({ provider, code, status }) => [provider, code, status]),
        [
          ['doubtful', 'upstream_error', null],
          ['openai', null, 200],
        ],
      )
      await until(() => sockets.every((socket) => socket.closed || socket.readableEnded), 'every connection is ended')
    })
  }
})
