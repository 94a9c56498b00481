import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

export interface LaunchOptions {
  command: string
  args: readonly string[]
  env?: Readonly<Record<string, string>>
  cwd?: string
}

export interface ProcessOptions extends LaunchOptions {
  /** The process is ready when its output matches; `ready` is the first group. */
  readyWhen: RegExp
  readyWithinMs?: number
}

/** A process that has reported that it is ready. */
export interface RunningProcess {
  pid: number
  /** Usually its address. */
  ready: string
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>
  /** SIGKILL. */
  kill(): Promise<void>
}

const READY_WITHIN_MS = 120_000
const KEPT_OUTPUT = 4_000

/** The only variables that the child inherits: a provider key in the developer's shell must not reach it. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'LANG']

export async function startProcess(options: ProcessOptions): Promise<RunningProcess> {
  const child = launch(options)
  const ready = await untilReady(child, options)
  return {
    pid: child.pid ?? 0,
    ready,
    async stop() {
      if (!hasEnded(child)) {
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
      return child.exitCode
    },
    kill: () => killAndWait(child),
  }
}

/** Does not wait until it is ready. */
export function launch({ command, args, env = {}, cwd }: LaunchOptions): ChildProcess {
  const inherited = Object.fromEntries(PASSED_ON.map((name) => [name, process.env[name]]))
  const child = spawn(command, args, { env: { ...inherited, ...env }, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  endWithUs(child)
  return child
}

const children = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** No child outlives this process, unless a signal without a handler ends it. */
export function endWithUs(child: ChildProcess): void {
  children.add(child)
  child.once('exit', () => children.delete(child))
}

export async function killAndWait(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

function untilReady(child: ChildProcess, options: ProcessOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = ''
    const refuse = (why: string) => {
      clearTimeout(late)
      child.kill('SIGKILL')
      reject(new Error(`${options.command} ${options.args.join(' ')} ${why}\n${output}`))
    }
    const late = setTimeout(() => refuse('was not ready in time:'), options.readyWithinMs ?? READY_WITHIN_MS)
    // Both pipes are read until the end: a full one would block the process.
    const onData = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-KEPT_OUTPUT)
      const match = options.readyWhen.exec(output)
      if (match === null) return
      clearTimeout(late)
      resolve(match[1] ?? '')
    }
    child.stdout?.on('data', onData)
    child.stderr?.on('data', onData)
    child.once('error', (error) => refuse(`cannot be started: ${error.message}`))
    child.once('exit', (code, signal) => refuse(`ended (${code ?? signal}) before it was ready:`))
  })
}
