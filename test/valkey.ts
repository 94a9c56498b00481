import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requireDebianPackage } from './debian-package.ts'
import { fixedPort } from './fixed-port.ts'

export interface ValkeyServer {
  /** `redis://127.0.0.1:PORT`; with the password in it, if there is one. */
  url: string
  /** Where it speaks TLS. */
  tlsPort: number
  /** 0 without a cluster. */
  busPort: number
  /** Pulls the plug (kill -9). With the append-only file it comes back with what it had, without it empty. */
  halt(): Promise<void>
  /** Starts it again on the same port; `wiped`: with nothing, also where there is an append-only file. */
  resume(options?: { wiped?: boolean }): Promise<void>
  /** It no longer answers, but its connections stay (SIGSTOP); `wake` lets it go on. */
  freeze(): void
  wake(): void
  /** It loses its data, and keeps running. */
  wipe(): Promise<void>
  /** An order as an operator types it. */
  order(command: string): Promise<void>
  /** The operating system's number of the running process. */
  pid(): number
  /** Stops it and removes its folder; also happens when the process ends in any way. */
  stop(): Promise<void>
}

export interface ValkeyOptions {
  /** Keeps its memory over kill -9. */
  appendOnly?: boolean
  password?: string
  /** It is one of several that share the keys; see test/valkey-cluster.ts. */
  inCluster?: boolean
  /** Paths: it speaks TLS on a second port. */
  tls?: { cert: string; key: string }
}

/** A real Valkey, or Redis where there is none, on a free port of 127.0.0.1 in a temporary folder. */
export async function startValkey(given: ValkeyOptions = {}): Promise<ValkeyServer> {
  const { appendOnly = false, password, inCluster = false, tls } = given
  const program = findProgram()
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-valkey-'))
  const port = await fixedPort()
  const options = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--daemonize', 'no']
  options.push('--appendonly', appendOnly ? 'yes' : 'no')
  if (password !== undefined) options.push('--requirepass', password)
  // The port of its cluster bus; its default is one that Linux may have assigned.
  const busPort = inCluster ? await fixedPort() : 0
  if (inCluster) options.push('--cluster-enabled', 'yes', '--cluster-node-timeout', '5000')
  if (inCluster) options.push('--cluster-port', String(busPort))
  const tlsPort = tls === undefined ? 0 : await fixedPort()
  if (tls !== undefined) {
    options.push('--tls-port', String(tlsPort), '--tls-cert-file', tls.cert, '--tls-key-file', tls.key)
    options.push('--tls-auth-clients', 'no')
  }
  let server: { child: ChildProcess; exited: Promise<unknown>; watchdog: ChildProcess } | null = null

  async function start(): Promise<void> {
    const child = spawn(program, options, { cwd: folder, stdio: 'ignore' })
    child.unref()
    const exited = new Promise((resolve) => child.once('exit', resolve).once('error', resolve))
    server = { child, exited, watchdog: startWatchdog(child.pid ?? 0, folder) }
    await listening(port, exited)
  }
  async function halt(): Promise<void> {
    const running = server
    server = null
    if (running === null) return
    running.child.ref()
    running.child.kill('SIGKILL')
    await running.exited
    running.watchdog.kill('SIGKILL')
    running.watchdog.stdin?.destroy()
  }
  await start()
  return {
    url: `redis://${password === undefined ? '' : `:${password}@`}127.0.0.1:${port}`,
    tlsPort,
    busPort,
    halt,
    async resume({ wiped = false } = {}) {
      for (const name of wiped ? readdirSync(folder) : []) rmSync(join(folder, name), { recursive: true, force: true })
      await start()
    },
    freeze: () => void server?.child.kill('SIGSTOP'),
    wake: () => void server?.child.kill('SIGCONT'),
    wipe: () => order('FLUSHALL', port, password),
    order: (command) => order(command, port, password),
    pid: () => server?.child.pid ?? 0,
    async stop() {
      await halt()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const isInstalled = (name: string) => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0

function findProgram(): string {
  if (isInstalled('valkey-server')) return 'valkey-server'
  requireDebianPackage('redis-server', () => isInstalled('redis-server'))
  return 'redis-server'
}

/** A shell that waits for our end of its input to close, which also happens when this process is killed. */
function startWatchdog(pid: number, folder: string): ChildProcess {
  const child = spawn('/bin/sh', ['-c', 'cat >/dev/null; kill -9 "$0"; rm -rf "$1"', String(pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  child.unref()
  if (child.stdin instanceof Socket) child.stdin.unref()
  return child
}

/** Until it answers: one that reads a long append-only file takes connections before it does. */
async function listening(port: number, exited: Promise<unknown>): Promise<void> {
  let hasExited = false
  void exited.then(() => (hasExited = true))
  while (!(await answers(port))) {
    if (hasExited) throw new Error('the server ended at its start')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    const end = (isUp: boolean) => {
      socket.destroy()
      resolve(isUp)
    }
    socket.once('data', (text) => end(!text.toString().startsWith('-LOADING')))
    socket.once('error', () => end(false))
    socket.once('close', () => end(false))
  })
}

function order(command: string, port: number, password: string | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const login = password === undefined ? '' : `AUTH ${password}\r\n`
    const socket = connect(port, '127.0.0.1', () => socket.write(`${login}${command}\r\nQUIT\r\n`))
    socket.on('data', () => {})
    socket.once('error', reject)
    socket.once('close', () => resolve())
  })
}
