import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

export interface ProcessOptions {
  command: string
  args: readonly string[]
  env?: Readonly<Record<string, string>>
  cwd?: string
  /** The first match in its output means that it is ready; the first group is handed out as `ready`. */
  readyWhen: RegExp
  readyWithinMs?: number
}

/** A program of its own that has said it is ready. */
export interface RunningProcess {
  pid: number
  /** What it said when it was ready, usually its address. */
  ready: string
  /** Asks it to end and waits for it; resolves with its exit code. */
  stop(): Promise<number | null>
  /** Ends it as a power button would. */
  kill(): Promise<void>
}

const READY_WITHIN_MS = 30_000
const KEPT_OUTPUT = 4_000

/** Only these variables of ours reach the child: a provider key in the developer's shell must not. */
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

/** Starts it without waiting for anything: for those who mean to kill it half-way. */
export function launch({ command, args, env = {}, cwd }: ProcessOptions): ChildProcess {
  const inherited = Object.fromEntries(PASSED_ON.map((name) => [name, process.env[name]]))
  const child = spawn(command, args, { env: { ...inherited, ...env }, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  // Nothing that we start outlives us.
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  child.once('exit', () => process.removeListener('exit', end))
  return child
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
    // Both pipes are read to the end of its life: a full one would stop it.
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
