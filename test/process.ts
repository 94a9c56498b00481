import { type ChildProcess, spawn } from 'node:child_process'
import { after } from 'node:test'
import { PROGRAM } from './built-program.ts'
import { COMPILE_CACHE } from './compile-cache.ts'
import { until } from './harness.ts'

/** The command line as its own process, with nothing in its environment but what the test says. */
export interface Started {
  child: ChildProcess
  stdout(): string
  stderr(): string
  /** Resolves when the process has ended and all it wrote has arrived. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  /** The address, once it serves. */
  url(): Promise<string>
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export interface StartOptions {
  environment?: Record<string, string>
  command?: string[]
  /** Where `./data` and `./switchyard.yaml` are looked for. */
  folder: string
}

/** A test that failed has not stopped its own: it would keep the whole run from ending. */
const started: ChildProcess[] = []
after(() => {
  for (const child of started) child.kill('SIGKILL')
})

export function startProcess({ environment = {}, command = ['serve'], folder }: StartOptions): Started {
  const child = spawn(process.execPath, [PROGRAM, ...command], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      PORT: '0',
      OVERLOAD_MS: '0',
      DRAIN_GRACE_MS: '0',
      ...COMPILE_CACHE,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.push(child)
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }))
  })
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr,
    ended,
    async url() {
      const serves = () => /serves on (http:\S+)\n/.exec(stdout)?.[1]
      await until(() => serves() !== undefined || child.exitCode !== null, 'it serves')
      const address = serves()
      if (address === undefined) throw new Error(`it does not serve: ${stderr}`)
      return address
    },
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      return (await ended).code
    },
  }
}
