import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Simulator, type SimulatorOptions, startSimulator } from '../simulator/simulator.ts'
import { type Gateway, startGateway } from '../src/main.ts'

export const KEY = 'gw_live_test0000000000000000000000000000'
export const ADMIN_KEY = 'gw_admin_test000000000000000000000000000'

export interface Harness {
  url: string
  simulator: Simulator
  gateway: Gateway
  folder: string
  /** A chat completion with the test key; `body` is what the caller sends. */
  chat(body: unknown, headers?: Record<string, string>): Promise<Answered>
  get(path: string, headers?: Record<string, string>): Promise<Answered>
  /** The request log, oldest first, complete up to this moment. */
  rows(): Promise<Row[]>
  stop(): Promise<void>
}

export interface Answered {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  json: any
  text: string
}

export type Row = Record<string, unknown> & { id: string; status: number | null; code: string | null }

export interface HarnessOptions {
  /** Text of switchyard.yaml. */
  config?: string
  environment?: Record<string, string>
  simulator?: SimulatorOptions
}

/** A whole gateway over real sockets, in front of its own simulator, on free ports and a folder of its own. */
export async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
  const simulator = await startSimulator(options.simulator)
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-test-'))
  const configPath = join(folder, 'switchyard.yaml')
  writeFileSync(configPath, options.config ?? '')
  const gateway = await startGateway({
    PORT: '0',
    LOG_LEVEL: 'silent',
    DATA_DIR: join(folder, 'data'),
    SWITCHYARD_CONFIG: configPath,
    GATEWAY_KEY: KEY,
    ADMIN_KEY,
    OPENAI_API_KEY: 'sk-test-openai-key',
    OPENAI_BASE_URL: simulator.openaiUrl,
    ANTHROPIC_API_KEY: 'sk-ant-test-key',
    ANTHROPIC_BASE_URL: simulator.anthropicUrl,
    SIMULATED: simulator.openaiUrl,
    ...options.environment,
  })
  const { url } = gateway
  return {
    url,
    simulator,
    gateway,
    folder,
    chat: (body, headers = {}) =>
      ask(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    get: (path, headers = { authorization: `Bearer ${KEY}` }) => ask(url + path, { headers }),
    async rows() {
      await gateway.store.requestLog.caughtUp()
      return (await gateway.store.db.selectFrom('requests').selectAll().orderBy('id').execute()) as unknown as Row[]
    },
    async stop() {
      await gateway.stop()
      await simulator.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function ask(url: string, init: RequestInit): Promise<Answered> {
  const response = await fetch(url, init)
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: safeJson(text) }
}

function safeJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The shortest valid request. */
export function hello(model: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { model, messages: [{ role: 'user', content: 'hello' }], ...more }
}
