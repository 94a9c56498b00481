import assert from 'node:assert/strict'
import { copyFileSync, cpSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { startSimulator } from '../../simulator/simulator.ts'
import { runCli } from '../cli/run-cli.ts'
import { ADMIN_KEY, type Harness, hello, KEY, newFolder, startHarness, until } from '../harness.ts'
import { startProcess } from '../process.ts'

const simulator = await startSimulator()
const folder = newFolder()
after(async () => {
  await simulator.close()
  rmSync(folder, { recursive: true, force: true })
})

const backup = (dataDir: string, file: string, more: Record<string, string> = {}) =>
  runCli(['backup', file, '--json'], { environment: { DATA_DIR: dataDir, ...more } })
const restore = (file: string, dataDir: string, more: Record<string, string> = {}) =>
  runCli(['backup', 'restore', file, '--json'], { environment: { DATA_DIR: dataDir, ...more } })

/** The calls that a file has, each with its end. */
function closedIn(file: string): Set<string> {
  const database = new DatabaseSync(file, { readOnly: true })
  const rows = database.prepare(`select id from requests where state = 'closed'`).all() as { id: string }[]
  database.close()
  return new Set(rows.map(({ id }) => id))
}

async function call(url: string, model: string): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(hello(model)),
  })
  assert.equal(response.status, 200, await response.text())
  return response.headers.get('x-gateway-request-id') ?? ''
}

/** Callers without a pause until `stop`; `answered` grows. */
function keepCalling(url: string, callers: number) {
  const answered: string[] = []
  let isOver = false
  const loop = async () => {
    while (!isOver) answered.push(await call(url, 'gpt-sim-echo'))
  }
  const loops = Array.from({ length: callers }, loop)
  return {
    answered,
    async stop() {
      isOver = true
      await Promise.all(loops)
    },
  }
}

async function verified(url: string): Promise<void> {
  const { code, stdout, stderr } = await runCli(['verify'], { environment: { SWITCHYARD_URL: url, ADMIN_KEY } })
  assert.equal(code, 0, stdout + stderr)
}

const SERVING = {
  ...{ GATEWAY_KEY: KEY, ADMIN_KEY, LOG_LEVEL: 'error' },
  ...{ OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: simulator.openaiUrl },
  ...{ SERVING_THREADS: '2', NODE_OPTIONS: `--import=${join(import.meta.dirname, '../more-cores.ts')}` },
}

test('a gateway under load is backed up, its disk is lost, and everything answered before is there again', async () => {
  const [first, second, file] = [join(folder, 'first'), join(folder, 'second'), join(folder, 'under-load.db')]
  const running = startProcess({ folder, environment: { ...SERVING, DATA_DIR: first } })
  const url = await running.url()
  const put = await runCli(['providers', 'put', 'local', '-f', '-'], {
    environment: { SWITCHYARD_URL: url, ADMIN_KEY },
    input: JSON.stringify({ family: 'openai', base_url: simulator.openaiUrl, api_key: 'sk-of-local' }),
  })
  assert.equal(put.code, 0, put.stderr)

  const load = keepCalling(url, 8)
  await until(() => load.answered.length >= 500, 'calls are answered')
  const before = [...load.answered]
  const made = await backup(first, file)
  assert.equal(made.code, 0, made.stderr)
  const during = load.answered.length
  await until(() => load.answered.length >= during + 100, 'the gateway goes on')
  await load.stop()
  await running.stop('SIGKILL')
  const kept = closedIn(file)
  assert.deepEqual(
    before.filter((id) => !kept.has(id)),
    [],
  )
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('under-load.db')),
    ['under-load.db'],
  )

  const early = await restore(file, second)
  assert.equal(early.code, 0, early.stderr)
  assert.match(early.json().secrets_problem, /set it as the gateway had it/)
  rmSync(second, { recursive: true })
  // The key is kept apart.
  cpSync(join(first, 'secrets.key'), join(second, 'secrets.key'))
  const done = await restore(file, second)
  assert.equal(done.code, 0, done.stderr)
  const { requests, secrets_problem } = done.json()
  assert.equal(secrets_problem, null)
  assert.ok(requests >= before.length)
  rmSync(first, { recursive: true })

  const restored = startProcess({ folder, environment: { ...SERVING, DATA_DIR: second } })
  const again = await restored.url()
  await verified(again)
  // With the provider's stored key.
  await call(again, 'local/gpt-sim-echo')
  assert.equal(simulator.calls.at(-1)?.headers['authorization'], 'Bearer sk-of-local')
  await verified(again)
  assert.equal(await restored.stop(), 0, restored.stderr())
})

