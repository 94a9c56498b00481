import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PROGRAM } from '../built-program.ts'
import { killAndWait, launch } from '../child-process.ts'
import { fixedPort } from '../fixed-port.ts'
import { ADMIN_KEY, type Answered } from '../harness.ts'

/** One gateway of a cluster: a process that can be killed and started again on the same port and folder. */
export interface ClusterNode {
  name: string
  url: string
  dataDir: string
  /** Everything that its processes have written, one after the other. */
  logPath: string
  isUp(): boolean
  /** For how long it has served, all in all. */
  upMs(): number
  /**
   * True once it serves, false when it was killed before it did; rejects when it ended unexpectedly. `more`: variables.
   */
  start(more?: Readonly<Record<string, string>>): Promise<boolean>
  /** kill -9, also half-way through its start. */
  kill(): Promise<void>
  /** Its exit code after a peaceful stop; null if it was not running. */
  stop(): Promise<number | null>
  /** How often it ended unexpectedly. */
  ownEnds(): number
  manage(method: string, path: string, body?: unknown): Promise<Answered>
}

export interface NodeOptions {
  name: string
  folder: string
  environment: Readonly<Record<string, string>>
}

/** A start may wait for PostgreSQL or the counters to come back. */
export const SERVES_WITHIN_MS = 180_000
const MANAGE_WITHIN_MS = 30_000
const SERVES = /serves on http:/
/** While it was down another program of this machine has taken its port, for a moment as we hope. */
const PORT_TAKEN = /is in use by another program/
const PORT_AGAIN_MS = 500
const KEPT_WORDS = 2_000

export async function newNode({ name, folder, environment }: NodeOptions): Promise<ClusterNode> {
  const port = await fixedPort()
  const url = `http://127.0.0.1:${port}`
  const dataDir = join(folder, name)
  const logPath = join(folder, `${name}.log`)
  const log = createWriteStream(logPath)
  const expected = new WeakSet<ChildProcess>()
  let child: ChildProcess | null = null
  /** Since when it serves. */
  let upSince: number | null = null
  let upBefore = 0
  let ownEnds = 0

  function wentDown(): void {
    if (upSince !== null) upBefore += Date.now() - upSince
    upSince = null
  }

  /** The file is gone when the failure is read. */
  function lastWords(): string {
    return readFileSync(logPath, 'utf8').slice(-KEPT_WORDS)
  }

  function begin(more: Readonly<Record<string, string>>): ChildProcess {
    const started = launch({
      command: process.execPath,
      args: [PROGRAM, 'serve'],
      env: { ...environment, ...more, PORT: String(port), DATA_DIR: dataDir, NODE_NAME: name },
      cwd: folder,
    })
    started.stderr?.pipe(log, { end: false })
    started.stderr?.on('data', (chunk) => {
      if (PORT_TAKEN.test(String(chunk))) expected.add(started)
    })
    started.once('exit', (code, signal) => {
      if (child === started) wentDown()
      if (expected.has(started)) return
      ownEnds++
      log.write(`${name} ended by itself: ${code ?? signal}\n`)
    })
    return started
  }

  async function start(more: Readonly<Record<string, string>> = {}): Promise<boolean> {
    const started = begin(more)
    child = started
    const outcome = await serves(started)
    if (outcome === 'late') throw new Error(`${name} does not serve after ${SERVES_WITHIN_MS} ms:\n${lastWords()}`)
    if (outcome === 'ended' && !expected.has(started)) throw new Error(`${name} ended at its start:\n${lastWords()}`)
    if (outcome === 'ended' && started.exitCode !== null) {
      await sleep(PORT_AGAIN_MS)
      return child === started ? await start(more) : false
    }
    const isUp = outcome === 'serves' && !expected.has(started)
    if (isUp) upSince = Date.now()
    return isUp
  }

  return {
    name,
    url,
    dataDir,
    logPath,
    isUp: () => upSince !== null,
    upMs: () => upBefore + (upSince === null ? 0 : Date.now() - upSince),
    start,
    async kill() {
      if (child === null) return
      wentDown()
      expected.add(child)
      await killAndWait(child)
    },
    async stop() {
      if (child === null || child.exitCode !== null || child.signalCode !== null) return null
      wentDown()
      expected.add(child)
      child.kill('SIGTERM')
      await once(child, 'exit')
      return child.exitCode
    },
    ownEnds: () => ownEnds,
    manage: (method, path, body) => manage(url, method, path, body),
  }
}

/** Its output is read to the end of its life: a full pipe would stop it. */
function serves(child: ChildProcess): Promise<'serves' | 'ended' | 'late'> {
  return new Promise((resolve) => {
    let output = ''
    const late = setTimeout(() => resolve('late'), SERVES_WITHIN_MS)
    child.once('exit', () => {
      clearTimeout(late)
      resolve('ended')
    })
    child.stdout?.on('data', (chunk) => {
      if (output === '' || !SERVES.test(output)) output += chunk
      if (!SERVES.test(output)) return
      clearTimeout(late)
      resolve('serves')
    })
  })
}

async function manage(url: string, method: string, path: string, body?: unknown): Promise<Answered> {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(MANAGE_WITHIN_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: text === '' ? null : JSON.parse(text) }
}
