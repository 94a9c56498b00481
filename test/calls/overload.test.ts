import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSimulator } from '../../simulator/simulator.ts'
import { ADMIN_KEY, hello, KEY, newFolder, until } from '../harness.ts'
import { type Started, startProcess } from '../process.ts'

const CALLERS = 2_000
const simulator = await startSimulator()
const folders: string[] = []
after(async () => {
  await simulator.close()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A process that has not served anything yet. */
async function startCold(overloadMs: string): Promise<{ gateway: Started; url: URL }> {
  const folder = newFolder()
  folders.push(folder)
  const gateway = startProcess({
    folder,
    environment: {
      OVERLOAD_MS: overloadMs,
      LOG_LEVEL: 'silent',
      GATEWAY_KEY: KEY,
      ADMIN_KEY,
      OPENAI_API_KEY: 'sk-test-openai-key',
      OPENAI_BASE_URL: simulator.openaiUrl,
    },
  })
  return { gateway, url: new URL(await gateway.url()) }
}

function request(model: string): string {
  const body = JSON.stringify(hello(model))
  const fields = [`authorization: Bearer ${KEY}`, 'content-type: application/json', `content-length: ${body.length}`]
  return ['POST /v1/chat/completions HTTP/1.1', 'host: gateway', ...fields, '', body].join('\r\n')
}

const SERVED = request('gpt-4o-mini')
/** Read, looked up and logged, without calling a provider. */
const UNKNOWN = request('no-such-model')

async function openAll(url: URL): Promise<Socket[]> {
  const sockets = Array.from({ length: CALLERS }, () =>
    connect(Number(url.port), url.hostname).on('error', () => undefined),
  )
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  return sockets
}

/** Sends a call and waits for the whole answer; its status, 0 for a connection that broke. */
function ask(socket: Socket, text = SERVED): Promise<number> {
  return new Promise((resolve) => {
    let received = ''
    const end = (status: number) => {
      socket.off('data', read).off('close', broken)
      resolve(status)
    }
    const broken = () => end(0)
    const read = (chunk: Buffer) => {
      received += chunk
      const headEnd = received.indexOf('\r\n\r\n')
      const length = /^content-length: (\d+)$/im.exec(received)?.[1]
      if (headEnd < 0 || received.length < headEnd + 4 + Number(length)) return
      end(Number(received.slice(9, 12)))
    }
    socket.on('data', read).on('close', broken)
    socket.write(text)
  })
}

function countsOf(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** As on a core that others have most of the time. */
function starve({ child }: Started): () => void {
  const hold = setInterval(() => {
    child.kill('SIGSTOP')
    setTimeout(() => child.kill('SIGCONT'), 15)
  }, 20)
  return () => {
    clearInterval(hold)
    child.kill('SIGCONT')
  }
}

describe('2,000 callers at once, in a process that has served nothing yet', () => {
  test('are all served, on connections that are new', async () => {
    const { gateway, url } = await startCold('500')
    // All of them are waiting when the gateway resumes, however slow the machine.
    gateway.child.kill('SIGSTOP')
    const sockets = await openAll(url)
    const answers = sockets.map((socket) => ask(socket))
    gateway.child.kill('SIGCONT')
    assert.deepEqual(countsOf(await Promise.all(answers)), { 200: CALLERS })
    for (const socket of sockets) socket.destroy()
  })

  for (const isStarved of [false, true]) {
    test(`are all served, on open connections${isStarved ? ', on a core that others need' : ''}`, async (context) => {
      const { gateway, url } = await startCold('500')
      const sockets = await openAll(url)
      // Connections are taken in order: when this one is, all are.
      assert.equal((await fetch(`${url.origin}/healthz`)).status, 200)
      gateway.child.kill('SIGSTOP')
      const answers = sockets.map((socket) => ask(socket))
      if (isStarved) context.after(starve(gateway))
      else gateway.child.kill('SIGCONT')
      assert.deepEqual(countsOf(await Promise.all(answers)), { 200: CALLERS })
      for (const socket of sockets) socket.destroy()
    })
  }
})

test('under more than can be done some are turned away, and all are served when it is over', async (context) => {
  const { gateway, url } = await startCold('20')
  const relieve = starve(gateway)
  context.after(relieve)
  const seen: Record<number, number> = {}
  let isOver = false
  const sockets = await openAll(url)
  const callers = sockets.map(async (socket) => {
    while (!isOver) {
      const status = await ask(socket, UNKNOWN)
      seen[status] = (seen[status] ?? 0) + 1
      // Clients wait before they ask again.
      if (status === 503) await sleep(100)
    }
  })
  await until(() => (seen[503] ?? 0) > 0, 'a call is turned away')
  const taken = seen[404] ?? 0
  await until(() => (seen[404] ?? 0) > taken + 1_000, 'calls are taken all the same')
  isOver = true
  await Promise.all(callers)
  assert.deepEqual(Object.keys(seen), ['404', '503'])
  relieve()
  const [socket] = sockets
  assert.ok(socket !== undefined)
  for (let call = 0; call < 100; call++) assert.equal(await ask(socket), 200)
  for (const each of sockets) each.destroy()
})
