import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch } from './child-process.ts'
import { requireDebianPackage } from './debian-package.ts'
import { fixedPort } from './fixed-port.ts'
import { until } from './harness.ts'

export interface PgBouncer {
  /** The same database, through the pooler. */
  url: string
  stop(): Promise<void>
}

const PROGRAM = '/usr/sbin/pgbouncer'

/** A real PgBouncer in front of a database of ours. */
export async function startPgBouncer(databaseUrl: string, poolMode: 'session' | 'transaction'): Promise<PgBouncer> {
  requireDebianPackage('pgbouncer', () => spawnSync(PROGRAM, ['--version']).status === 0)
  const { port: serverPort, pathname, username } = new URL(databaseUrl)
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-pgbouncer-'))
  chmodSync(folder, 0o755)
  const port = await fixedPort()
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${serverPort} user=${username}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${poolMode}`,
  ]
  writeFileSync(join(folder, 'pgbouncer.ini'), `${settings.join('\n')}\n`)
  // It does not run as root.
  const user = process.getuid?.() === 0 ? ['-u', 'postgres'] : []
  const child = launch({ command: PROGRAM, args: [...user, join(folder, 'pgbouncer.ini')], cwd: folder })
  let output = ''
  child.stderr?.on('data', (text) => (output += text))
  await until(() => {
    if (child.exitCode !== null) throw new Error(`pgbouncer has ended: ${output}`)
    return listens(port)
  }, 'the pooler listens')
  return {
    url: `postgres://${username}@127.0.0.1:${port}${pathname}?connect_timeout=60`,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (isUp: boolean) => {
      socket.destroy()
      resolve(isUp)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}
