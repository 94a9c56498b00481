import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { GatewayError } from '../../domain/errors.ts'
import { createSignInGuard, pauseUnless } from './sign-in-guard.ts'

/** A guard whose delays end on demand. */
function setUp(mostSources?: number) {
  const pauses: { milliseconds: number; end(): void }[] = []
  const guard = createSignInGuard({
    now: () => 0,
    pause: (milliseconds) => new Promise((end) => pauses.push({ milliseconds, end })),
    ...(mostSources === undefined ? {} : { mostSources }),
  })
  const wrong = (source = HERE) =>
    guard.attempt(source, () => {
      throw new GatewayError('unauthorized')
    })
  const delays = () => pauses.map(({ milliseconds }) => milliseconds)
  const endAll = async (answers: Promise<unknown>[]) => {
    for (const { end } of pauses) end()
    await Promise.allSettled(answers)
  }
  return { guard, pauses, wrong, delays, endAll }
}

const HERE = '203.0.113.9'
const THERE = '198.51.100.1'

describe('the guard against guessed keys', () => {
  test('answers a right key at once, whatever came before', async () => {
    const { guard, pauses, wrong } = setUp()
    const waiting = wrong()
    assert.equal(await guard.attempt(HERE, () => 'right'), 'right')
    assert.equal(pauses.length, 1)
    pauses[0]?.end()
    await assert.rejects(waiting, { code: 'unauthorized' })
  })

  test('answers a known gateway key at once: it is no guess', async () => {
    const { guard, pauses } = setUp()
    const forbidden = guard.attempt(HERE, () => {
      throw new GatewayError('forbidden')
    })
    await assert.rejects(forbidden, { code: 'forbidden' })
    assert.equal(pauses.length, 0)
  })

  test('answers a wrong key only when its delay is over, each later than the one before', async () => {
    const { delays, wrong, endAll } = setUp()
    let answered = 0
    const answers = [wrong(), wrong(), wrong()].map((answer) => answer.catch(() => answered++))
    await Promise.resolve()
    assert.deepEqual(delays(), [250, 500, 1_000])
    assert.equal(answered, 0)
    await endAll(answers)
    assert.equal(answered, 3)
  })

  test('counts each source for itself', async () => {
    const { delays, wrong, endAll } = setUp()
    const answers = [wrong(HERE), wrong(HERE), wrong(THERE)].map((answer) => answer.catch(() => {}))
    assert.deepEqual(delays(), [250, 500, 250])
    await endAll(answers)
  })

  test('refuses further wrong keys of a source of which twenty wait, and lets a right one in at once', async () => {
    const { guard, pauses, wrong, endAll } = setUp()
    const answers = Array.from({ length: 20 }, () => wrong().catch(() => {}))
    await assert.rejects(wrong(), { code: 'too_many_attempts', status: 429, retryAfterSeconds: 5 })
    assert.equal(await guard.attempt(HERE, () => 'right'), 'right')
    assert.equal(pauses.length, 20)
    pauses[0]?.end()
    await answers[0]
    answers.push(wrong().catch(() => {}))
    assert.equal(pauses.length, 21)
    await endAll(answers)
  })

  test('remembers so many sources and no more: the one that was quiet for longest is forgotten', async () => {
    const { delays, wrong, endAll } = setUp(2)
    const answers = ['a', 'b', 'a', 'c', 'a', 'b'].map((source) => wrong(source).catch(() => {}))
    assert.deepEqual(delays(), [250, 250, 500, 250, 1_000, 250])
    await endAll(answers)
  })
})

test('a pause ends when the gateway is told to stop, and none begins after that', async () => {
  const stopping = new AbortController()
  const pause = pauseUnless(stopping.signal)
  const century = 2 ** 31 - 1
  const paused = pause(century)
  stopping.abort()
  await paused
  await pause(century)
})
