import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { after, test } from 'node:test'
import { startSimulator } from '../../simulator/simulator.ts'
import { hello, KEY, newFolder, until } from '../harness.ts'
import { startProcess } from '../process.ts'

const simulator = await startSimulator()
const folder = newFolder()
after(async () => {
  await simulator.close()
  rmSync(folder, { recursive: true, force: true })
})

/** On its own connection; 0: there was none. */
function statusOf(url: string, path: string, body?: unknown): Promise<number> {
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
  return new Promise((resolve) => {
    const agent = new Agent({ keepAlive: false })
    request(url + path, { agent, headers, method: body === undefined ? 'GET' : 'POST' }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0))
    })
      .on('error', () => resolve(0))
      .end(body === undefined ? undefined : JSON.stringify(body))
  })
}

for (const threads of ['1', '2']) {
  test(`after SIGTERM /readyz is 503 while new connections are still served (${threads} threads); a second one goes on at once`, async () => {
    const environment = {
      ...{ GATEWAY_KEY: KEY, OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: simulator.openaiUrl },
      // The test would wait for ten minutes if the second signal did not end it.
      ...{ DRAIN_GRACE_MS: '600000', SERVING_THREADS: threads, LOG_LEVEL: 'error' },
    }
    const started = startProcess({ folder, environment })
    const url = await started.url()
    assert.equal(await statusOf(url, '/readyz'), 200)
    started.child.kill('SIGTERM')
    await until(async () => (await statusOf(url, '/readyz')) === 503, 'it says that it leaves')
    assert.equal(await statusOf(url, '/v1/chat/completions', hello('gpt-any')), 200)
    assert.equal(await statusOf(url, '/healthz'), 200)
    started.child.kill('SIGTERM')
    assert.deepEqual(await started.ended, { code: 0, signal: null })
  })
}
