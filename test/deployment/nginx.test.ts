import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { requireDebianPackage } from '../debian-package.ts'
import { fixedPort } from '../fixed-port.ts'
import { until } from '../harness.ts'
import { ROOT } from './manifest.ts'

/** A stand-in for a gateway with scripted behaviour that records its requests. */
interface Standin {
  port: number
  seen: string[]
  behaviour: 'answers' | 'breaks'
  server: Server
}

const folder = mkdtempSync(join(tmpdir(), 'switchyard-nginx-'))
const standins: Standin[] = []
let url = ''
let nginx: ReturnType<typeof spawn>

async function startStandin(port: number): Promise<Standin> {
  const server = createServer((request, response) => {
    request
      .on('data', () => {})
      .on('end', () => {
        standin.seen.push(`${request.method} ${request.url}`)
        if (standin.behaviour === 'breaks') response.socket?.destroy()
        else response.end(`${request.headers.host} ${request.headers['x-forwarded-proto']}`)
      })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const standin: Standin = { port, seen: [], behaviour: 'answers', server }
  return standin
}

before(async () => {
  requireDebianPackage('nginx', () => existsSync('/usr/sbin/nginx'))
  standins.push(await startStandin(await fixedPort()), await startStandin(await fixedPort()))
  const front = await fixedPort()
  url = `http://127.0.0.1:${front}`
  // max_fails=0: a node that failed in one test is asked in the next.
  const servers = standins.map(({ port }) => `server 127.0.0.1:${port} max_fails=0;`).join('\n')
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log info; events {}
    http { access_log off; client_body_temp_path ${folder}/bodies; proxy_temp_path ${folder}/answers;
      upstream switchyard { ${servers} }
      server { listen 127.0.0.1:${front}; include ${join(ROOT, 'deploy/nginx/proxy.conf')}; } }`,
  )
  nginx = spawn('/usr/sbin/nginx', ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], {
    stdio: 'ignore',
  })
  await until(async () => (await fetch(url).catch(() => null)) !== null, 'nginx listens')
  for (const standin of standins) standin.seen = []
})
after(async () => {
  nginx.kill('SIGTERM')
  await new Promise((resolve) => nginx.once('exit', resolve))
  for (const { server } of standins) server.close()
  rmSync(folder, { recursive: true, force: true })
})

const seen = () => standins.flatMap((standin) => standin.seen.splice(0))
const post = (body = '{}') => fetch(`${url}/v1/chat/completions`, { method: 'POST', body })

describe('nginx with deploy/nginx/proxy.conf', () => {
  test('does not repeat a POST that a node has seen, and tells its caller', async () => {
    for (const standin of standins) standin.behaviour = 'breaks'
    for (let turn = 0; turn < 4; turn++) {
      assert.equal((await post()).status, 502)
      assert.equal(seen().length, 1)
    }
    for (const standin of standins) standin.behaviour = 'answers'
  })

  test('repeats a GET, which changes nothing', async () => {
    const [broken] = standins
    assert.ok(broken)
    broken.behaviour = 'breaks'
    for (let turn = 0; turn < 4; turn++) assert.equal((await fetch(`${url}/readyz`)).status, 200)
    broken.behaviour = 'answers'
    assert.ok(seen().length > 4)
  })

  test('sends a POST to the other node when one refuses the connection', async () => {
    const [gone] = standins
    assert.ok(gone)
    gone.server.closeAllConnections()
    await new Promise((resolve) => gone.server.close(resolve))
    for (let turn = 0; turn < 4; turn++) assert.equal((await post()).status, 200)
    assert.equal(seen().length, 4)
    standins[0] = await startStandin(gone.port)
  })

  test('hands on host and protocol, and keeps the metrics of one node to itself', async () => {
    assert.equal(await (await fetch(url)).text(), `${new URL(url).host} http`)
    assert.equal((await fetch(`${url}/metrics`)).status, 404)
    assert.deepEqual(seen(), ['GET /'])
  })

  test('writes no prompt to its disk, however long', async () => {
    assert.equal((await post('x'.repeat(32 * 1024 * 1024))).status, 200)
    assert.doesNotMatch(readFileSync(join(folder, 'error.log'), 'utf8'), /buffered to a temporary file/)
    assert.equal(execFileSync('find', [join(folder, 'bodies'), join(folder, 'answers'), '-type', 'f']).toString(), '')
  })
})
