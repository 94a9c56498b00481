import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createClient } from '@redis/client'
import { type Answered, until } from '../../harness.ts'
import { startPostgres } from '../../postgres.ts'
import { startValkey } from '../../valkey.ts'
import { CHAT, fresh, KEYS, Lateness, LONG_LIVED, startWorld, verdict, type World } from './world.ts'

const SECRET = 'a-sentence-that-nobody-else-says'
const postgres = await startPostgres()
const valkey = await startValkey()
const environment = {
  DATABASE_URL: await postgres.createDatabase(),
  CACHE_REDIS_URL: valkey.url,
  SECRETS_KEY: 'one-key-for-both-gateways',
}
const config = LONG_LIVED.replaceAll('gpt-plain', 'gpt-sim-echo')
const one: World = await startWorld({ config, environment })
const { openaiUrl, anthropicUrl } = one.simulator
const two: World = await startWorld({
  config,
  environment: { ...environment, OPENAI_BASE_URL: openaiUrl, ANTHROPIC_BASE_URL: anthropicUrl },
})
const store = await createClient({ url: valkey.url, RESP: 2 }).connect()
after(async () => {
  for (const each of [one, two]) await each.stop()
  if (store.isOpen) store.destroy()
  await valkey.stop()
  await postgres.stop()
})

/** Gateways serve before they are connected to the store. */
const warm = fresh('long')
for (const each of [one, two]) await until(async () => verdict(await each.chat(warm)) === 'hit', 'it is connected')

/** What is stored is sent in the background. */
const stored = (before: number) => until(async () => (await store.dbSize()) > before, 'the answer is stored')
const idOf = (answer: { headers: Headers }) => answer.headers.get('x-gateway-request-id')
const lateness = new Lateness()

/** It hits, with the answer of one of those that asked the provider. */
async function assertHit(place: World, body: unknown, key: string, first: Answered): Promise<Answered> {
  const paid = [idOf(first)]
  for (;;) {
    const { answer, mayMiss } = await lateness.ask(() => place.post(CHAT, body, key))
    if (verdict(answer) === 'miss' && mayMiss) {
      paid.push(idOf(answer))
      continue
    }
    assert.equal(verdict(answer), 'hit')
    assert.ok(paid.includes(String((await place.rowOf(answer))['answer_of'])))
    return answer
  }
}

/** A request that the first gateway has answered and stored. */
async function answered(route: string, more: Record<string, unknown> = {}) {
  const before = await store.dbSize()
  const body = { ...fresh(route), messages: [{ role: 'user', content: SECRET }], ...more }
  const answer = await one.chat(body)
  assert.deepEqual([answer.status, verdict(answer)], [200, 'miss'], answer.text)
  await stored(before)
  return { body, answer }
}

for (const stream of [false, true]) {
  test(`a gateway gives what another has stored, ${stream ? 'a stream' : 'a whole answer'}, to those who may have it`, async () => {
    const { body, answer } = await answered('own', { stream })
    const hit = await assertHit(two, body, KEYS.first, answer)
    assert.ok(hit.text.includes(SECRET.slice(0, 10)))
    for (const key of [KEYS.second, KEYS.other]) assert.equal(verdict(await two.post(CHAT, body, key)), 'miss')
    const shared = await answered('shared', { stream })
    await assertHit(two, shared.body, KEYS.second, shared.answer)
    assert.equal(verdict(await two.post(CHAT, shared.body, KEYS.short)), 'miss')
    assert.equal(verdict(await two.post(CHAT, shared.body, KEYS.other)), 'miss')
    assert.equal(verdict(await two.chat({ ...body, temperature: 0 })), 'miss')
    assert.equal(verdict(await two.chat({ ...body, stream: !stream })), 'miss')
  })
}

test('a purge at one gateway holds at the other', async () => {
  const { body, answer } = await answered('own')
  await one.manage('DELETE', '/routes/own/cache?workspace=default')
  await until(async () => {
    const again = await two.chat(body)
    return (await two.rowOf(again))['answer_of'] !== idOf(answer)
  }, 'the other knows of it')
})

test('nothing that was said can be read there, and every answer has its end', async () => {
  await answered('own')
  const names = await store.keys('*')
  assert.ok(names.length > 0)
  for (const name of names) {
    assert.match(name, /^switchyard:answer:[\w-]{43}$/)
    const value = (await store.get(name)) ?? ''
    assert.ok(!value.includes(SECRET) && !Buffer.from(value, 'base64').includes(SECRET))
    assert.ok((await store.pTTL(name)) > 0)
  }
})

test('while the store is away, calls ask their providers', async () => {
  const { body } = await answered('own')
  store.destroy()
  await valkey.halt()
  const answer = await two.chat(body)
  assert.deepEqual([answer.status, verdict(answer)], [200, 'miss'])
})
