import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'

export interface GatewayOptions {
  /** Node's flags and the program. */
  program: readonly string[]
  folder: string
  environment: Readonly<Record<string, string>>
}

/** A gateway of its own process, in its own folder; it can be killed and started again. */
export interface ProvedGateway {
  url(): string
  /** All that it has written to its standard output and error so far. */
  written(): string
  pid(): number | undefined
  /** Bytes that it has in memory; null where the system does not say. */
  memory(): Promise<number | null>
  start(): Promise<void>
  /** SIGKILL: it cannot do anything about it. */
  kill(): Promise<void>
  stop(): Promise<void>
}

const READY = /(http:\/\/127\.0\.0\.1:\d+)/
const READY_WITHIN_MS = 60_000

export function createGateway({ program, folder, environment }: GatewayOptions): ProvedGateway {
  let child: ChildProcess | null = null
  let written = ''
  let url = ''

  async function end(signal: NodeJS.Signals): Promise<void> {
    const ending = child
    child = null
    if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return
    const exited = once(ending, 'exit')
    ending.kill(signal)
    await exited
  }

  const atExit = () => child?.kill('SIGKILL')
  process.once('exit', atExit)

  return {
    url: () => url,
    written: () => written,
    pid: () => child?.pid,
    memory: async () => residentBytes(child?.pid),
    async start() {
      const started = spawn(process.execPath, [...program, 'serve'], {
        cwd: folder,
        // Nothing of the shell's: a provider key in it must not be used.
        env: { PATH: process.env['PATH'] ?? '', ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child = started
      const from = written.length
      const ready = Promise.withResolvers<string>()
      const take = (chunk: Buffer) => {
        written += chunk.toString('utf8')
        const found = READY.exec(written.slice(from))?.[1]
        if (found !== undefined) ready.resolve(found)
      }
      started.stdout?.on('data', take)
      started.stderr?.on('data', take)
      started.once('exit', () => ready.reject(new Error(`the gateway did not start:\n${written.slice(from)}`)))
      const late = setTimeout(() => ready.reject(new Error('the gateway did not start in time')), READY_WITHIN_MS)
      url = await ready.promise.finally(() => clearTimeout(late))
    },
    kill: () => end('SIGKILL'),
    async stop() {
      await end('SIGTERM')
      process.off('exit', atExit)
    },
  }
}

export async function residentBytes(pid: number | undefined): Promise<number | null> {
  if (pid === undefined) return null
  // On Linux; an image may have no ps.
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]
  if (resident !== undefined) return Number(resident) * 1024
  const asked = spawn('ps', ['-o', 'rss=', '-p', String(pid)], { stdio: ['ignore', 'pipe', 'ignore'] })
  let text = ''
  asked.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  const isThere = await new Promise<boolean>((resolve) => {
    asked.once('error', () => resolve(false))
    asked.once('close', () => resolve(true))
  })
  const kilobytes = Number(text.trim())
  return isThere && kilobytes > 0 ? kilobytes * 1024 : null
}
