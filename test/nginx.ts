import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { requireDebianPackage } from './debian-package.ts'
import { fixedPort } from './fixed-port.ts'
import { until } from './harness.ts'

export interface Nginx {
  url: string
  /** What it has complained about. */
  problems(): string
  /** Stops it and removes its folder. */
  stop(): Promise<void>
}

/** nginx passes by a node that has refused a connection; a new process that has served is known to be back. */
export function isInUse(node: string): Promise<boolean> {
  const served = /^switchyard_requests_total\{.*\} [1-9]/m
  return fetch(`${node}/metrics`).then(async (answer) => served.test(await answer.text()))
}

const PROGRAM = '/usr/sbin/nginx'
const PROXY = join(import.meta.dirname, '../deploy/nginx/proxy.conf')

/** nginx from Debian's packages, set up before these ports as docs/running/two-nodes.md says. */
export async function startNginx(ports: readonly number[]): Promise<Nginx> {
  requireDebianPackage('nginx-light', () => existsSync(PROGRAM))
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-nginx-'))
  const port = await fixedPort()
  const servers = ports.map((each) => `server 127.0.0.1:${each} max_fails=1 fail_timeout=1s;`).join(' ')
  const [config, log] = [join(folder, 'nginx.conf'), join(folder, 'error.log')]
  writeFileSync(
    config,
    `daemon off; pid ${folder}/nginx.pid; error_log ${log} info; events {}
    http { access_log off; client_body_temp_path ${folder}/bodies; proxy_temp_path ${folder}/answers;
      upstream switchyard { zone switchyard 64k; least_conn; ${servers} keepalive 64; keepalive_timeout 1s; }
      server { listen 127.0.0.1:${port}; include ${PROXY}; } }`,
  )
  const child = spawn(PROGRAM, ['-c', config, '-e', log], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await until(async () => (await fetch(url).catch(() => null)) !== null, 'nginx listens')
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url,
    problems: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => /\[(error|alert|crit)\]/.test(line))
        .join('\n'),
    stop,
  }
}
