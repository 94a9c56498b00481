import '../more-cores.ts'
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { startSimulator } from '../../simulator/simulator.ts'
import { closeLine, commitLine, joinLines, openLine } from '../../src/request-log/spool/record-lines.ts'
import { threadSpool } from '../../src/request-log/spool/segments.ts'
import { SpoolWriter } from '../../src/request-log/spool/writer.ts'
import { ADMIN_KEY, type Harness, hello, KEY, newFolder, startHarness, until } from '../harness.ts'
import { ask, CONFIG, holdOfAsk, newKey, usd } from '../limits/limited.ts'
import { managing } from '../management/manage.ts'
import { startPostgres } from '../postgres.ts'
import { startProcess } from '../process.ts'
import { closeRecord, commitRecord, openRecord } from '../test-store.ts'

const CALLS = 10_000
const COST = 1_000_000n
const HELD = 70_000_000n

const server = await startPostgres()
after(() => server.stop())

/** Each turn of the event loop has written four calls, as a busy gateway does. */
function spoolCalls(folder: string, spool: string | undefined, lines: readonly string[]): void {
  const writer = new SpoolWriter(folder, { synchronousFull: false, ...(spool !== undefined && { node: spool }) })
  for (let at = 0; at < lines.length; at += 8) {
    const some = lines.slice(at, at + 8)
    writer.append(some.length, joinLines(some))
  }
  writer.close()
}

/** What a process that was killed leaves: answered calls, one that waited for its provider, a stream in the middle. */
function leftLines(keyId: string, of: string, calls: number): string[] {
  const known = { keyId, workspace: 'default', holdPicodollars: String(HELD), holdTokens: 100 }
  const startedAt = Date.now() - 1_000
  const lines = Array.from({ length: calls }, (_, number) => {
    const record = closeRecord(`chatcmpl_${of}_${String(number).padStart(6, '0')}`, {
      ...{ ...known, startedAt, finishedAt: startedAt + 5, costPicodollars: String(COST) },
      ...(number === 7 && { idempotencyKey: `order-${of}`, bodyHash: 'of another body' }),
    })
    return [openLine(record), closeLine(record)]
  }).flat()
  const waiting = openRecord(`chatcmpl_${of}_waiting`, { ...known, startedAt })
  const stream = openRecord(`chatcmpl_${of}_stream`, { ...known, startedAt, streamed: true })
  return [...lines, openLine(waiting), openLine(stream), commitLine(commitRecord(stream.id, { startedAt }))]
}

interface Case {
  name: string
  environment(): Promise<Record<string, string>>
  threads: number
}

const CASES: Case[] = [
  { name: 'SQLite', environment: async () => ({}), threads: 1 },
  { name: 'SQLite, two threads', environment: async () => ({ SERVING_THREADS: '2' }), threads: 2 },
  { name: 'PostgreSQL', environment: async () => ({ DATABASE_URL: await server.createDatabase() }), threads: 1 },
]

for (const { name, environment: make, threads } of CASES) {
  describe(`a start with a spool that the database does not have: ${name}`, () => {
    test('serves with what was spent, and then all rows are there', async () => {
      const folder = newFolder()
      const environment = await make()
      const options = { folder, config: CONFIG, environment }
      const first = await startHarness(options)
      const spent = BigInt(threads) * (BigInt(CALLS / threads) * COST + 2n * HELD)
      const limited = await newKey(first, {
        budget: { usd: usd(spent + holdOfAsk('plain')), per: 'month', mode: 'hard' },
      })
      await first.stop()
      const spool = join(folder, 'data', 'spool')
      if (threads === 1) spoolCalls(spool, undefined, leftLines(limited.id, 'a', CALLS))
      else {
        for (let thread = 1; thread <= threads; thread++) {
          const lines = leftLines(limited.id, `t${thread}`, CALLS / threads)
          spoolCalls(join(spool, String(thread)), threadSpool(first.gateway.store.node, thread), lines)
        }
      }
      const fold = Promise.withResolvers<void>()
      const gateway = await startHarness({ ...options, foldsAfter: fold.promise })
      try {
        await checkHeld(gateway, limited.headers, threads === 1 ? 'a' : 't1', fold.resolve)
        await checkAll(gateway, threads)
      } finally {
        fold.resolve()
        await gateway.stop()
        rmSync(folder, { recursive: true, force: true })
      }
    })
  })
}

