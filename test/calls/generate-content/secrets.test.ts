import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { startSimulator } from '../../../simulator/simulator.ts'
import { filesUnder } from '../../files-under.ts'
import { newFolder, until } from '../../harness.ts'
import { startProcess } from '../../process.ts'
import { ask } from './world.ts'

/** Each is so unlike anything else that finding it anywhere means a leak. */
const SECRETS = {
  ...{ provider: 'Zq7providerkey01XyW', caller: 'Zq7gatewaykey02XyW', wrong: 'Zq7wrongkey03XyW' },
  ...{ second: 'Zq7secondkey04XyW', prompt: 'Zq7prompt05XyW' },
}
const leaksIn = (text: string | Buffer) =>
  Object.entries(SECRETS).flatMap(([name, secret]) => (text.includes(secret) ? [name] : []))

const simulator = await startSimulator({ geminiKey: SECRETS.provider })
const folder = newFolder()
const exported: Buffer[] = []
const collector = createServer(async (request, response) => {
  exported.push(await buffer(request))
  response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
})
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
after(async () => {
  collector.close()
  await simulator.close()
  rmSync(folder, { recursive: true, force: true })
})

const METHODS: [method: string, body: object][] = [
  ['generateContent', ask(SECRETS.prompt)],
  ['streamGenerateContent', ask(SECRETS.prompt)],
  ['countTokens', ask(SECRETS.prompt)],
  ['embedContent', { content: { parts: [{ text: SECRETS.prompt }] } }],
  ['batchEmbedContents', { requests: [{ content: { parts: [{ text: SECRETS.prompt }] } }] }],
  ['predict', {}],
]
const { caller, wrong, second } = SECRETS
/** As they come in the query and in the headers: right, wrong, twice, and so that they contradict each other. */
const KEYS: [query: string | null, headers: Record<string, string>][] = [
  [caller, {}],
  [wrong, {}],
  [null, { 'x-goog-api-key': caller }],
  [null, { 'x-goog-api-key': wrong }],
  [null, { 'x-goog-api-key': second, authorization: `Bearer ${caller}` }],
  [caller, { 'x-goog-api-key': second }],
  [caller, { authorization: `Bearer ${second}` }],
  [wrong, { 'x-goog-api-key': wrong, authorization: `Bearer ${wrong}` }],
]

test('no key of a query or a header is in an answer, a log line, a row, a trace or a file', async () => {
  const path = join(folder, 'switchyard.yaml')
  writeFileSync(
    path,
    `providers:
  google: { family: gemini, base_url: "${simulator.geminiUrl}", api_key: ${SECRETS.provider} }
  local: { family: openai, base_url: "${simulator.openaiUrl}", api_key: ${SECRETS.provider} }
workspaces:
  default:
    routes:
      native: { chain: [{ provider: google, model: gemini-3.5-flash-sim-echo }] }
      failing: { chain: [{ provider: google, model: gemini-3.5-flash-sim-400 }] }
      chat: { chain: [{ provider: local, model: gpt-sim-echo }] }
`,
  )
  const gateway = startProcess({
    folder,
    environment: {
      ...{ LOG_LEVEL: 'trace', STREAMING: 'on', GATEWAY_KEY: SECRETS.caller, SWITCHYARD_CONFIG: path },
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
      OTEL_METRICS_EXPORTER: 'otlp',
    },
  })
  const url = await gateway.url()
  const statuses = new Set<number>()
  for (const alias of ['native', 'failing', 'chat', 'nowhere']) {
    for (const [method, body] of METHODS) {
      for (const [query, headers] of KEYS) {
        const asked = new URLSearchParams({ ...(query !== null && { key: query }), alt: 'sse' })
        const answer = await fetch(`${url}/v1beta/models/${alias}:${method}?${asked}`, {
          ...{ method: 'POST', body: JSON.stringify(body) },
          headers: { 'content-type': 'application/json', ...headers },
        })
        statuses.add(answer.status)
        const said = `${JSON.stringify([...answer.headers])}${await answer.text()}`
        // The model repeats what its own caller said.
        const leaks = leaksIn(said).filter((name) => name !== 'prompt')
        assert.deepEqual(leaks, [], `${method} ${said}`)
      }
    }
  }
  for (const path of [
    '/v1beta/models',
    '/v1beta/models/native',
    '/v1beta/files',
    '/upload/v1beta/files',
    '/v1beta/x',
  ]) {
    for (const [query, headers] of KEYS) {
      const answer = await fetch(`${url}${path}${query === null ? '' : `?key=${query}`}`, { headers })
      assert.deepEqual(leaksIn(JSON.stringify([...answer.headers]) + (await answer.text())), [], path)
    }
  }
  assert.deepEqual([...statuses].sort(), [200, 400, 401, 404])
  assert.deepEqual(leaksIn(await (await fetch(`${url}/metrics`)).text()), [])
  for (const { query, path: called } of simulator.calls) assert.deepEqual(leaksIn(`${called}?${query}`), [])
  assert.equal(await gateway.stop(), 0)
  await until(() => exported.length > 0, 'traces arrived')
  const files = filesUnder(join(folder, 'data'))
  assert.ok(files.some((file) => file.endsWith('switchyard.db')))
  for (const file of files) assert.deepEqual(leaksIn(readFileSync(file)), [], file)
  assert.ok(exported.some((body) => body.includes('native')))
  for (const body of exported) assert.deepEqual(leaksIn(body), [])
  assert.deepEqual(leaksIn(gateway.stdout() + gateway.stderr()), [])
})
