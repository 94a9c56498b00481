import assert from 'node:assert/strict'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import pg from 'pg'
import { type Ran, runCli } from '../cli/run-cli.ts'
import { hello, newFolder, startHarness } from '../harness.ts'
import { startPostgres } from '../postgres.ts'
import { leaveEmbedded } from './embedded.ts'

const server = await startPostgres()
const embedded = await leaveEmbedded(300)
const keyFile = join(embedded.dataDir, 'secrets.key')
const empty = newFolder()
after(async () => {
  embedded.remove()
  rmSync(empty, { recursive: true, force: true })
  await server.stop()
})

function migrate(to: string, options: { from?: string; more?: string[]; environment?: Record<string, string> } = {}) {
  const { from = embedded.dataDir, more = [], environment = {} } = options
  return runCli(['migrate', '--from', `sqlite:${from}`, '--to', to, ...more], { environment })
}

/** In one line, without the stack of a fault of ours. */
function refused({ code, stderr }: Ran, message: RegExp): void {
  assert.equal(code, 1, stderr)
  assert.match(stderr, message)
  assert.match(stderr, /^switchyard: [^\n]+\n$/m)
}

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(sql)
  await client.end()
}

describe('a source that cannot be moved', () => {
  test('a folder without a database', async () => {
    refused(await migrate(server.url, { from: '/no/such/folder' }), /no switchyard\.db in \/no\/such\/folder/)
  })

  test('one with a running gateway', async () => {
    const running = await startHarness({ folder: embedded.folder })
    refused(await migrate(server.url), /a gateway is running on .*data, or another migrate: stop it first/)
    await running.stop()
  })

  test('one whose secrets nobody can open', async () => {
    renameSync(keyFile, `${keyFile}.away`)
    refused(await migrate(server.url), /encrypted with SECRETS_KEY: set it/)
    const environment = { SECRETS_KEY: 'not-the-key-that-it-was' }
    refused(await migrate(server.url, { environment }), /API key of the provider "\w+" was encrypted with another key/)
    renameSync(`${keyFile}.away`, keyFile)
  })
})

describe('a target that cannot be filled', () => {
  test('one that is away, and its password is not shown', async () => {
    const answer = await migrate('postgres://user:hush-hush@127.0.0.1:9/any')
    refused(answer, /postgres:\/\/user:PASSWORD@127\.0\.0\.1:9\/any: connect ECONNREFUSED/)
    assert.doesNotMatch(answer.stderr, /hush/)
  })

  test('one that does not exist', async () => {
    refused(await migrate(new URL('/nothing', server.url).href), /database "nothing" does not exist/)
  })

  test('one of another encoding than UTF-8', async () => {
    await query(server.url, `create database latin encoding 'LATIN1' locale 'C' template template0`)
    refused(await migrate(new URL('/latin', server.url).href), /has the encoding LATIN1: make it with createdb -E UTF8/)
  })

  test('one on which a gateway has been started, if only once', async () => {
    const to = await server.createDatabase()
    await (await startHarness({ environment: { DATABASE_URL: to } })).stop()
    refused(await migrate(to), /the target is in use: it holds 1 workspaces, 2 keys, .*give an empty database/)
  })

  test('one to compare with that has nothing', async () => {
    refused(
      await migrate(await server.createDatabase(), { more: ['--verify-only'] }),
      /holds nothing of Switchyard yet/,
    )
  })
})

describe('what was moved', () => {
  let to = ''

  test('is compared by programs too, and needs both keys where both have encrypted', async () => {
    to = await server.createDatabase()
    const { code, stderr, json } = await migrate(`${to}?application_name=${'x'.repeat(3)}`, {
      from: embedded.database,
      more: ['--json'],
      environment: { SECRETS_KEY: 'a-newer-key-that-nothing-has-used' },
    })
    assert.equal(code, 0, stderr)
    const { equal, tables, months, start } = json()
    assert.equal(equal, true)
    assert.ok(tables.some(({ table, rows }: { table: string; rows: string }) => table === 'requests' && rows === '305'))
    assert.match(months[0].cost_picodollars, /^\d+$/)
    assert.ok(start.endsWith(`SECRETS_KEY="$SECRETS_KEY","$(cat '${keyFile}')" switchyard serve`), start)
  })

  test('is not moved again, but compared', async () => {
    const again = await migrate(to)
    assert.equal(again.code, 0, again.stderr)
    assert.match(again.stderr, /Everything was moved on \d{4}-\d\d-\d\d already\n.*Comparing/)
  })

  test('differs by a picodollar, and that is said with its table, month and amount', async () => {
    await query(
      to,
      `update requests set cost_picodollars = cost_picodollars + 1 where id = (
      select max(id) from requests where cost_picodollars > 9007199254740992)`,
    )
    const { code, stdout, stderr } = await migrate(to, { more: ['--verify-only'] })
    assert.equal(code, 1)
    assert.match(stdout, /^requests +305 +cost_picodollars (\d+) instead of \d+$/m)
    assert.match(stdout, /^\d{4}-\d\d +\w+ .* cost_picodollars \d+ instead of \d+$/m)
    assert.match(stderr, /The target differs from the source/)
  })

  test('has one row more', async () => {
    await query(to, `insert into spool_rejects values ('else', 1, 'open', '', '')`)
    const { code, stdout } = await migrate(to, { more: ['--verify-only'] })
    assert.equal(code, 1)
    assert.match(stdout, /^spool_rejects +1 +rows 2 instead of 1; /m)
  })

  test('does not go on when the source has been used since', async () => {
    await query(
      to,
      `update settings set value = jsonb_set(value::jsonb, '{finished_at}', 'null')::text where name = 'moved_from'`,
    )
    const used = await startHarness({ folder: embedded.folder })
    assert.equal((await used.chat(hello('fast'))).status, 200)
    await used.stop()
    refused(await migrate(to), /is another one or has been used since: start over with an empty database/)
    const early = runCli(['serve'], { environment: { DATABASE_URL: to, PORT: '0' }, folder: empty })
    refused(await early, /run the same switchyard migrate again/)
    const doctor = await runCli(['doctor'], { environment: { DATABASE_URL: to, PORT: '0' }, folder: empty })
    assert.match(doctor.stdout, /^✗ database +the database holds a part of what is being moved from /m)
  })
})
