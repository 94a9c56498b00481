import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { GatewayError } from '../domain/errors.ts'
import { createSignInGuard, pauseUnless } from './sign-in-guard.ts'

/** A guard whose delays pass when the test says so. */
function setUp() {
  const pauses: { milliseconds: number; end(): void }[] = []
  const guard = createSignInGuard({
    now: () => 0,
    pause: (milliseconds) => new Promise((end) => pauses.push({ milliseconds, end })),
  })
  const wrong = () =>
    guard.attempt(() => {
      throw new GatewayError('unauthorized')
    })
  return { guard, pauses, wrong }
}

describe('the guard of the sign-in', () => {
  test('answers a right key at once, whatever came before', async () => {
    const { guard, pauses, wrong } = setUp()
    const waiting = wrong()
    assert.equal(await guard.attempt(() => 'right'), 'right')
    assert.equal(pauses.length, 1)
    pauses[0]?.end()
    await assert.rejects(waiting, { code: 'unauthorized' })
  })

  test('answers a wrong key only when its delay is over, each later than the one before', async () => {
    const { pauses, wrong } = setUp()
    let answered = 0
    const answers = [wrong(), wrong(), wrong()].map((answer) => answer.catch(() => answered++))
    await Promise.resolve()
    assert.deepEqual(
      pauses.map(({ milliseconds }) => milliseconds),
      [250, 500, 1_000],
    )
    assert.equal(answered, 0)
    for (const { end } of pauses) end()
    await Promise.all(answers)
    assert.equal(answered, 3)
  })

  test('looks at no key while twenty wrong ones wait, and says when to come again', async () => {
    const { guard, pauses, wrong } = setUp()
    const answers = Array.from({ length: 20 }, () => wrong().catch(() => {}))
    let looked = false
    const look = () => {
      looked = true
    }
    await assert.rejects(guard.attempt(look), { code: 'too_many_attempts', status: 429, retryAfterSeconds: 5 })
    assert.equal(looked, false)
    pauses[0]?.end()
    await answers[0]
    await guard.attempt(look)
    assert.equal(looked, true)
    for (const { end } of pauses) end()
    await Promise.all(answers)
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
