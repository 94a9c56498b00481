import assert from 'node:assert/strict'
import { get } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { ADMIN_KEY, type Harness, startHarness } from '../harness.ts'
import { managing } from './manage.ts'

let harness: Harness
const manage = managing(() => harness)
before(async () => {
  harness = await startHarness()
  for (let count = 0; count < 20; count++) await manage('POST', '/keys', { name: `key-${count}` })
})
after(() => harness.stop())

/** As it was sent: `fetch` would have decompressed it. */
function raw(path: string, accepted?: string) {
  const headers = {
    authorization: `Bearer ${ADMIN_KEY}`,
    ...(accepted !== undefined && { 'accept-encoding': accepted }),
  }
  return new Promise<{ headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
    get(harness.url + path, { headers, agent: false }, async (response) => {
      resolve({ headers: response.headers, bytes: Buffer.concat(await response.toArray()) })
    }).on('error', reject)
  })
}

describe('answers of the management API', () => {
  test('are compressed as the client takes them, and the same whichever it takes', async () => {
    const plain = await raw('/keys')
    assert.equal(plain.headers['content-encoding'], undefined)
    assert.equal(plain.headers['vary'], 'accept-encoding')
    assert.ok(plain.bytes.length > 4_000)
    for (const [accepted, encoding, decompress] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip', 'gzip', gunzipSync],
      ['br;q=0, gzip', 'gzip', gunzipSync],
    ] as const) {
      const { headers, bytes } = await raw('/keys', accepted)
      assert.equal(headers['content-encoding'], encoding, accepted)
      assert.equal(headers['content-length'], String(bytes.length))
      assert.ok(bytes.length < plain.bytes.length / 3, `${bytes.length} of ${plain.bytes.length}`)
      assert.equal(decompress(bytes).toString(), plain.bytes.toString())
    }
  })

  test('stay as they are where they are short, where the client takes nothing else, and for calls', async () => {
    for (const [path, accepted] of [
      ['/workspaces/default', 'gzip, br'],
      ['/keys', 'identity'],
      ['/v1/models', 'gzip, br'],
      ['/requests/export', 'gzip, br'],
    ] as const) {
      assert.equal((await raw(path, accepted)).headers['content-encoding'], undefined, path)
    }
  })

  test('have the same version, compressed or not', async () => {
    const limits = { rpm: 7 }
    const names = Array.from({ length: 200 }, (_, count) => `model-number-${count}`)
    const { json } = await manage('POST', '/keys', { name: 'long', allowed_models: names, limits })
    const [plain, short] = [await raw(`/keys/${json.id}`), await raw(`/keys/${json.id}`, 'br')]
    assert.equal(short.headers['content-encoding'], 'br')
    assert.equal(short.headers['etag'], plain.headers['etag'])
    const changed = await manage(
      'PATCH',
      `/keys/${json.id}`,
      { name: 'new' },
      { 'if-match': `${plain.headers['etag']}` },
    )
    assert.equal(changed.status, 200)
  })
})
