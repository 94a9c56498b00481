import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { type Simulator, startSimulator } from '../../simulator/simulator.ts'
import { SETTINGS } from '../../src/app/config.ts'
import { builtinProviders } from '../../src/providers/provider-kinds.ts'
import { startProcess } from '../child-process.ts'
import { copyProject } from '../copy-project.ts'

const ROOT = join(import.meta.dirname, '../..')
const KEY = 'gw_live_pack0000000000000000000000000000'
/** Programs of ours and of npm find the Node that runs this test before any other. */
const ENVIRONMENT = { ...process.env, PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) }
const run = promisify(execFile)

const folder = mkdtempSync(join(tmpdir(), 'switchyard-pack-'))
const project = join(folder, 'project')
let packed: { path: string; files: string[]; packedBytes: number; unpackedBytes: number }
let simulator: Simulator

before(
  async () => {
    simulator = await startSimulator()
    packed = await pack()
    mkdirSync(project)
    writeFileSync(join(project, 'package.json'), '{ "private": true }')
    await npm(project, 'install', '--no-audit', '--no-fund', '--prefer-offline', packed.path)
  },
  { timeout: 600_000 },
)

after(async () => {
  await simulator?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function pack() {
  const copy = join(folder, 'copy')
  copyProject(copy)
  const output = await npm(copy, 'pack', '--json', '--pack-destination', folder)
  // What the build prints comes first.
  const listed: unknown = JSON.parse(output.slice(output.search(/^[[{]/m)))
  const [found] = Object.values(listed as object) as {
    filename: string
    size: number
    unpackedSize: number
    files: { path: string }[]
  }[]
  assert.ok(found)
  return {
    path: join(folder, found.filename),
    files: found.files.map((file) => file.path).sort(),
    packedBytes: found.size,
    unpackedBytes: found.unpackedSize,
  }
}

async function npm(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('npm', args, { cwd, env: ENVIRONMENT, maxBuffer: 16 * 1024 * 1024 })
  return stdout
}

function startInstalled(command: 'serve' | 'demo', env: Record<string, string>) {
  return startProcess({
    command: join(project, 'node_modules/.bin/switchyard'),
    args: [command],
    cwd: project,
    env: { PATH: ENVIRONMENT.PATH, PORT: '0', LOG_LEVEL: 'error', ...env },
    readyWhen: /serves on (http:\/\/[\d.:]+)/,
  })
}

describe('the package', () => {
  test('holds the built gateway with its worker threads, the built dashboard, and nothing else', () => {
    const workers = globSync('src/**/{worker,*-worker}.ts', { cwd: ROOT }).map((path) => basename(path, '.ts'))
    const expected = [
      ...['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'].filter((name) => existsSync(join(ROOT, name))),
      'bin/needs-node.cjs',
      'bin/switchyard.cjs',
      'dist/examples.json',
      'dist/licences.txt',
      'dist/model-facts.json',
      'dist/vendor-facts.json',
      ...['switchyard', ...workers].map((name) => `dist/${name}.js`),
    ]
    const dashboard = packed.files.filter((path) => path.startsWith('dashboard/dist/'))
    const loadedLater = new RegExp(`^dist/(switchyard|shared|${workers.join('|')})\\.[\\w-]+\\.js$`)
    assert.deepEqual(
      packed.files.filter((path) => !dashboard.includes(path) && !loadedLater.test(path)),
      expected.sort(),
    )
    assert.ok(dashboard.includes('dashboard/dist/index.html'))
    const licences = readFileSync(join(project, 'node_modules/switchyard/dashboard/dist/licences.md'), 'utf8')
    for (const name of ['react', '@mantine/core']) assert.match(licences, new RegExp(`^## ${name} - `, 'm'))
    assert.ok(packed.packedBytes < 4_000_000, `${packed.packedBytes} bytes to download`)
    assert.ok(packed.unpackedBytes < 12_000_000, `${packed.unpackedBytes} bytes on disk`)
  })

  test('installs without what only its developers need', () => {
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>
    }
    const installed = Object.keys(devDependencies).filter((name) => existsSync(join(project, 'node_modules', name)))
    assert.deepEqual(
      installed.filter((name) => !name.startsWith('@types/')),
      [],
    )
  })

  test('says its version', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
    const { stdout } = await run('npx', ['--no-install', 'switchyard', '--version'], { cwd: project, env: ENVIRONMENT })
    assert.equal(stdout.trim(), version)
  })

  test('proves a promise with simulated providers', async () => {
    const args = ['--no-install', 'switchyard', 'prove', '--quick', '--json', '--only', 'prompt-cache']
    const { stdout } = await run('npx', args, { cwd: project, env: ENVIRONMENT })
    assert.equal(JSON.parse(stdout).holds, true, stdout)
  })

  test('says in one line that a Node is too old, and what to do', async () => {
    const old = join(folder, 'old-node.cjs')
    const versions = `{ ...process.versions, node: '20.20.2' }`
    writeFileSync(old, `Object.defineProperty(process, 'versions', { value: ${versions} })`)
    const args = ['--require', old, join(project, 'node_modules/switchyard/bin/switchyard.cjs'), 'serve']
    const remedies: [started: Record<string, string>, remedy: string][] = [
      [{}, 'Install it from https://nodejs.org or with your version manager (nvm install 24).'],
      [{ npm_command: 'exec' }, 'Take one along: npx -p node@24 -p switchyard switchyard'],
      [{ npm_command: 'start', npm_package_name: 'switchyard' }, 'Run npm ci, which brings it along.'],
    ]
    for (const [env, remedy] of remedies) {
      await assert.rejects(run(process.execPath, args, { env }), {
        code: 2,
        stderr: `switchyard needs Node 24 or newer, and this is Node 20.20.2. ${remedy}\n`,
      })
    }
  })

  test('serves: healthy, shows its dashboard, answers a call, logs it, ends in peace', async () => {
    const dataDir = join(folder, 'data')
    const running = await startInstalled('serve', {
      DATA_DIR: dataDir,
      GATEWAY_KEY: KEY,
      OPENAI_API_KEY: 'sk-pack-openai',
      OPENAI_BASE_URL: simulator.openaiUrl,
      ANTHROPIC_API_KEY: 'sk-ant-pack',
      ANTHROPIC_BASE_URL: simulator.anthropicUrl,
    })
    const health = await fetch(`${running.ready}/healthz`)
    assert.equal(health.status, 200)
    const page = await fetch(`${running.ready}/dashboard`)
    const [script = ''] = /\/dashboard\/assets\/[^"]+\.js/.exec(await page.text()) ?? []
    const asset = await fetch(running.ready + script, { headers: { 'accept-encoding': 'br' } })
    assert.deepEqual([page.status, asset.status, asset.headers.get('content-encoding')], [200, 200, 'br'])
    const answer = await fetch(`${running.ready}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'claude-sim-echo', messages: [{ role: 'user', content: 'packed' }] }),
    })
    const body = (await answer.json()) as { id: string; choices: { message: { content: string } }[] }
    assert.equal(body.choices[0]?.message.content, 'packed')
    assert.equal(await running.stop(), 0)
    const database = new DatabaseSync(join(dataDir, 'switchyard.db'), { readOnly: true })
    const rows = database.prepare('select id, state, status from requests').all()
    database.close()
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      [{ id: body.id, state: 'closed', status: 200 }],
    )
  })

  test('runs the demo', async () => {
    const running = await startInstalled('demo', {})
    const health = await fetch(`${running.ready}/healthz`)
    assert.equal(health.status, 200)
    assert.equal(await running.stop(), 0)
  })
})

describe('the image', () => {
  const lines = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ').split('\n')
  const copies = lines.filter((line) => line.startsWith('COPY ')).map((line) => line.split(/\s+/).slice(1))
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n')

  test('copies only what is there and sent to the builder', () => {
    const sources = copies.filter((words) => !words[0]?.startsWith('--')).flatMap((words) => words.slice(0, -1))
    assert.ok(sources.length > 0)
    for (const source of sources) {
      assert.ok(existsSync(join(ROOT, source)), `${source} does not exist`)
      assert.ok(ignored.includes(`!${source}`), `${source} is not sent to the builder`)
    }
  })

  test('takes from its build stage only what that makes', () => {
    const made = copies.filter((words) => words[0] === '--from=build').map((words) => words.at(-2))
    assert.deepEqual(made, ['/app/package.json', '/app/dist', '/app/dashboard/dist', '/data'])
  })

  test('starts a file of the build, as a user without rights, from an image named without a host', () => {
    const command = lines.findLast((line) => line.startsWith('CMD ')) ?? ''
    const [program, file, ...rest] = JSON.parse(command.slice(4)) as string[]
    assert.deepEqual([program, ...rest], ['node', 'serve'])
    assert.ok(file && packed.files.includes(file), `${file} is not in the build`)
    assert.equal(
      lines.find((line) => line.startsWith('USER ')),
      'USER node',
    )
    for (const line of lines.filter((text) => text.startsWith('FROM ')))
      assert.match(line, /^FROM node:24\.\d+\.\d+-slim@sha256:[0-9a-f]{64}( AS \w+)?$/)
  })

  test('checks its health with a program that works', async () => {
    const health = lines.find((line) => line.startsWith('HEALTHCHECK ')) ?? ''
    const [program, flag, script] = JSON.parse(health.slice(health.indexOf('CMD ') + 4)) as string[]
    assert.deepEqual([program, flag], ['node', '-e'])
    const check = (port: string | number) => run(process.execPath, ['-e', script ?? ''], { env: { PORT: `${port}` } })
    const healthy = createServer((request, response) =>
      response.writeHead(request.url === '/healthz' ? 200 : 404).end(),
    )
    await new Promise<void>((resolve) => healthy.listen(0, '127.0.0.1', resolve))
    await check((healthy.address() as AddressInfo).port)
    healthy.close()
    // The simulator has nothing at /healthz, and nothing listens on port 1: both are unhealthy.
    for (const port of [new URL(simulator.anthropicUrl).port, 1]) await assert.rejects(check(port), { code: 1 })
  })

  test('is described by a compose file that names only variables there are', () => {
    const compose = parse(readFileSync(join(ROOT, 'compose.yaml'), 'utf8')) as {
      services: Record<string, { environment: string[]; volumes: string[]; profiles?: string[] }>
      volumes: Record<string, unknown>
    }
    const providers = builtinProviders().flatMap((builtin) => [builtin.apiKeyVariable, builtin.baseUrlVariable])
    const known = [...Object.keys(SETTINGS), ...providers]
    const { gateway, postgres } = compose.services
    assert.ok(gateway && postgres)
    assert.deepEqual(
      gateway.environment.filter((name) => !known.includes(name)),
      [],
    )
    assert.deepEqual(gateway.volumes, ['data:/data'])
    assert.deepEqual(Object.keys(compose.volumes), ['data', 'postgres'])
    assert.deepEqual(postgres.profiles, ['postgres'])
  })
})
