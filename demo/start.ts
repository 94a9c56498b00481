import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRandom } from '../simulator/random.ts'
import { type Simulator, startSimulator } from '../simulator/simulator.ts'
import { checkAddress, startGateway } from '../src/app/main.ts'
import type { Gateway } from '../src/app/serve.ts'
import { CONFIG, DEMO_ADMIN_KEY, DEMO_KEY } from './config.ts'
import { answerMs, streamPace } from './models.ts'
import { liveThroughPast } from './past.ts'
import { startTraffic } from './traffic.ts'

export interface DemoOptions {
  host?: string | undefined
  /** Default 8080; 0 picks a free one. */
  port?: string | number | undefined
  /** Whether simulated callers send calls while it runs. */
  traffic: boolean
  /** Unix milliseconds; its clock continues from there. */
  now?: number
  logLevel?: string | undefined
  /** Reports the day of its past that it has reached: from 0 to `HISTORY_DAYS`. */
  onDay?(day: number): void
}

export interface Demo {
  url: string
  adminKey: string
  gatewayKey: string
  gateway: Gateway
  stop(): Promise<void>
}

/** Longer than the simulator's sentences, like real answers. */
const ANSWER_TOKENS = 120
const LIST_MS = 20

/** The real gateway in front of simulated providers, a month after its first start. Its data is deleted afterwards. */
export async function startDemo(options: DemoOptions): Promise<Demo> {
  const { host, port, traffic, now = Date.now(), logLevel, onDay = () => {} } = options
  const ahead = now - Date.now()
  const random = createRandom(1)
  const latencyMs = (model: string | null) => (model === null ? LIST_MS : answerMs(model, ANSWER_TOKENS, random))
  await using opened = new AsyncDisposableStack()
  const simulator = await startSimulator({ latencyMs, pace: streamPace })
  opened.defer(() => simulator.close())
  const folder = temporaryFolder(opened)
  const environment = environmentOf(simulator, folder, logLevel)
  const served = { ...environment, HOST: host, PORT: port === undefined ? undefined : String(port) }
  // Before half a minute's work, not after it.
  await checkAddress(served)
  const keyValue = await liveThroughPast({ environment, now, edgeUrl: simulator.openaiUrl, onDay })
  const gateway = await startGateway(served, { now: () => Date.now() + ahead })
  opened.defer(() => gateway.stop())
  if (traffic) opened.use(startTraffic({ url: gateway.url, keyValue, simulator, now: () => Date.now() + ahead }))
  const kept = opened.move()
  const stop = () => kept.disposeAsync()
  return { url: gateway.url, adminKey: DEMO_ADMIN_KEY, gatewayKey: DEMO_KEY, gateway, stop }
}

/** Also removed when the process exits before it serves. */
function temporaryFolder(opened: AsyncDisposableStack): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-demo-'))
  // Threads that still write may add a file during it.
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 })
  process.once('exit', remove)
  opened.defer(() => {
    process.off('exit', remove)
    remove()
  })
  writeFileSync(join(folder, 'switchyard.yaml'), CONFIG)
  return folder
}

function environmentOf(simulator: Simulator, folder: string, logLevel = 'error') {
  return {
    LOG_LEVEL: logLevel,
    // Simulated providers and callers run in the same process: their load must not make it refuse calls.
    OVERLOAD_MS: '0',
    DATA_DIR: folder,
    // Content can be stored in the demo, too; it goes with the folder.
    SECRETS_KEY: randomBytes(32).toString('base64url'),
    SWITCHYARD_CONFIG: join(folder, 'switchyard.yaml'),
    GATEWAY_KEY: DEMO_KEY,
    ADMIN_KEY: DEMO_ADMIN_KEY,
    OPENAI_API_KEY: 'sk-simulated-openai',
    OPENAI_BASE_URL: simulator.openaiUrl,
    ANTHROPIC_API_KEY: 'sk-ant-simulated',
    ANTHROPIC_BASE_URL: simulator.anthropicUrl,
    SIMULATED_LOCAL: simulator.openaiUrl,
  }
}
