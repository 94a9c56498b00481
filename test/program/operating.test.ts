import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { copyProject } from '../copy-project.ts'
import { requireDebianPackage } from '../debian-package.ts'
import { fixedPort } from '../fixed-port.ts'
import { openShell, type PastedShell } from './pasted-shell.ts'

const PAGE = readFileSync('docs/running/two-nodes.md', 'utf8')
const BLOCKS = [...PAGE.matchAll(/^```sh\n(.*?)^```/gms)].map((match) => match[1] ?? '')

/** The page installs packages and starts services: it needs root. */
const skip = process.getuid?.() === 0 ? false : 'the page is for root'

/** Debian's packages, each by a program that it brings. */
const PROGRAMS = {
  postgresql: '/usr/bin/pg_ctlcluster',
  'redis-server': '/usr/bin/redis-server',
  nginx: '/usr/sbin/nginx',
  curl: '/usr/bin/curl',
  openssl: '/usr/bin/openssl',
}

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchyard-operating-')))
const clone = join(folder, 'clone')
const site = join(folder, 'site')
let shell: PastedShell
let cleanUp: () => Promise<void> = async () => {}

before(async () => {
  if (skip !== false) return
  const clusters = join(folder, 'etc')
  cleanUp = watchOver(clusters)
  chmodSync(folder, 0o755)
  mkdirSync(clone)
  copyProject(clone)
  cpSync('deploy', join(clone, 'deploy'), { recursive: true })
  for (const [name, program] of Object.entries(PROGRAMS)) requireDebianPackage(name, () => existsSync(program))
  const ports = await Promise.all(Array.from({ length: 6 }, fixedPort))
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    // Where Debian's tools look for clusters instead of /etc/postgresql: the test has its own "main".
    PG_CLUSTER_CONF_ROOT: clusters,
    SITE: site,
    FRONT_PORT: `${ports[0]}`,
    REDIS_PORT: `${ports[1]}`,
    NODE_1_PORT: `${ports[2]}`,
    NODE_2_PORT: `${ports[3]}`,
    PROVIDER_PORT: `${ports[4]}`,
    // The machine of a test is busy with other tests: nothing is turned away for it.
    OVERLOAD_MS: '0',
  }
  shell = openShell({ folder: clone, environment })
  await shell.paste(createCluster(ports[5] ?? 0))
})
after(async () => {
  shell?.end()
  await cleanUp()
})

/** What installing the package does on a machine that has none, in its own place. */
function createCluster(port: number): string {
  return `mkdir -p "$PG_CLUSTER_CONF_ROOT" && chown postgres "$PG_CLUSTER_CONF_ROOT" &&
    version=$(ls /usr/lib/postgresql | sort -n | tail -1) &&
    pg_createcluster --port ${port} --datadir "${folder}/postgres" --socketdir "$PG_CLUSTER_CONF_ROOT" \\
      --logfile "${folder}/postgres.log" "$version" main -- --no-sync`
}

/** Ends all that the blocks have started, also when this process is killed. */
function watchOver(clusters: string): () => Promise<void> {
  const script = `cat > /dev/null
    for file in "${site}"/*.pid; do kill -9 "$(cat "$file")"; done
    for version in $(ls "${clusters}"); do pg_dropcluster --stop "$version" main; done
    rm -rf "${folder}"`
  const child = spawn('/bin/sh', ['-c', script], {
    env: { PATH: process.env['PATH'] ?? '', PG_CLUSTER_CONF_ROOT: clusters },
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return () => {
    child.stdin.end()
    return ended
  }
}

test('a newcomer gets from nothing to two nodes by pasting what the page says', {
  skip,
  timeout: 600_000,
}, async () => {
  const [packages = '', variables, postgres, redis, provider, nodes, front, ...uses] = BLOCKS
  const [firstCall, oneTruth, limit, nodeGone, theEnd, ...more] = uses
  assert.deepEqual(more, [])
  // A reader waits a second; on a machine that is busy with other tests a change may take longer to be seen.
  const paste = (block: string | undefined) => shell.paste(block?.replaceAll(/^sleep 1$/gm, 'sleep 5') ?? 'false')

  // Both have happened, or nothing would run here.
  for (const name of Object.keys(PROGRAMS)) assert.match(packages, new RegExp(`apt-get install -y .*\\b${name}\\b`))
  assert.match(packages, /\nnpm ci && npm run build\n$/)
  await shell.paste('npm run build')

  await paste(variables)
  await paste(postgres)
  await paste(redis)
  await paste(provider)
  const started = await paste(nodes)
  assert.equal(started.match(/"status":"ready"/g)?.length, 2, started)
  await paste(front)
  assert.match(await paste(firstCall), /^HTTP\/1\.1 200 OK.*x-gateway-provider: openai/s)
  const seen = await paste(oneTruth)
  assert.deepEqual(seen.match(/^\d{3}$/gm), ['200', '401'], `${seen}${await shell.paste(LOOK)}`)
  const limited = await paste(limit)
  assert.deepEqual(counts(limited), { 200: 5, 429: 5 }, `${limited}${await shell.paste(LOOK)}`)
  const gone = await paste(nodeGone)
  assert.deepEqual(counts(gone), { 200: 20 })
  assert.match(gone, /"status":"ready"/)
  // Both are visible while it runs.
  for (const name of ['node-1', 'node-2']) assert.match(gone, new RegExp(`\\b${name}\\b.*running`))
  await paste(theEnd)
})

/** What explains a change that was not seen, or a limit that did not hold. */
const LOOK = `for port in "$NODE_1_PORT" "$NODE_2_PORT"; do
  curl -s "http://127.0.0.1:$port/readyz"; curl -s "http://127.0.0.1:$port/metrics" | grep -E '^switchyard_(counters|limits)'
done; cat "$SITE"/node-?.log`

/** What `sort | uniq -c` says of status codes. */
function counts(printed: string): Record<string, number> {
  const lines = [...printed.matchAll(/^ *(\d+) (\d{3})$/gm)]
  return Object.fromEntries(lines.map(([, count, status]) => [status, Number(count)]))
}
