import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Simulator, startSimulator } from '../../simulator/simulator.ts'
import { ADMIN_KEY, type Answered, type Json, KEY, newFolder, until } from '../harness.ts'
import { startPostgres } from '../postgres.ts'
import { startProcess } from '../process.ts'
import { startValkey } from '../valkey.ts'

/** Parts that only some set-ups load are files of their own in dist/: each is started here as it is installed. */
const SET_UPS: Record<string, () => Promise<Record<string, string>>> = {
  'SQLite and a cache in memory': async () => ({}),
  'two serving threads': async () => ({ SERVING_THREADS: '2' }),
  async 'PostgreSQL and Valkey'() {
    const [postgres, valkey] = [await startPostgres(), await startValkey()]
    after(async () => {
      for (const server of [postgres, valkey]) await server.stop()
    })
    const database = { DATABASE_URL: await postgres.createDatabase() }
    return { ...database, REDIS_URL: valkey.url, CACHE_REDIS_URL: `${valkey.url}/1` }
  },
}

const CONFIG = `
workspaces:
  default:
    streaming: true
    content: { patterns: [{ name: order, regex: "order-[0-9]+" }] }
    routes:
      echo: { chain: [{ provider: openai, model: gpt-sim-echo }], cache: { ttl_seconds: 3600 } }
`
const MORE_CORES = `--import=${join(import.meta.dirname, '../more-cores.ts')}`

let simulator: Simulator
before(async () => {
  simulator = await startSimulator()
})
after(() => simulator.close())

async function ask(url: string, key: string, body?: unknown): Promise<Answered> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await fetch(
    url,
    body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) },
  )
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text.startsWith('{') ? JSON.parse(text) : null,
  }
}

for (const [name, environmentOf] of Object.entries(SET_UPS)) {
  test(`the built program with ${name} serves, logs, stores content and caches`, async () => {
    const folder = newFolder()
    after(() => rmSync(folder, { recursive: true, force: true }))
    writeFileSync(join(folder, 'switchyard.yaml'), CONFIG)
    const started = startProcess({
      folder,
      environment: {
        ...{ GATEWAY_KEY: KEY, ADMIN_KEY, OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: simulator.openaiUrl },
        ...{ NODE_OPTIONS: MORE_CORES, LOG_LEVEL: 'error', SECRETS_KEY: 'a-key-of-this-installation' },
        ...(await environmentOf()),
      },
    })
    const url = await started.url()
    const manage = async (path: string): Promise<Json> => (await ask(url + path, ADMIN_KEY)).json
    // A small body, one that a worker reads, and a stream.
    for (const [said, stream] of [
      ['short order-77', false],
      ['long '.repeat(40_000), false],
      ['streamed', true],
    ] as const) {
      const body = { model: 'echo', stream, messages: [{ role: 'user', content: said }] }
      const chat = () => ask(`${url}/v1/chat/completions`, KEY, body)
      const answer = await chat()
      assert.equal(answer.status, 200, `${answer.text.slice(0, 500)} ${started.stderr()}`)
      const id = answer.headers.get('x-gateway-request-id')
      await until(async () => (await manage(`/requests/${id}`)).status === 200, 'its row is in the log')
      const row = await manage(`/requests/${id}`)
      assert.deepEqual([row.route, row.provider, row.streamed], ['echo', 'openai', stream])
      await until(async () => (await manage(`/requests/${id}/content`)).request !== undefined, 'its content is stored')
      const { request } = await manage(`/requests/${id}/content`)
      assert.ok(request.text.includes(said.slice(0, 6)) && !request.text.includes('order-77'))
      await until(async () => (await chat()).headers.get('x-gateway-cache') === 'hit', 'its answer is stored')
    }
    assert.equal(await started.stop(), 0, started.stderr())
    assert.equal(started.stderr(), '')
  })
}
