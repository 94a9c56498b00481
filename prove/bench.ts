import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandom, type Random } from '../simulator/random.ts'
import { type Simulator, startSimulator } from '../simulator/simulator.ts'
import { createGateway, type ProvedGateway } from './gateway.ts'
import { CONFIG } from './prices.ts'

export interface BenchOptions {
  /** Node's flags and the program of the gateway. */
  program: readonly string[]
  seed: number
  /** A part of the calls, for a quick look. */
  isQuick: boolean
}

/** A gateway with simulated providers that keep their own bill, in a folder that is removed afterwards. */
export interface Bench extends AsyncDisposable {
  random: Random
  isQuick: boolean
  simulator: Simulator
  gateway: ProvedGateway
  /** Where its data lies. */
  folder: string
  /** Texts that must be nowhere in what the gateway writes. */
  secrets: ReadonlySet<string>
  manage(method: string, path: string, body?: unknown): Promise<{ status: number; json: Json }>
  newKey(limits?: unknown): Promise<Key>
  ask(key: string, request: object, options?: AskOptions): Promise<Answer>
  /** What the log says of a key's calls. */
  rows(keyId: string): Promise<LoggedCall[]>
}

export interface AskOptions {
  path?: string
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal
}

export interface Key {
  id: string
  value: string
}

export interface Answer {
  /** 0: the connection broke before the answer was there. */
  status: number
  id: string | null
  /** As its header says. */
  costUsd: string | null
  text: string
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
    ask: (key, request, options) => ask(gateway.url(), key, request, options),
    rows: (keyId) => readRows(gateway, adminKey, keyId),
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

async function ask(url: string, key: string, request: object, options: AskOptions = {}): Promise<Answer> {
  const { path = '/v1/chat/completions', headers = {}, signal } = options
  try {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(request),
      ...(signal === undefined ? {} : { signal }),
    })
    const text = await response.text()
    const { headers: given } = response
    const id = given.get('x-gateway-request-id')
    return { status: response.status, id, costUsd: given.get('x-gateway-cost-usd'), text }
  } catch {
    return { status: 0, id: null, costUsd: null, text: '' }
  }
}

async function readRows(gateway: ProvedGateway, adminKey: string, keyId: string): Promise<LoggedCall[]> {
  const response = await fetch(`${gateway.url()}/requests/export?key=${keyId}`, {
    headers: { authorization: `Bearer ${adminKey}` },
  })
  const lines = (await response.text()).split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line))
}

/** Resolves once it is so; rejects after a while, with the words. */
export async function until(isSo: () => Promise<boolean> | boolean, what: string, withinMs = 30_000): Promise<void> {
  const end = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`this did not happen in time: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