/** Nothing is in the database yet. */
async function checkHeld(gateway: Harness, headers: Record<string, string>, of: string, goOn: () => void) {
  const { db } = gateway.gateway.store
  const manage = managing(() => gateway)
  const count = async () => (await db.selectFrom('requests').select('id').execute()).length
  assert.equal(await count(), 0)
  const lagsBehind = async () => (await manage('GET', '/status')).json.log.lag_rows >= 2 * CALLS
  // Serving threads say it after a moment.
  await until(lagsBehind, `${2 * CALLS} records are still to be moved`)
  assert.equal((await gateway.chat(ask('plain'))).status, 200, 'whoever has no limit')
  assert.equal((await gateway.chat(ask('plain'), headers)).status, 200, 'exactly this much is left')
  const refused = await gateway.chat(ask('plain'), headers)
  assert.deepEqual([refused.status, refused.json.error.code], [402, 'budget_exceeded'])
  assert.equal((await gateway.chat(ask('plain'), { 'idempotency-key': 'new' })).status, 200, 'a key nobody has used')
  // Of this one the spool has a call, with another body: it is known only from the row.
  const repeat = gateway.chat(ask('plain'), { ...headers, 'idempotency-key': `order-${of}` })
  assert.equal(await count(), 0)
  goOn()
  assert.deepEqual([(await repeat).status, (await repeat).json.error.code], [409, 'conflict'])
}

async function checkAll(gateway: Harness, threads: number) {
  const rows = await gateway.rows()
  const left = rows.filter(({ id }) => /_(a|t\d)_/.test(id))
  assert.equal(left.length, CALLS + 2 * threads)
  const cut = left.filter(({ code }) => code === 'interrupted')
  assert.equal(cut.length, 2 * threads)
  assert.deepEqual(
    cut.map((row) => [row.id.endsWith('stream'), row['cost_picodollars'] === Number(HELD)]).filter(([a, b]) => a !== b),
    [],
  )
  // The calls of this process were running or had ended when the others were closed: they are untouched.
  const own = rows.filter((row) => !left.includes(row))
  assert.deepEqual(own.map(({ status }) => status).sort(), [200, 200, 200, 402, 409])
  await checkVerified(gateway)
  assert.equal((await managing(() => gateway)('GET', '/status')).json.log.lag_rows, 0)
}

/** The rows themselves have no price, as expected: their tokens were never counted. */
async function checkVerified(gateway: Harness) {
  const { differences, rows } = (await managing(() => gateway)('POST', '/verify')).json
  assert.deepEqual(differences, [])
  assert.deepEqual(
    rows.differences.filter(({ id }: { id: string | null }) => id === null),
    [],
  )
}

test('a kill while the spool is moved loses nothing and books nothing twice', async () => {
  const folder = newFolder()
  const simulator = await startSimulator()
  after(() => simulator.close())
  const first = await startHarness({ folder, config: CONFIG })
  const key = await newKey(first, null)
  await first.stop()
  spoolCalls(join(folder, 'data', 'spool'), undefined, leftLines(key.id, 'a', CALLS))
  writeFileSync(join(folder, 'switchyard.yaml'), CONFIG)
  const environment = {
    ...{ DATA_DIR: join(folder, 'data'), GATEWAY_KEY: KEY, ADMIN_KEY, OPENAI_API_KEY: 'sk-test' },
    OPENAI_BASE_URL: simulator.openaiUrl,
  }
  const answered: string[] = []
  for (let round = 0; round < 3; round++) {
    const running = startProcess({ folder, environment })
    const answer = await fetch(`${await running.url()}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify(hello('plain')),
    })
    assert.equal(answer.status, 200, await answer.clone().text())
    answered.push(((await answer.json()) as { id: string }).id)
    await running.stop('SIGKILL')
  }
  const last = await startHarness({ folder, config: CONFIG })
  try {
    const rows = await last.rows()
    assert.equal(rows.length, CALLS + 2 + answered.length)
    assert.deepEqual(
      answered.map((id) => rows.filter((row) => row.id === id && row.status === 200).length),
      answered.map(() => 1),
    )
    assert.equal(rows.filter(({ code }) => code === 'interrupted').length, 2)
    await checkVerified(last)
    const spent = (await last.gateway.ledger.status([{ kind: 'key', id: key.id }]))[0]?.periods.total.spent
    assert.equal(spent, BigInt(CALLS) * COST + 2n * HELD, 'the stream as its cost, the other as unconfirmed')
  } finally {
    await last.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
