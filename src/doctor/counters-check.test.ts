import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startValkey } from '../../test/valkey.ts'
import { inspectionOf } from '../limits/counters/inspect-counters.ts'
import { checkCache, checkCounters } from './counters-check.ts'

test('the doctor says whether the shared counters answer, and what they do when they are killed', async () => {
  const server = await startValkey({ appendOnly: true, password: 'not-so-secret' })
  after(() => server.stop())
  // A loaded machine may need longer than an operator waits.
  const [found] = await checkCounters(server.url, { waitMs: 60_000 })
  assert.deepEqual([found?.name, found?.ok], ['counters', true])
  assert.match(found?.message ?? '', /^(Redis|Valkey) [\d.]+ answers and survives a crash/)

  const [refused] = await checkCounters(server.url.replace('not-so-secret', 'wrong'))
  assert.equal(refused?.ok, false)
  assert.match(refused?.message ?? '', /check REDIS_URL/)
  assert.doesNotMatch(refused?.message ?? '', /wrong@|not-so-secret/)

  await server.stop()
  const [away] = await checkCounters(server.url)
  assert.match(away?.message ?? '', /^no answer/)
})

test('a server that throws counters away when it is full is told apart', () => {
  const info = 'redis_version:7.0.15\r\nvalkey_version:8.0.1\r\naof_enabled:0\r\nmaxmemory_policy:allkeys-lru\r\n'
  assert.deepEqual(inspectionOf(info), { server: 'Valkey 8.0.1', keepsMemory: false, evictionPolicy: 'allkeys-lru' })
})

test('and whether the shared response cache does, with what to do', async () => {
  const server = await startValkey()
  after(() => server.stop())
  const found = await checkCache(server.url, 60_000)
  assert.deepEqual([found.name, found.ok], ['response cache', true])
  assert.match(found.message, /^(Redis|Valkey) [\d.]+ answers but stores nothing new once its memory is full/)
  await server.order('config set maxmemory-policy allkeys-lru')
  assert.match((await checkCache(server.url, 60_000)).message, /makes room when its memory is full \(allkeys-lru\)$/)
  await server.stop()
  const away = await checkCache(server.url)
  assert.equal(away.ok, false)
  assert.match(
    away.message,
    /^no answer .*: check CACHE_REDIS_URL and that the server runs; until then nothing is cached$/,
  )
})
