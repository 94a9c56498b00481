import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { endWithUs, type RunningProcess, startProcess } from '../../test/child-process.ts'
import type { LoadOrder, LoadResult } from '../load/load.ts'
import { type Pinning, pinSelf } from './pinning.ts'

/** Measured in every part. */
export const FAMILIES = ['openai', 'anthropic'] as const
export type Family = (typeof FAMILIES)[number]

/** Where the load sends its calls. */
export interface Target {
  name: string
  family: Family
  url: string
  /** More nodes of the same cluster. */
  others?: readonly string[]
  path: string
  headers: Record<string, string>
  model: string
  stream?: boolean
  /** Where the usual number would be too many. */
  connections?: number
  /** The measured process; null for none. */
  pid: number | null
}

const FAMILY_NAME: Readonly<Record<Family, string>> = {
  openai: 'OpenAI family',
  anthropic: 'Anthropic family',
}

/** The name of a row. Bare proxies and direct calls have one family only. */
export function label({ name, family }: { name: string; family: Family }): string {
  return /^(bare|direct)/.test(name) ? name : `${name}, ${FAMILY_NAME[family]}`
}

export const CHAT_PATH = '/v1/chat/completions'

export function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
}

/** The processes of one measurement, on their cores. Disposing it ends all of them. */
export interface Scene extends AsyncDisposable {
  pinning: Pinning
  /** Temporary. */
  folder: string
  add(launched: Promise<RunningProcess>): Promise<RunningProcess>
  load<Order extends LoadOrder>(order: Order): Promise<LoadResult<Order>>
}

export function createScene(pinning = pinSelf()): Scene {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-'))
  const running = new AsyncDisposableStack()
  // Processes that were just killed may still write there.
  const removeFolder = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.once('exit', removeFolder)
  running.defer(() => {
    process.removeListener('exit', removeFolder)
    removeFolder()
  })
  return {
    pinning,
    folder,
    async add(launched) {
      const process = await launched
      running.defer(async () => void (await process.stop()))
      return process
    },
    async load<Order extends LoadOrder>(order: Order) {
      const program = join(import.meta.dirname, '../load/load.ts')
      const { command, args } = pinning.on('around', process.execPath, [program, JSON.stringify(order)])
      const running = promisify(execFile)(command, args, { maxBuffer: 64 * 1024 * 1024 })
      endWithUs(running.child)
      const { stdout } = await running
      return JSON.parse(stdout) as LoadResult<Order>
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** The same provider with three delays. */
export interface Upstream {
  immediate: string
  /** For added latency. */
  after50ms: string
  /** For many calls in flight. */
  after2s: string
}

export async function startUpstream(scene: Scene): Promise<Upstream> {
  const [immediate = '', after50ms = '', after2s = ''] = await startUpstreams(scene, ['0', '50', '2000'])
  return { immediate, after50ms, after2s }
}

/** One address for each of them; load/upstream.ts describes them. */
export async function startUpstreams({ pinning, add }: Scene, kinds: readonly string[]): Promise<string[]> {
  const program = join(import.meta.dirname, '../load/upstream.ts')
  const command = pinning.on('around', process.execPath, [program, ...kinds])
  const { ready } = await add(startProcess({ ...command, readyWhen: /on (http:\S+) ready/ }))
  return ready.split(',')
}
