import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { checkCounters } from '../../src/doctor/counters-check.ts'
import { OWNER } from '../../src/limits/counters/installation.ts'
import { connectTo, FLUSH } from '../counters.ts'
import { type Harness, startHarness, until } from '../harness.ts'
import { startPostgres } from '../postgres.ts'
import { startValkey } from '../valkey.ts'

const postgres = await startPostgres()
const valkey = await startValkey()
const running: Harness[] = []
after(async () => {
  for (const each of running) await each.stop()
  await valkey.stop()
  await postgres.stop()
})

const shared = { REDIS_URL: valkey.url, SECRETS_KEY: 'sixteen-characters-and-more' }
const [one, other] = [await postgres.createDatabase(), await postgres.createDatabase()]

async function start(environment: Record<string, string>): Promise<Harness> {
  const started = await startHarness({ environment: { ...shared, ...environment } })
  running.push(started)
  return started
}

const isUp = async (harness: Harness) => (await harness.get('/readyz')).json.limits.up
const REFUSED = /REDIS_PREFIX: the counters \{switchyard\}: belong to another installation .* Set another REDIS_PREFIX/

test('another installation with the same REDIS_PREFIX does not start; another node of the same one does', async () => {
  const first = await start({ DATABASE_URL: one })
  assert.equal(await isUp(first), true)
  await assert.rejects(start({ DATABASE_URL: other }), REFUSED)
  assert.equal(await isUp(await start({ DATABASE_URL: one })), true)
  assert.equal(await isUp(await start({ DATABASE_URL: other, REDIS_PREFIX: 'other' })), true)
})

test('a server that lost everything belongs to whoever is there, and is rebuilt', async () => {
  const connection = await connectTo(valkey.url, '{switchyard}:')
  await connection.run(FLUSH, {})
  await until(async () => (await connection.run(OWNER, {})).installation !== '', 'they have noticed')
  await connection.close()
  for (const each of running) await until(() => isUp(each), 'it is in use again')
  await assert.rejects(start({ DATABASE_URL: other }), REFUSED)
})

test('doctor says so before the start', async () => {
  const of = (installation: string) => checkCounters(valkey.url, { prefix: '{switchyard}:', installation })
  assert.match(JSON.stringify(await of('another')), /belong to another installation/)
  const { db } = running[0]?.gateway.store ?? {}
  const row = await db?.selectFrom('settings').select('value').where('name', '=', 'installation').executeTakeFirst()
  assert.equal((await of(row?.value ?? ''))[0]?.ok, true)
})

test('counters that another version writes differently are left to it', async () => {
  await valkey.order('SET {switchyard}:format 2')
  await assert.rejects(
    start({ DATABASE_URL: one }),
    /REDIS_PREFIX: the counters \{switchyard\}: are of format 2, this version knows 1/,
  )
})
