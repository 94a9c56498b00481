import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, beforeEach, describe, test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { type Harness, type Json, KEY, startHarness, until } from '../../harness.ts'
import { wav } from '../../sounds.ts'

const MIB = 1024 * 1024
const BOUND = 24 * MIB
const harness: Harness = await startHarness({
  config: `
providers:
  local: { family: openai, base_url: "\${SIMULATED}", api_key: local-key }
workspaces:
  default:
    routes:
      hear: { chain: [{ provider: local, model: whisper-1 }] }
      edit: { chain: [{ provider: local, model: gpt-image-2 }] }
registry:
  - { provider: local, model: whisper-1, mode: audio_transcription, unit_prices: [{ name: audio_input, unit: audio_minute, usd_per_1000: "6" }] }
`,
  // The bound has room for one body of the largest size, at least.
  environment: {
    MAX_BODY_BYTES: String(4 * MIB),
    MAX_BUFFERED_BYTES: String(BOUND),
    MAX_BUFFERED_BYTES_PER_KEY: String(BOUND),
  },
})
const { simulator } = harness
beforeEach(() => simulator.reset())
after(() => harness.stop())

const HEAD = '--b\r\ncontent-disposition: form-data; name="model"\r\n\r\nhear\r\n--b\r\n'
const FILE = 'content-disposition: form-data; name="file"; filename="a.wav"\r\ncontent-type: audio/wav\r\n\r\n'
const END = '\r\n--b--\r\n'

interface Upload {
  socket: Socket
  answer(): string
}

/** Only the head: what follows is up to the test. */
function open(length: number | null, path = '/v1/audio/transcriptions'): Upload {
  const { hostname, port } = new URL(harness.url)
  const socket = connect(Number(port), hostname)
  let text = ''
  socket.on('data', (piece) => (text += piece.toString('latin1'))).on('error', () => undefined)
  const framing = length === null ? 'transfer-encoding: chunked' : `content-length: ${length}`
  const fields = ['host: x', `authorization: Bearer ${KEY}`, 'content-type: multipart/form-data; boundary=b', framing]
  socket.write(`POST ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`)
  return { socket, answer: () => text }
}

async function buffered(): Promise<number> {
  const { text } = await harness.get('/metrics')
  return Number(/^switchyard_buffered_bytes (\d+)$/m.exec(text)?.[1])
}
const nothingHeld = () => until(async () => (await buffered()) === 0, 'nothing is held')

describe('an upload', () => {
  test('of 200 MB is refused by its announced length, without a byte of it', async () => {
    const { socket, answer } = open(200 * MIB)
    await until(async () => answer().includes('request_too_large'), 'it is refused')
    assert.match(answer(), /^HTTP\/1\.1 413 /)
    socket.destroy()
    await nothingHeld()
  })

  test('of 200 MB without a length is refused as soon as it is too long, in flat memory', async () => {
    const { socket, answer } = open(null)
    const piece = Buffer.concat([Buffer.from(`${MIB.toString(16)}\r\n`), Buffer.alloc(MIB), Buffer.from('\r\n')])
    let sent = 0
    let most = 0
    const before = process.memoryUsage().rss
    for (; sent < 200 && !socket.destroyed && !answer().includes('413'); sent++) {
      if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
      most = Math.max(most, process.memoryUsage().rss)
    }
    await until(async () => answer().includes('request_too_large'), 'it is refused')
    assert.match(answer(), /^HTTP\/1\.1 413 /)
    assert.ok(sent < 60, `${sent} MiB were taken`)
    assert.ok(most - before < 150 * MIB, `${(most - before) / MIB} MiB more`)
    socket.destroy()
    await nothingHeld()
  })

  test('that comes byte by byte is served; one that is given up is let go', async () => {
    const body = Buffer.concat([Buffer.from(HEAD + FILE), wav(0.1).subarray(0, 600), Buffer.from(END)])
    const { socket, answer } = open(body.length)
    for (const byte of body) {
      socket.write(Buffer.from([byte]))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await until(async () => answer().includes('HTTP/1.1'), 'it is answered')
    assert.match(answer(), /^HTTP\/1\.1 200 /)
    socket.destroy()
    const left = open(3 * MIB)
    left.socket.write(HEAD + FILE)
    left.socket.write(Buffer.alloc(MIB))
    await until(async () => (await buffered()) > 0, 'it is held')
    left.socket.destroy()
    await nothingHeld()
  })

  test('of which 50 come at once stay within the bound of all bodies; some are served, the others told to wait', async () => {
    const body = Buffer.concat([Buffer.from(HEAD + FILE), wav(60), Buffer.from(END)])
    const uploads = Array.from({ length: 50 }, () => open(body.length))
    let most = 0
    for (const { socket } of uploads) socket.write(body)
    await until(async () => {
      most = Math.max(most, await buffered())
      return uploads.every(({ answer }) => /\r\n\r\n/.test(answer()))
    }, 'all are answered')
    const statuses = uploads.map(({ answer }) => answer().slice(9, 12))
    assert.ok(
      statuses.every((status) => ['200', '429', '503'].includes(status)),
      statuses.join(),
    )
    assert.ok(statuses.includes('200'), statuses.join())
    assert.ok(most <= BOUND, `${most} bytes`)
    for (const { socket } of uploads) socket.destroy()
    await nothingHeld()
  })
})

test('an image that would unpack to gigabytes passes as it came: nothing is decoded', async () => {
  const chunk = (type: string, data: Buffer) => {
    const head = Buffer.alloc(8)
    head.writeUInt32BE(data.length)
    head.write(type, 4, 'latin1')
    return Buffer.concat([head, data, Buffer.alloc(4)])
  }
  const size = Buffer.alloc(13)
  size.writeUInt32BE(50_000, 0)
  size.writeUInt32BE(50_000, 4)
  const packed = deflateSync(Buffer.alloc(32 * MIB))
  const bomb = Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]),
    ...[chunk('IHDR', size), chunk('IDAT', packed), chunk('IEND', Buffer.alloc(0))],
  ])
  const form = new FormData()
  form.set('model', 'edit')
  form.set('prompt', 'make it blue')
  form.set('image', new File([bomb], 'bomb.png', { type: 'image/png' }))
  const answer = await fetch(`${harness.url}/v1/images/edits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}` },
    body: form,
  })
  assert.equal(answer.status, 200, await answer.text())
  const row = (await harness.rows()).find(({ endpoint }: Json) => endpoint === 'image_edits') as Json
  assert.deepEqual([row.endpoint, row.request_bytes < 2 * bomb.length + 2_000], ['image_edits', true])
})
