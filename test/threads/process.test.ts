import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { Client } from 'undici'
import { type Simulator, startSimulator } from '../../simulator/simulator.ts'
import { ADMIN_KEY, hello, KEY, newFolder, until } from '../harness.ts'
import { type Started, startProcess } from '../process.ts'

let simulator: Simulator
before(async () => {
  simulator = await startSimulator()
})
after(() => simulator.close())

const PRELOADS = ['../more-cores.ts', './break-thread.ts'].map((file) => `--import=${join(import.meta.dirname, file)}`)

function start(folder: string, threads: number, more: Record<string, string> = {}): Started {
  const environment = {
    NODE_OPTIONS: PRELOADS.join(' '),
    SERVING_THREADS: String(threads),
    DATA_DIR: join(folder, 'data'),
    BREAK_THREAD: join(folder, 'break'),
    GATEWAY_KEY: KEY,
    ADMIN_KEY,
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: simulator.openaiUrl,
    ...more,
  }
  return startProcess({ folder, environment })
}

interface Load {
  /** The ids of answers that arrived whole. */
  ids: string[]
  stop(): Promise<void>
}

/** Clients with a connection each, one call after the other, until they are stopped or cut off. */
function startLoad(url: string, clients: number): Load {
  const ids: string[] = []
  let isStopped = false
  async function one(): Promise<void> {
    const client = new Client(url)
    while (!isStopped) {
      const answer = await client.request({
        method: 'POST',
        path: '/v1/chat/completions',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: JSON.stringify(hello('gpt-sim-slow-5')),
      })
      const { id } = (await answer.body.json()) as { id: string }
      ids.push(id)
    }
    await client.close()
  }
  const all = Promise.all(Array.from({ length: clients }, () => one().catch(() => {})))
  return {
    ids,
    async stop() {
      isStopped = true
      await all
    },
  }
}

/** The log as it lies on disk. */
function loggedIds(folder: string, where = ''): string[] {
  const database = new DatabaseSync(join(folder, 'data/switchyard.db'), { readOnly: true })
  const rows = database.prepare(`select id from requests ${where}`).all()
  database.close()
  return rows.map(({ id }) => String(id))
}

describe('a serving thread does not die alone', () => {
  for (const how of ['throws', 'exits', 'fills its heap']) {
    test(`one that ${how} ends the process, and nothing that was answered is lost`, { timeout: 300_000 }, async () => {
      const folder = newFolder()
      const heap = how === 'fills its heap' ? { NODE_OPTIONS: `${PRELOADS.join(' ')} --max-old-space-size=150` } : {}
      const gateway = start(folder, 4, heap)
      const load = startLoad(await gateway.url(), 16)
      await until(() => load.ids.length > 100, 'calls are answered')
      writeFileSync(join(folder, `break-${how}`), '')
      const { code } = await gateway.ended
      await load.stop()
      assert.equal(code, 1)
      assert.match(
        gateway.stderr(),
        /"level":"fatal".*"thread":2.*a serving thread has ended unexpectedly, so the gateway stops/,
      )
      rmSync(join(folder, `break-${how}`))
      const again = start(folder, 2)
      await again.url()
      assert.equal(await again.stop(), 0)
      const logged = new Set(loggedIds(folder))
      assert.deepEqual(
        load.ids.filter((id) => !logged.has(id)),
        [],
      )
      assert.deepEqual(loggedIds(folder, `where state = 'open'`), [])
      rmSync(folder, { recursive: true })
    })
  }
})

