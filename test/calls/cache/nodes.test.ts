import '../../more-cores.ts'
import { after, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { createClient } from '@redis/client'
import { until } from '../../harness.ts'
import { startPostgres } from '../../postgres.ts'
import { startValkey } from '../../valkey.ts'
import { assertNeverAcross, type Places } from './never-across.ts'
import { CHAT, LONG_LIVED as config, fresh, KEYS, startWorld, verdict, type World } from './world.ts'

const SERVING_THREADS = '2'
const RUNS = 8
const valkey = await startValkey()
after(() => valkey.stop())

type Place = Places['all'][number]

/** Calls with the same `Idempotency-Key` are served by the same thread. */
function threadsOf(world: World): Place[] {
  let calls = 0
  function keyFor(thread: number): string {
    for (;;) {
      const key = `call-${++calls}`
      if (crc32(key) % Number(SERVING_THREADS) === thread - 1) return key
    }
  }
  return [1, 2].map((thread) => ({
    store: thread,
    post: (path, body, key, headers) => world.post(path, body, key, { ...headers, 'idempotency-key': keyFor(thread) }),
    world,
  }))
}

/** Places that share their answers on Valkey, in its own database. */
async function assertShared(all: readonly Place[], url: string, upstream: World['upstream']): Promise<void> {
  const store = await createClient({ url, RESP: 2 }).connect()
  after(() => store.destroy())
  // Gateways serve before they are connected to the store.
  const warm = JSON.stringify(fresh('long'))
  for (const { post } of all) {
    await until(async () => verdict(await post(CHAT, warm, KEYS.first, {})) === 'hit', 'it is connected')
  }
  let answers = await store.dbSize()
  const stored = async () => {
    answers += 1
    await until(async () => (await store.dbSize()) === answers, 'the answer is stored')
  }
  const sharing = all.map((place) => ({ ...place, store: url }))
  await assertNeverAcross({ all: sharing, upstream: () => upstream().length, stored }, RUNS)
}

test('threads without a shared store have answers of their own, for those who may have them', async () => {
  const world = await startWorld({ config, environment: { SERVING_THREADS } })
  after(() => world.stop())
  const upstream = () => world.upstream().length
  await assertNeverAcross({ all: threadsOf(world), upstream }, RUNS)
})

test('threads with a shared store give each other what they may, and nothing else', async () => {
  const url = `${valkey.url}/1`
  const world = await startWorld({ config, environment: { SERVING_THREADS, CACHE_REDIS_URL: url } })
  after(() => world.stop())
  await assertShared(threadsOf(world), url, world.upstream)
})

test('so do gateways', async () => {
  const postgres = await startPostgres()
  const running: { stop(): Promise<void> }[] = [postgres]
  after(async () => {
    for (const each of running.toReversed()) await each.stop()
  })
  const url = `${valkey.url}/2`
  const environment = {
    ...{ DATABASE_URL: await postgres.createDatabase(), SECRETS_KEY: 'one-key-for-both-gateways' },
    // A hard budget of several gateways needs counters that they share.
    ...{ REDIS_URL: valkey.url, CACHE_REDIS_URL: url },
  }
  const one = await startWorld({ config, environment })
  running.push(one)
  const { openaiUrl, anthropicUrl } = one.simulator
  const addresses = { OPENAI_BASE_URL: openaiUrl, ANTHROPIC_BASE_URL: anthropicUrl }
  const two = await startWorld({ config, environment: { ...environment, ...addresses } })
  running.push(two)
  const all = [one, two].map((world) => ({ store: url, post: world.post, world }))
  await assertShared(all, url, one.upstream)
})
