import assert from 'node:assert/strict'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import pg from 'pg'
import { BATCH_ROWS } from '../../src/migrate/copy-rows.ts'
import { MOVED_TABLES } from '../../src/migrate/tables.ts'
import { loadSnapshot } from '../../src/store/control/snapshot.ts'
import { atLength } from '../at-length.ts'
import { runCli } from '../cli/run-cli.ts'
import { ADMIN_KEY, hello, type Json, newFolder, startHarness, until } from '../harness.ts'
import { startPostgres } from '../postgres.ts'
import { type Started, startProcess } from '../process.ts'
import { type Embedded, leaveEmbedded } from './embedded.ts'

const ROWS = atLength(20_000, 50_000)
const STEP = ROWS / 5

const server = await startPostgres()
const embedded = await leaveEmbedded(ROWS)
const empty = newFolder()
after(async () => {
  embedded.remove()
  rmSync(empty, { recursive: true, force: true })
  await server.stop()
})

async function query(url: string, sql: string): Promise<Json[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

function command({ dataDir }: Embedded, to: string, ...more: string[]): string[] {
  return ['migrate', '--from', `sqlite:${dataDir}`, '--to', to, ...more]
}

/** Requests that the target has, by the word of the migration itself. */
async function movedRows(to: string): Promise<number> {
  const found = await query(to, `select value from settings where name = 'moved_from'`).catch(() => [])
  return found.length === 0 ? 0 : (JSON.parse(found[0].value).tables.requests?.rows ?? 0)
}

/**
 * However fast it is: once so many requests are there, the next batch waits for a lock, which a trigger takes. It comes
 * about with the table that it watches.
 */
const PAUSE = `
  create schema pause;
  create table pause.at (rows int);
  insert into pause.at values (0);
  create function pause.there() returns trigger language plpgsql as $$ begin
    if coalesce((old.value::json #>> '{tables,requests,rows}')::int, 0) >= (select rows from pause.at) then
      perform pg_advisory_xact_lock(1);
    end if;
    return new;
  end $$;
  create function pause.watch() returns event_trigger language plpgsql as $$ begin
    if exists (select from pg_event_trigger_ddl_commands() where object_identity = 'public.settings') then
      create trigger pause before update on settings for each row when (old.name = 'moved_from')
        execute function pause.there();
    end if;
  end $$;
  create event trigger pause on ddl_command_end when tag in ('CREATE TABLE') execute function pause.watch();`

/** Starts it, and lets it be ended while it waits with so many requests there. */
async function runUntil(to: string, enough: number, end: (run: Started) => Promise<unknown>): Promise<Started> {
  const holder = new pg.Client({ connectionString: to })
  // The server may be what is ended.
  holder.on('error', () => {})
  await holder.connect()
  try {
    await holder.query(`update pause.at set rows = ${enough}`)
    await holder.query('select pg_advisory_lock(1)')
    const run = startProcess({ command: command(embedded, to), folder: embedded.folder })
    await until(async () => (await movedRows(to)) >= enough, `${enough} rows are there`)
    await end(run)
    return run
  } finally {
    await holder.end().catch(() => {})
  }
}

test('a migration that is killed three times moves everything, once', async () => {
  const to = await server.createDatabase()
  await query(to, PAUSE)
  for (const enough of [1, STEP, 2 * STEP]) {
    await runUntil(to, enough, (run) => run.stop('SIGKILL'))
    assert.equal(await movedRows(to), Math.max(enough, BATCH_ROWS))
  }
  const reported = await runUntil(to, 3 * STEP, async ({ child }) => child.kill('SIGINT'))
  assert.equal((await reported.ended).code, 1)
  assert.match(reported.stderr(), /^switchyard: stopped; run the same command to resume$/m)
  const alone = await runUntil(to, 4 * STEP, () => server.halt())
  assert.equal((await alone.ended).code, 1)
  assert.match(alone.stderr(), /^switchyard: postgres:.*; the same command goes on where it was$/m)
  await server.resume()

  const early = startProcess({ folder: empty, environment: { DATABASE_URL: to } })
  assert.equal((await early.ended).code, 1)
  assert.match(early.stderr(), /holds a part of what is being moved from .*run the same switchyard migrate again/)

  const last = await runCli(command(embedded, to))
  assert.equal(last.code, 0, last.stderr)
  assert.match(last.stderr, /rows \(100 %\)/)
  assert.match(last.stderr, /2 zero characters in texts became U\+FFFD/)
  assert.match(last.stderr, /Everything is equal/)
  assert.match(last.stdout, new RegExp(`^requests +${ROWS + 5} +equal$`, 'm'))
  const file = join(embedded.dataDir, 'secrets.key')
  assert.ok(last.stdout.endsWith(`DATABASE_URL='${to}' SECRETS_KEY="$(cat '${file}')" switchyard serve\n`), last.stdout)
  assert.ok(!(last.stdout + last.stderr).includes(readFileSync(file, 'utf8').trim()))

  await compareEveryRow(to)
  await serveFrom(to)
  await serveInSameFolder(to)
})

/** What gateways write about themselves, and an embedded one does not; and content, which is deleted soon anyway. */
const LEFT_OUT = ['nodes', 'schema_versions', 'request_content']

async function compareEveryRow(to: string): Promise<void> {
  const source = new DatabaseSync(embedded.database, { readOnly: true, readBigInts: true })
  const tables = await query(
    to,
    `select relname as name from pg_class
      where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace and not relispartition`,
  )
  const names = tables.map(({ name }) => name).filter((name) => !LEFT_OUT.includes(name))
  assert.deepEqual(names.sort(), [...MOVED_TABLES.map(({ name }) => name), 'settings'].sort())
  for (const { name } of MOVED_TABLES) {
    const here = source.prepare(`select * from ${name}`).all().map(asText)
    const there = (await query(to, `select * from ${name}`)).map(asText)
    assert.ok(here.length > 0, `${name} is empty`)
    assert.deepEqual(there.sort(), here.sort(), name)
  }
  source.close()
}

/** Both engines' integers as digits, and what PostgreSQL cannot hold as it must have become. */
function asText(row: Record<string, unknown>): string {
  const cell = (value: unknown) => (value === null ? null : String(value).replaceAll('\u0000', '\ufffd'))
  return JSON.stringify(
    Object.keys(row)
      .sort()
      .map((column) => [column, cell(row[column])]),
  )
}

/** On another machine: nothing of the old data folder but its key for secrets. */
async function serveFrom(to: string): Promise<void> {
  const secrets = readFileSync(join(embedded.dataDir, 'secrets.key'), 'utf8').trim()
  const moved = await startHarness({ environment: { DATABASE_URL: to, SECRETS_KEY: secrets } })
  try {
    const admin = { authorization: `Bearer ${ADMIN_KEY}` }
    const before = await moved.get('/requests?limit=1', admin)
    assert.equal(before.json.data.length, 1)
    assert.equal((await moved.chat(hello('fast'))).status, 200)
    const { store } = moved.gateway
    assert.equal((await loadSnapshot(store.db, store.secrets)).providers.get('local')?.apiKey, 'sk-of-local')
    const environment = { SWITCHYARD_URL: moved.url, ADMIN_KEY }
    const verified = await runCli(['verify'], { environment })
    assert.equal(verified.code, 0, verified.stdout + verified.stderr)
    const price = await runCli(
      ['registry', 'put', 'local/new', '--input-per-mtok', '1', '--output-per-mtok', '1', '--json'],
      { environment },
    )
    assert.equal(price.code, 0, price.stderr)
    const history: Json = (await moved.get('/registry/local/gpt-5.4-mini/history', admin)).json
    assert.equal(history.data.length, 2)
  } finally {
    await moved.stop()
  }
}

/** Its spool still has what was folded before the move: nothing of it may be delivered again. */
async function serveInSameFolder(to: string): Promise<void> {
  const counted = () => query(to, 'select count(*) from requests')
  const before = await counted()
  const moved = await startHarness({ folder: embedded.folder, environment: { DATABASE_URL: to } })
  assert.equal((await moved.chat(hello('fast'))).status, 200)
  await moved.stop()
  assert.deepEqual(await counted(), [{ count: String(Number(before[0].count) + 1) }])
  const back = await startHarness({ folder: embedded.folder })
  assert.equal((await back.chat(hello('fast'))).status, 200)
  await back.stop()
}