test('a start finds the rows of more threads than it has and removes their files, and a stop drains them all', {
  timeout: 300_000,
}, async () => {
  const folder = newFolder()
  const all: string[] = []
  for (const [threads, isKilled] of [
    [4, true],
    [2, false],
    [1, true],
    [3, false],
    [1, false],
  ] as const) {
    // A removed spool: the database knows its last number.
    if (threads === 3) rmSync(join(folder, 'data/spool/3'), { recursive: true })
    const gateway = start(folder, threads)
    const load = startLoad(await gateway.url(), 12)
    await until(() => load.ids.length > 50, 'calls are answered')
    if (isKilled) await gateway.stop('SIGKILL')
    else {
      const [code] = await Promise.all([gateway.stop(), load.stop()])
      assert.equal(code, 0, gateway.stderr())
      const serving = threads === 1 ? 0 : threads
      for (const gone of ['1', '2', '3', '4'].slice(serving))
        assert.deepEqual(readdirSync(join(folder, 'data/spool', gone)), ['node'], `spool ${gone} of ${threads} threads`)
    }
    await load.stop()
    all.push(...load.ids)
  }
  const logged = new Set(loggedIds(folder))
  assert.deepEqual(
    all.filter((id) => !logged.has(id)),
    [],
  )
  assert.deepEqual(loggedIds(folder, `where state = 'open'`), [])
  assert.deepEqual(
    readdirSync(join(folder, 'data/spool')).filter((name) => /^\d$/.test(name)),
    ['1', '2', '3', '4'],
  )
  rmSync(folder, { recursive: true })
})

test('calls in flight on all threads are answered before a stop ends', { timeout: 120_000 }, async () => {
  const folder = newFolder()
  const gateway = start(folder, 3)
  const url = await gateway.url()
  simulator.reset()
  simulator.hold()
  const calls = Array.from({ length: 24 }, async () => {
    const client = new Client(url)
    const answer = await client.request({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(hello('gpt-4o')),
    })
    await answer.body.text()
    await client.close()
    return answer.statusCode
  })
  await until(() => simulator.calls.filter(({ method }) => method === 'POST').length === 24, 'all are in flight')
  gateway.child.kill('SIGTERM')
  await until(() => gateway.stderr().includes('draining'), 'it drains')
  simulator.release()
  assert.deepEqual(await Promise.all(calls), Array(24).fill(200))
  assert.equal((await gateway.ended).code, 0)
  assert.equal(loggedIds(folder, `where status = 200`).length, 24)
  rmSync(folder, { recursive: true })
})

test('the port of another gateway with threads is not shared', { timeout: 120_000 }, async () => {
  const [one, other] = [newFolder(), newFolder()]
  const first = start(one, 2)
  const { port } = new URL(await first.url())
  const second = start(other, 2, { PORT: port })
  assert.equal((await second.ended).code, 1)
  assert.match(second.stderr(), new RegExp(`127.0.0.1:${port} is in use by another program`))
  assert.equal(await first.stop(), 0)
  for (const folder of [one, other]) rmSync(folder, { recursive: true })
})

test('more threads than cores are refused in words', async () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'data'))
  const gateway = start(folder, 17)
  assert.equal((await gateway.ended).code, 2)
  assert.match(gateway.stderr(), /SERVING_THREADS: this machine has 16 cores: set 16 or less, or auto/)
  rmSync(folder, { recursive: true })
})

test('administration keeps its own port', { timeout: 120_000 }, async () => {
  const folder = newFolder()
  const gateway = start(folder, 2, { ADMIN_PORT: '0' })
  const url = await gateway.url()
  const reported = () => /"adminUrl":"([^"]+)"/.exec(gateway.stderr())?.[1]
  // The address came through another pipe.
  await until(() => reported() !== undefined, 'it tells where administration is')
  const admin = reported()
  assert.notEqual(admin, url)
  const status = async (path: string) =>
    (await fetch(path, { headers: { authorization: `Bearer ${ADMIN_KEY}` } })).status
  assert.deepEqual(
    await Promise.all([
      status(`${url}/status`),
      status(`${url}/readyz`),
      status(`${admin}/status`),
      status(`${admin}/metrics`),
    ]),
    [404, 200, 200, 200],
  )
  assert.equal(await gateway.stop(), 0)
  rmSync(folder, { recursive: true })
})
