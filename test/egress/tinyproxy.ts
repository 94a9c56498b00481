import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { launch } from '../child-process.ts'
import { requireDebianPackage } from '../debian-package.ts'
import { fixedPort } from '../fixed-port.ts'
import { until } from '../harness.ts'

export interface Tinyproxy {
  port: number
  /** The request lines that it has seen, e.g. `CONNECT api.example:443 HTTP/1.1`. */
  requests(): string[]
  stop(): Promise<void>
}

/** A real proxy, from Debian, on a free port of 127.0.0.1. */
export async function startTinyproxy(login?: { user: string; password: string }): Promise<Tinyproxy> {
  requireDebianPackage('tinyproxy-bin', () => spawnSync('tinyproxy', ['-v'], { stdio: 'ignore' }).status === 0)
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-tinyproxy-'))
  const port = await fixedPort()
  const lines = [`Port ${port}`, 'Listen 127.0.0.1', 'Timeout 600', 'MaxClients 100', 'LogLevel Connect']
  if (login !== undefined) lines.push(`BasicAuth ${login.user} ${login.password}`)
  writeFileSync(join(folder, 'tinyproxy.conf'), `${lines.join('\n')}\n`)
  const child = launch({ command: 'tinyproxy', args: ['-d', '-c', join(folder, 'tinyproxy.conf')], cwd: folder })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (output += text))
  await until(() => {
    if (child.exitCode !== null) throw new Error(`tinyproxy has ended: ${output}`)
    return answers(port)
  }, 'the proxy listens')
  return {
    port,
    requests: () => [...output.matchAll(/Request \(file descriptor \d+\): (.*)/g)].map(([, line = '']) => line),
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const end = (isUp: boolean) => {
      socket.destroy()
      resolve(isUp)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}
