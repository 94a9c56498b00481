import assert from 'node:assert/strict'
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { requireDebianPackage } from '../debian-package.ts'

const folder = mkdtempSync(join(tmpdir(), 'switchyard-tls-'))
const [keyPath, certificatePath] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
/** Many records of TLS, and more than one read. */
const LONG_TEXT = Array.from({ length: 100_000 }, (_, index) => `line ${index}`).join('\n')
const handshakes: ('new' | 'resumed')[] = []
let port: number
let server: Server

before(async () => {
  requireDebianPackage('openssl', () => spawnSync('openssl', ['version']).status === 0)
  const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const files = ['-keyout', keyPath, '-out', certificatePath]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...name, ...files], {
    stdio: 'pipe',
  })
  const options = { key: readFileSync(keyPath), cert: readFileSync(certificatePath) }
  // Each answer ends its connection, so that the next call makes a new one.
  server = createServer(options, (request, response) => {
    request.resume()
    const body = request.url === '/long' ? LONG_TEXT : JSON.stringify({ host: request.headers.host })
    response.writeHead(200, { connection: 'close' }).end(body)
  })
  server.on('secureConnection', (socket) => handshakes.push(socket.isSessionReused() ? 'resumed' : 'new'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
after(() => {
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A separate process: the trusted CAs are read at its start. */
async function callsFrom(url: string, env: Record<string, string>): Promise<string[]> {
  const program = `
    import { createUpstreamClient } from '${new URL('../../src/upstream/client.ts', import.meta.url)}'
    import { bodyOf } from '${new URL('../../src/upstream/whole-response.ts', import.meta.url)}'
    const client = createUpstreamClient()
    const endpoint = client.endpoint({ url: '${url}', headers: {} })
    for (let turn = 0; turn < 2; turn++) {
      const outcome = await client.exchange(endpoint, { method: 'POST', body: '{}', timeoutMs: 60_000, presence: null })
      console.log(outcome.kind === 'reply' ? bodyOf(outcome).toString() : outcome.kind + ' ' + outcome.detail)
    }
    client.close()`
  const args = ['--input-type=module', '--eval', program]
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, ...env },
    maxBuffer: 16 * 1024 * 1024,
  })
  return stdout.trim().split('\n')
}

test('a provider behind TLS is called by its name, and the second connection resumes the session of the first', async () => {
  const answers = await callsFrom(`https://localhost:${port}/v1`, { NODE_EXTRA_CA_CERTS: certificatePath })
  assert.deepEqual(answers, [`{"host":"localhost:${port}"}`, `{"host":"localhost:${port}"}`])
  assert.deepEqual(handshakes, ['new', 'resumed'])
})

test('a long answer behind TLS arrives as it was sent', async () => {
  const answers = await callsFrom(`https://localhost:${port}/long`, { NODE_EXTRA_CA_CERTS: certificatePath })
  assert.equal(answers.join('\n'), `${LONG_TEXT}\n${LONG_TEXT}`)
})

test('a certificate that nobody vouches for, or of another name, ends the call before anything is sent', async () => {
  const unknown = await callsFrom(`https://localhost:${port}/v1`, {})
  assert.deepEqual(unknown, Array(2).fill('unreachable DEPTH_ZERO_SELF_SIGNED_CERT'))
  const misnamed = await callsFrom(`https://127.0.0.1:${port}/v1`, { NODE_EXTRA_CA_CERTS: certificatePath })
  assert.deepEqual(misnamed, Array(2).fill('unreachable ERR_TLS_CERT_ALTNAME_INVALID'))
})
