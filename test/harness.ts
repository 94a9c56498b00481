import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FAMILY_NAMES } from '../simulator/families.ts'
import { type RecordedCall, type Simulator, type SimulatorOptions, startSimulator } from '../simulator/simulator.ts'
import { startGateway } from '../src/app/main.ts'
import type { Gateway } from '../src/app/serve.ts'

export const KEY = 'gw_live_test0000000000000000000000000000'
export const ADMIN_KEY = 'gw_admin_test000000000000000000000000000'

export interface Harness {
  url: string
  simulator: Simulator
  gateway: Gateway
  folder: string
  /** A chat completion with the test key; `body` is what the caller sends. */
  chat(body: unknown, headers?: Record<string, string>): Promise<Answered>
  /** The same for embeddings. */
  embed(body: unknown, headers?: Record<string, string>): Promise<Answered>
  get(path: string, headers?: Record<string, string>): Promise<Answered>
  /** The request log, oldest first, complete up to this moment. */
  rows(): Promise<Row[]>
  /** The row of one answer. */
  rowOf(answer: Answered): Promise<Row>
  /** What the providers were asked, model lists aside, oldest first. */
  upstream(): RecordedCall[]
  /** The body of the newest call at the providers. */
  sent(): Json
  stop(): Promise<void>
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
export type Json = any

export interface Answered {
  status: number
  headers: Headers
  json: Json
  text: string
}

export type Row = Record<string, unknown> & { id: string; status: number | null; code: string | null }

export interface HarnessOptions {
  /** Text of switchyard.yaml. */
  config?: string
  environment?: Record<string, string>
  simulator?: SimulatorOptions
  /** Families whose model list answers 503 at the start. */
  modelsDown?: ('openai' | 'anthropic')[]
  /** A folder to start on again; it is not removed at the end. */
  folder?: string
  /** Unix milliseconds: a clock that the test sets. */
  now?: () => number
  /** Until then nothing is moved from the spool into the database. */
  foldsAfter?: Promise<void>
}

/** A whole gateway over real sockets, in front of its own simulator, on free ports and its own folder. */
export async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
  const simulator = await startSimulator(options.simulator)
  for (const family of options.modelsDown ?? []) simulator.modelsDown(family, true)
  const folder = options.folder ?? newFolder()
  const configPath = join(folder, 'switchyard.yaml')
  writeFileSync(configPath, options.config ?? '')
  const environment = {
    PORT: '0',
    LOG_LEVEL: 'silent',
    // The machine of a test is busy with other tests: nothing is turned away for it.
    OVERLOAD_MS: '0',
    DATA_DIR: join(folder, 'data'),
    SWITCHYARD_CONFIG: configPath,
    GATEWAY_KEY: KEY,
    ADMIN_KEY,
    OPENAI_API_KEY: 'sk-test-openai-key',
    OPENAI_BASE_URL: simulator.openaiUrl,
    // What the simulator speaks is not found out: by default its calls are translated.
    OPENAI_SPEAKS: 'chat',
    ANTHROPIC_API_KEY: 'sk-ant-test-key',
    ANTHROPIC_BASE_URL: simulator.anthropicUrl,
    // A whole run on several threads; with --import ./test/more-cores.ts also on a small machine.
    SERVING_THREADS: process.env['TEST_THREADS'] ?? '1',
    SIMULATED: simulator.openaiUrl,
    ...Object.fromEntries(FAMILY_NAMES.map((name) => [`SIMULATED_${name.toUpperCase()}`, simulator[`${name}Url`]])),
    SIMULATED_HOST: new URL(simulator.openaiUrl).host,
    ...options.environment,
  }
  const { now, foldsAfter } = options
  const gateway = await startGateway(environment, { ...(now && { now }), ...(foldsAfter && { foldsAfter }) }).catch(
    async (error: unknown) => {
      // It would keep the process of the test from ending.
      await simulator.close()
      throw error
    },
  )
  const { url } = gateway
  const upstream = () => simulator.calls.filter((call) => call.method === 'POST')
  async function rows(): Promise<Row[]> {
    await gateway.store.requestLog.caughtUp()
    return (await gateway.store.db.selectFrom('requests').selectAll().orderBy('id').execute()) as unknown as Row[]
  }
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    ask(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  return {
    url,
    simulator,
    gateway,
    folder,
    chat: (body, headers) => post('/v1/chat/completions', body, headers),
    embed: (body, headers) => post('/v1/embeddings', body, headers),
    get: (path, headers = { authorization: `Bearer ${KEY}` }) => ask(url + path, { headers }),
    rows,
    async rowOf(answer) {
      const id = answer.headers.get('x-gateway-request-id')
      const row = (await rows()).find((candidate) => candidate.id === id)
      if (row === undefined) throw new Error(`no row ${id} in the request log`)
      return row
    },
    upstream,
    sent: () => upstream().at(-1)?.body,
    async stop() {
      await gateway.stop()
      await simulator.close()
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'switchyard-test-'))
}

/** Waits for something that happens soon, however busy the machine is. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  longestMs = 120_000,
): Promise<void> {
  const deadline = performance.now() + longestMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
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
