import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { StreamScript, StreamStep } from '../../../simulator/simulator.ts'
import { FAILURES_TO_OPEN } from '../../../src/domain/circuit.ts'
import { ADMIN_KEY, type Json, until } from '../../harness.ts'
import { attemptsOf, cutOf, FAMILIES, startWorld, type World } from './world.ts'

const world: World = await startWorld()
/** One timer each is short. */
const timed = {
  idle: await startWorld({ environment: { STREAM_IDLE_SECONDS: '0.2' } }),
  // Pings are no silence: else the shorter timer would end it, with other words.
  payload: await startWorld({ environment: { STREAM_IDLE_SECONDS: '2', STREAM_PAYLOAD_IDLE_SECONDS: '4' } }),
  total: await startWorld({ environment: { STREAM_TOTAL_SECONDS: '0.2' } }),
}
after(async () => {
  for (const each of [world, ...Object.values(timed)]) await each.stop()
})

const provider = async ({ url }: World, name: string): Promise<Json> => {
  const response = await fetch(`${url}/status`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } })
  const { providers } = (await response.json()) as Json
  return providers.find((each: Json) => each.name === name)
}

const AFTER: [string, StreamStep[], string, RegExp][] = [
  ['an error event', [{ play: 'first' }, { error: 529 }], 'provider_overloaded', /./],
  ['an end', [{ play: 'first' }, 'end'], 'upstream_error', /end/i],
  ['a cut', [{ play: 'first' }, 'cut'], 'upstream_error', /closed the connection before its answer was complete/],
  ['a reset', [{ play: 'content' }, 'reset'], 'upstream_error', /closed the connection/],
  ['garbage', [{ play: 'first' }, { send: { data: '{"choi' } }, 'end'], 'upstream_error', /./],
]

// Peer bug 21, litellm#31067, #27967, #18229: another entry continued the text.
for (const family of FAMILIES)
  describe(`after the first content of ${family}`, () => {
    for (const [what, steps, code, message] of AFTER)
      test(`${what}: an error frame, no other entry, and what was sent is charged`, async () => {
        const { route, first, second } = world.pair(family)
        world.simulator.script(first, [{ tweak: { text: 'some words that are sent' }, stream: { steps } }])
        const caller = world.ask({ model: route })
        assert.equal(await caller.ended, true, 'the body ends properly')
        const error = cutOf(caller)
        assert.equal(error.code, code)
        assert.match(error.message, message)
        assert.notEqual(caller.said(), '')
        assert.deepEqual(caller.trailers(), {})
        assert.equal(world.upstream().filter(({ model }) => model === second).length, 0)
        const row = await world.row(caller)
        assert.deepEqual([row.status, row.code, row['ended']], [200, code, 'failed_mid_stream'])
        assert.equal(row['usage_source'], family === 'anthropic' ? 'provider_partial' : 'estimated')
        const [least, cost, most] = ['cost_least_picodollars', 'cost_picodollars', 'cost_most_picodollars'].map(
          (name) => Number(row[name]),
        ) as [number, number, number]
        assert.ok(
          cost > 0 && least <= cost && cost <= most && most <= Number(row['hold_picodollars']),
          JSON.stringify(row),
        )
        assert.equal(row['finish_reason'], null)
        assert.ok(Number(row['first_content_ms']) >= 0)
        const [attempt, ...others] = attemptsOf(row)
        assert.deepEqual([attempt.code, attempt.phase, others.length], [code, 'after_content', 0])
      })
  })

test('failures in the middle of streams open the circuit, and the health of the provider counts them', async () => {
  const { route, first, second } = world.pair('openai')
  const before = await provider(world, 'openai')
  const cut = { stream: { steps: [{ play: 'first' }, 'cut'] } } as const
  world.simulator.script(first, Array(FAILURES_TO_OPEN).fill(cut))
  for (let call = 0; call < FAILURES_TO_OPEN; call++) cutOf(await ended(world, route))
  const now = await provider(world, 'openai')
  assert.equal(now.errors_5m, before.errors_5m + FAILURES_TO_OPEN)
  const caller = await ended(world, route)
  assert.equal(caller.header('x-gateway-model'), second)
})

test('a stream that finishes closes the circuit of earlier failures', async () => {
  const { route, first } = world.pair('openai')
  const cut = { stream: { steps: [{ play: 'first' }, 'cut'] } } as const
  world.simulator.script(first, [cut, cut, cut, cut, undefined, cut])
  for (let call = 0; call < 6; call++) await ended(world, route)
  assert.equal((await ended(world, route)).header('x-gateway-model'), first)
})

async function ended(where: World, route: string) {
  const caller = where.ask({ model: route })
  await caller.ended
  return caller
}

// Peer bug 16, new-api#5289.
test('the text of an error is no output, and what was delivered is not counted with it', async () => {
  for (const family of FAMILIES) {
    const { route, first } = world.pair(family)
    const error = { type: 'error', error: { type: 'api_error', message: 'sorry '.repeat(1_000) } }
    const steps: StreamStep[] = [{ play: 'content' }, { send: { event: 'error', data: error } }, 'end']
    world.simulator.script(first, [{ tweak: { text: 'x'.repeat(40) }, stream: { steps } }])
    const caller = await ended(world, route)
    assert.match(cutOf(caller).message, /sorry/)
    assert.equal((await world.row(caller))['completion_tokens'], 10)
  }
})

test('what comes after the terminal event is ignored', async () => {
  for (const family of FAMILIES) {
    const { route, first } = world.pair(family)
    const steps: StreamStep[] = [{ play: 'done' }, { error: 500 }, { raw: '<html>' }, 'reset']
    world.simulator.script(first, [{ stream: { steps } }])
    const caller = await ended(world, route)
    assert.equal(caller.isDone(), true)
    assert.equal((await world.row(caller))['ended'], 'finished')
  }
})

const WORD = {
  data: {
    id: 'x',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: { content: 'word ' }, finish_reason: null }],
  },
}
const pings: StreamStep = { ping: 1e6 }
const TIMERS: [keyof typeof timed, string, StreamScript, RegExp][] = [
  ['idle', 'silence', { steps: [{ play: 'first' }, 'stall'] }, /stopped sending/],
  ['payload', 'pings', { gap: 20, steps: [{ play: 'first' }, pings] }, /kept the connection open, but sent no content/],
  [
    'total',
    'an answer without end',
    { gap: 20, steps: [{ play: 'first' }, { send: WORD, times: 1e6 }] },
    /lasted longer/,
  ],
]

describe('timers of a running stream', () => {
  for (const [timer, what, stream, message] of TIMERS)
    test(`${timer}: ${what} ends with words of its own`, async () => {
      const where = timed[timer]
      const { route, first } = where.pair('openai')
      where.simulator.script(first, [{ stream }])
      const caller = await ended(where, route)
      const { code, message: reported } = cutOf(caller)
      assert.equal(code, 'upstream_timeout')
      assert.match(reported, message)
      assert.equal((await where.row(caller))['ended'], 'failed_mid_stream')
      await until(() => where.simulator.streams.open === 0, 'the stream upstream is ended')
    })
})
