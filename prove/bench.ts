import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandom } from '../simulator/random.ts'
import { type Simulator, startSimulator } from '../simulator/simulator.ts'
import { createGateway, type ProvedGateway } from './gateway.ts'
import { CONFIG, picodollars } from './prices.ts'
import { ask, type Target } from './target.ts'

export interface BenchOptions {
  /** Node's flags and the program of the gateway. */
  program: readonly string[]
  seed: number
  /** A part of the calls, for a quick look. */
  isQuick: boolean
}

/** A gateway with simulated providers that keep their own bill, in a folder that is removed afterwards. */
export interface Bench extends Target, AsyncDisposable {
  gateway: ProvedGateway
  /** Where its data lies. */
  folder: string
  /** Texts that must be nowhere in what the gateway writes. */
  secrets: ReadonlySet<string>
  manage(method: string, path: string, body?: unknown): Promise<{ status: number; json: Json }>
  /** What the log says of a key's calls. */
  rows(keyId: string): Promise<LoggedCall[]>
}

// biome-ignore lint/suspicious/noExplicitAny: whatever a gateway answers.
export type Json = any

export interface LoggedCall {
  id: string
  state: string
  status: number | null
  code: string | null
  session: string | null
  cost_usd: string | null
  unconfirmed_most_usd: string | null
}

/** Starts one; what was started is stopped if a part of it fails. */
export async function openBench({ program, seed, isQuick }: BenchOptions): Promise<Bench> {
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-prove-'))
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 })
  process.once('exit', remove)
  opened.defer(() => {
    process.off('exit', remove)
    remove()
  })
  const simulator = await startSimulator({ seed, keepCalls: 20_000 })
  opened.defer(() => simulator.close())
  writeFileSync(join(folder, 'switchyard.yaml'), CONFIG)
  const adminKey = `gw_admin_${randomBytes(24).toString('hex')}`
  const secrets = new Set([adminKey])
  const environment = environmentOf(folder, simulator, adminKey, secrets)
  const gateway = createGateway({ program, folder, environment })
  opened.defer(() => gateway.stop())
  await gateway.start()
  const manage = managing(gateway, adminKey)
  const rows = (keyId: string) => readRows(gateway, adminKey, keyId)
  const kept = opened.move()
  return {
    ...{ random: createRandom(seed), isQuick, simulator, gateway, folder, secrets, manage },
    async newKey(limits) {
      const { json } = await manage('POST', '/keys?workspace=default', {
        name: `prove-${secrets.size}`,
        ...(limits ? { limits } : {}),
      })
      secrets.add(json.value)
      return { id: json.id, value: json.value }
    },
    ...{ url: gateway.url, memory: gateway.memory, rows, modelOf: (name) => name, adminPath: '/keys' },
    ask: (key, request, options) => ask(gateway.url(), key, request, options),
    rotate: async ({ id }) => (await manage('POST', `/keys/${id}/rotate`, { overlap_seconds: 60 })).json.value,
    keyIds: async () => (await manage('GET', '/keys?workspace=default')).json.data.map(({ id }: Json) => id),
    isRefusal: ({ status }) => status === 402,
    spent: async ({ id }) => (await rows(id)).reduce((sum, row) => sum + picodollars(row.cost_usd), 0n),
    calls: async ({ id }) => (await rows(id)).length,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

function environmentOf(folder: string, simulator: Simulator, adminKey: string, secrets: Set<string>) {
  const secret = (prefix: string) => {
    const value = `${prefix}${randomBytes(24).toString('hex')}`
    secrets.add(value)
    return value
  }
  return {
    ...{ HOST: '127.0.0.1', PORT: '0', DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'info', STREAMING: 'on' },
    // Callers and providers run on the same machine: their load must not make it refuse calls.
    ...{ OVERLOAD_MS: '0', DRAIN_GRACE_MS: '0', ADMIN_KEY: adminKey, SECRETS_KEY: secret('') },
    ...{ SWITCHYARD_CONFIG: join(folder, 'switchyard.yaml') },
    ...{ OPENAI_API_KEY: secret('sk-'), OPENAI_BASE_URL: simulator.openaiUrl, OPENAI_SPEAKS: 'chat' },
    ...{ ANTHROPIC_API_KEY: secret('sk-ant-'), ANTHROPIC_BASE_URL: simulator.anthropicUrl },
  }
}

function managing(gateway: ProvedGateway, adminKey: string): Bench['manage'] {
  return async (method, path, body) => {
    const response = await fetch(`${gateway.url()}${path}`, {
      method,
      headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`)
    return { status: response.status, json: text === '' ? null : JSON.parse(text) }
  }
}

async function readRows(gateway: ProvedGateway, adminKey: string, keyId: string): Promise<LoggedCall[]> {
  const response = await fetch(`${gateway.url()}/requests/export?key=${keyId}`, {
    headers: { authorization: `Bearer ${adminKey}` },
  })
  const lines = (await response.text()).split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line))
}
