import { execFile, spawn } from 'node:child_process'
import {
  accessSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { requireDebianPackage } from './debian-package.ts'
import { fixedPort } from './fixed-port.ts'

export interface PostgresServer {
  /** Of the database `postgres`. */
  url: string
  /** A fresh, empty database. */
  createDatabase(): Promise<string>
  /** Pulls the plug: connections break, nothing is flushed. */
  halt(): Promise<void>
  /** kill -9 of the server and all of its processes at once. */
  kill(): Promise<void>
  /** Of the main process. */
  pid(): number
  /** Starts it again with the data it had. */
  resume(): Promise<void>
  /** Stops it and removes its folder; also happens when the process ends in any way. */
  stop(): Promise<void>
}

/** A real PostgreSQL on a free port of 127.0.0.1, in a temporary folder, as fast as it gets. */
export async function startPostgres(): Promise<PostgresServer> {
  const bin = postgresBinaries()
  const owner = serverUser()
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-postgres-'))
  if (owner !== null) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const port = await fixedPort()
  const run = (program: string, ...args: string[]) => runAs(owner, folder, join(bin, program), args)
  try {
    await createCluster(data, join(bin, 'initdb'), (...args) => run('initdb', ...args))
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  const watchdog = startWatchdog(owner, join(bin, 'pg_ctl'), data, folder)
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -c full_page_writes=off`
  const start = () => run('pg_ctl', '-D', data, '-l', join(folder, 'log'), '-o', options, '-w', 'start')
  await start()

  const pid = () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0])
  let databases = 0
  // A loaded machine is slow to connect; a server that is down still refuses at once.
  const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}?connect_timeout=60`
  return {
    url: urlOf('postgres'),
    async createDatabase() {
      const name = `test_${++databases}`
      await query(urlOf('postgres'), `create database ${name}`)
      return urlOf(name)
    },
    halt: () => run('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop'),
    kill: () => killTree(pid()),
    pid,
    resume: start,
    stop: () => watchdog.end(),
  }
}

/**
 * Fills `data` as initdb does. That costs a second of the processor, a copy almost nothing: what initdb has made once is
 * kept for all servers of the same version. `cp` keeps the owner, who need not be able to read our folder.
 */
async function createCluster(data: string, initdb: string, run: (...args: string[]) => Promise<void>): Promise<void> {
  const copy = (from: string, to: string) => promisify(execFile)('cp', ['-a', from, to])
  const version = (await promisify(execFile)(initdb, ['--version'])).stdout.trim().replaceAll(/[^\w.]+/g, '-')
  const kept = join(import.meta.dirname, '../node_modules/.cache', version)
  if (existsSync(kept)) return void (await copy(kept, data))
  await run('-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync')
  mkdirSync(dirname(kept), { recursive: true })
  const own = `${kept}.${process.pid}`
  await copy(data, own)
  // Several files may do this at once: the first one wins.
  if (existsSync(kept)) rmSync(own, { recursive: true })
  else renameSync(own, kept)
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** Debian keeps the server's programs out of the PATH, a folder for each version. */
export function postgresBinaries(): string {
  requireDebianPackage('postgresql', () => installedBinaries() !== undefined)
  return installedBinaries() ?? ''
}

function installedBinaries(): string | undefined {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...versions.map((version) => join(root, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ]
  return folders.find((folder) => isExecutable(join(folder, 'initdb')) && isExecutable(join(folder, 'pg_ctl')))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, 1)
    return true
  } catch {
    return false
  }
}

interface User {
  uid: number
  gid: number
}

/** PostgreSQL refuses to run as root; Debian's package brings its own user. */
function serverUser(): User | null {
  if (process.getuid?.() !== 0) return null
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('postgres:'))
  if (entry === undefined) throw new Error('there is no user "postgres" to run PostgreSQL as')
  const [, , uid, gid] = entry.split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

async function runAs(user: User | null, folder: string, program: string, args: string[]): Promise<void> {
  if (program.endsWith('pg_ctl')) {
    // The server inherits its starter's output: a pipe would stay open for as long as the server runs.
    const child = spawn(program, args, { cwd: folder, stdio: 'ignore', ...user })
    const code = await new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject))
    if (code === 0) return
    const log = join(folder, 'log')
    throw new Error(`${program} ${args.at(-1)} failed: ${existsSync(log) ? readFileSync(log, 'utf8') : ''}`)
  }
  await promisify(execFile)(program, args, { cwd: folder, ...user })
}

/**
 * A shell that waits for our end of its input to close, which also happens when this process is killed, and then
 * stops the server and removes its folder.
 */
function startWatchdog(user: User | null, pgCtl: string, data: string, folder: string) {
  const script = 'cat >/dev/null; "$0" -D "$1" -m immediate -w stop; cd /; rm -rf "$2"'
  const child = spawn('/bin/sh', ['-c', script, pgCtl, data, folder], {
    cwd: folder,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    ...user,
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.unref()
  if (child.stdin instanceof Socket) child.stdin.unref()
  return {
    async end() {
      child.ref()
      child.stdin.end()
      await ended
    },
  }
}

/** The children would notice and end on their own, but until then the server could not be started again. */
async function killTree(server: number): Promise<void> {
  const pids = [server, ...childrenOf(server)]
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has just ended.
    }
  }
  while (pids.some((pid) => existsSync(`/proc/${pid}`))) await new Promise((resolve) => setTimeout(resolve, 10))
}

function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.filter((pid) => parentOf(pid) === parent).map(Number)
}

/** The name in brackets may hold anything; what follows it is the state and then the parent. */
function parentOf(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return null
  }
}