describe('one that has not moved its spool into the database', () => {
  let gateway: Harness
  const dataDir = () => join(gateway.folder, 'data')
  const never = new Promise<void>(() => {})
  after(() => gateway.stop())

  test('is backed up with its calls', async () => {
    gateway = await startHarness({ foldsAfter: never })
    const ids = await Promise.all(Array.from({ length: 20 }, () => call(gateway.url, 'gpt-sim-echo')))
    assert.equal(closedIn(join(dataDir(), 'switchyard.db')).size, 0)
    const file = join(folder, 'spool.db')
    const made = await backup(dataDir(), file)
    assert.equal(made.code, 0, made.stderr)
    assert.deepEqual([...closedIn(file)].sort(), ids.sort())
    assert.deepEqual([made.json().requests, made.json().folded > 0], [20, true])
  })

  test('a restored database also takes what a spool that was left has since', async () => {
    const file = join(folder, 'spool.db')
    const later = await call(gateway.url, 'gpt-sim-echo')
    const place = join(folder, 'with-spool')
    assert.equal((await restore(file, join(place, 'data'))).code, 0)
    cpSync(join(dataDir(), 'spool'), join(place, 'data/spool'), { recursive: true })
    const restored = await startHarness({ folder: place })
    const rows = await restored.rows()
    assert.deepEqual([rows.length, rows.some(({ id }) => id === later)], [21, true])
    await verified(restored.url)
    await restored.stop()
  })
})

describe('refused in one line', () => {
  const good = join(folder, 'spool.db')
  const empty = (name: string) => join(folder, name)
  const refusals: [string, () => ReturnType<typeof runCli>, RegExp][] = [
    ['a file that exists', () => backup(join(folder, 'second'), good), /spool\.db exists: a backup never replaces/],
    ['no gateway there', () => backup(folder, empty('x.db')), /there is no switchyard\.db in /],
    ['a folder that is missing', () => backup(join(folder, 'second'), empty('no/x.db')), /there is no folder .*\/no/],
    [
      'a disk that takes nothing',
      () => backup(join(folder, 'second'), '/proc/x.db'),
      /\/proc\/x\.db cannot be written: /,
    ],
    ['a folder that cannot be made', () => restore(good, join(good, 'data')), /spool\.db\/data cannot be written: /],
    ['restoring what is missing', () => restore(empty('x.db'), empty('a')), /there is no file .*x\.db/],
    ['a folder in use', () => restore(good, join(folder, 'second')), /second is not empty, it has .*switchyard\.db/],
    [
      'text',
      () => {
        writeFileSync(empty('text.db'), 'no database '.repeat(500))
        return restore(empty('text.db'), empty('b'))
      },
      /text\.db cannot be read: file is not a database/,
    ],
    [
      'half a file',
      () => {
        copyFileSync(good, empty('half.db'))
        truncateSync(empty('half.db'), Math.floor(statSync(good).size / 8192) * 4096)
        return restore(empty('half.db'), empty('c'))
      },
      /half\.db (cannot be read|is damaged): /,
    ],
    [
      'another database',
      () => {
        const other = new DatabaseSync(empty('other.db'))
        other.exec('create table t (a)')
        other.close()
        return restore(empty('other.db'), empty('d'))
      },
      /other\.db is no backup of a gateway/,
    ],
    [
      'one of a newer version',
      () => {
        copyFileSync(good, empty('newer.db'))
        const newer = new DatabaseSync(empty('newer.db'))
        newer.exec('insert into schema_versions select max(version) + 1, 0 from schema_versions')
        newer.close()
        return restore(empty('newer.db'), empty('e'))
      },
      /newer\.db has schema version \d+, this program knows \d+: use a newer one/,
    ],
  ]
  for (const [name, act, message] of refusals) {
    test(name, async () => {
      const { code, stderr, stdout } = await act()
      assert.equal(code, 1, stdout + stderr)
      assert.match(stderr, message)
      assert.match(stderr, /^switchyard: [^\n]+\n$/)
    })
  }

  test('a gateway on PostgreSQL', async () => {
    const { code, stderr } = await backup(folder, empty('x.db'), { DATABASE_URL: 'postgres://u@h/d' })
    assert.equal(code, 2)
    assert.match(stderr, /use pg_dump \(docs\/running\/backup\.md\)/)
  })
})
