import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { newId } from '../../src/domain/new-id.ts'
import { NO_USAGE } from '../../src/domain/pricing/usage.ts'
import { closeLine, openLine } from '../../src/request-log/spool/record-lines.ts'
import { Spool } from '../../src/request-log/spool/spool.ts'
import { ADMIN_KEY, type Harness, hello, newFolder, startHarness } from '../harness.ts'
import { closeRecord, openRecord } from '../test-store.ts'

export const DAY_MS = 86_400_000
export const DAYS = 40
/** Beyond what a double counts exactly: 9,007 USD and some. */
const LARGE_COST = '9007199254740993'

export interface Embedded {
  folder: string
  dataDir: string
  database: string
  remove(): void
}

/** Costs are made up, so their price versions must be unknown. */
const GONE = 900_000

/** What an embedded gateway leaves behind: every table has rows, the log as many as asked for, over forty days. */
export async function leaveEmbedded(rows: number): Promise<Embedded> {
  const folder = newFolder()
  const harness = await startHarness({ folder })
  await setUp(harness)
  await writeRows(harness, rows)
  await harness.stop()
  const dataDir = join(folder, 'data')
  const database = join(dataDir, 'switchyard.db')
  addOddities(database)
  leaveInSpool(join(dataDir, 'spool'))
  return { folder, dataDir, database, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

async function setUp({ url, chat, simulator }: Harness): Promise<void> {
  const send = async (method: string, path: string, body: unknown) => {
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' }
    const response = await fetch(url + path, { method, headers, body: JSON.stringify(body) })
    assert.ok(response.ok, `${method} ${path}: ${await response.text()}`)
  }
  await send('POST', '/workspaces', { name: 'research', description: 'naïve 🚂 “quotes” \\u0000 \\ and\nlines' })
  await send('PUT', '/providers/local', { family: 'openai', base_url: simulator.openaiUrl, api_key: 'sk-of-local' })
  await send('PUT', '/routes/fast', { chain: [{ provider: 'openai', model: 'gpt-5.4-mini' }] })
  await send('PUT', '/registry/local/gpt-5.4-mini', { input_per_mtok: '1', output_per_mtok: '2' })
  await send('PUT', '/registry/local/gpt-5.4-mini', { input_per_mtok: '3', output_per_mtok: '4' })
  await send('POST', '/sessions', { key: ADMIN_KEY })
  await send('POST', '/invites', { email: 'ana@example.com', workspaces: ['research'] })
  await send('PUT', '/key-templates/developers', {})
  await send('POST', '/me/keys', { name: 'laptop', template: 'developers' })
  const issuer = { issuer: 'https://login.example.com', audiences: ['gateway'], rules: [] }
  await send('PUT', '/token-issuers/acme', issuer)
  await send('POST', '/token-issuers/acme/revocations', { value: 'ana' })
  await send('POST', '/alert-channels', { name: 'ops', kind: 'webhook', url: 'http://127.0.0.1:9/' })
  assert.equal((await chat(hello('fast'))).status, 200)
  assert.equal((await chat(hello('fast'), { 'idempotency-key': 'once' })).status, 200)
  assert.equal((await chat({ model: 'fast' })).status, 400)
}

async function writeRows({ gateway: { store } }: Harness, rows: number): Promise<void> {
  const [key] = await store.db.selectFrom('keys').select('id').where('kind', '=', 'live').execute()
  const begin = Date.now() - DAYS * DAY_MS
  for (let row = 0; row < rows; ) {
    const closing: Promise<unknown>[] = []
    for (const end = Math.min(row + 1_000, rows); row < end; row++) {
      const startedAt = begin + Math.floor((row * (DAYS * DAY_MS - 60_000)) / rows)
      closing.push(
        store.requestLog.close(
          closeRecord(`chatcmpl_${newId(startedAt)}`, {
            startedAt,
            finishedAt: startedAt + 500,
            keyId: key?.id ?? '',
            workspace: row % 3 === 0 ? 'research' : 'default',
            requestedModel: row % 5 === 0 ? 'naïve 🚂 \\u0000' : null,
            priceVersion: GONE,
            usage: row % 7 === 0 ? null : { ...NO_USAGE, input: row % 997, output: row % 89 },
            costPicodollars: row % 7 === 0 ? null : row % 1_000 === 1 ? LARGE_COST : String(row * 1_000),
          }),
        ),
      )
    }
    await Promise.all(closing)
  }
}

/** What no caller can make happen on purpose. */
function addOddities(path: string): void {
  const database = new DatabaseSync(path)
  database
    .prepare('insert into spool_rejects (node, seq, kind, payload, error) values (?, ?, ?, ?, ?)')
    .run('node', 7, 'close', 'a\u0000b\u0000 \\u0000 "quoted"', 'unreadable')
  database.exec(`
    insert into alerts (id, identity, rule, severity, subject, summary, since, seen_at, hold_ms, fired_at)
      values ('a', 'unpriced p m', 'unpriced', 'warning', 'p m', 'p m has no price', 1, 1, 0, 1);
    insert into alert_deliveries (id, channel_id, events, state, attempts, due_at, created_at)
      select 'msg_a', id, '[]', 'sent', 1, 1, 1 from alert_channels limit 1`)
  database.exec(`
    insert into people (id, issuer, subject, email, role, role_from, created_at, last_seen_at)
      values ('p', 'https://id.example', 'ben', 'ben@example.com', 'viewer', 'groups', 1, 2);
    insert into person_sessions (id, person_id, secret_hash, created_at, expires_at) values ('s', 'p', 'hash', 1, 2);
    insert into performance_hours (workspace, hour, kind, state, parts) values ('default', 0, 'calls', '0 0 0', '[]')`)
  database.exec(`
    insert into corrections values ('c', 1, 'ann', 'invoice', 'released', 'r', 'default', 'k', null, null, 1, 0, -7, null);
    insert into budget_raises values ('b', 'default', 'k', 'session', '', 'nightly', '5', 2, 1, 'ann', 'the run', null);
    insert into usage_units values ('default', 'hour', 0, 'k', '', '', '', '', 'images', 'image:any:any', 2);
    insert into value_days values ('default', 'session', '', 'nightly', 'k', '', 0, 42);
    insert into month_closes values ('2026-01', 1, 'ann', 'sum', 'text');
    insert into report_imports values ('i', 'csv', 'openai', 'f', 's', '{}', 1, 0, 1, 1, 'ann');
    insert into report_lines (id, import_id, source, provider, starts_at, ends_at, zone, class, tolerance_picodollars, ordinal)
      values ('l', 'i', 'csv', 'openai', 0, 1, 'UTC', 'input', 0, 0);
    insert into report_models values ('openai', 'm-1', 'm');
    insert into report_accounts values ('openai', 'key_1', 'openai');
    insert into resumed_sessions values ('default', 'nightly', 1)`)
  // As a caller's bounds allow: two of them are beyond a sum of 64 bits.
  database.exec(
    `update requests set hold_picodollars = ${2n ** 63n - 1n} where id in (select id from requests order by id limit 2)`,
  )
  database.close()
}

/** A gateway that was killed: one call answered and not yet folded, one cut off. */
function leaveInSpool(path: string): void {
  const spool = new Spool(path, { synchronousFull: false, onCommit() {} })
  const startedAt = Date.now()
  const folded = new DatabaseSync(join(path, '..', 'switchyard.db'), { readOnly: true })
  spool.startAfter(Number(folded.prepare('select max(seq) as seq from spool_positions').get()?.['seq']))
  folded.close()
  void spool.appendEnd(closeLine(closeRecord('chatcmpl_spooled', { startedAt, priceVersion: GONE })))
  void spool.append(openLine(openRecord('chatcmpl_cut-off', { startedAt })))
  void spool.close()
}
