import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newWorld, sentCaller, turn } from '../../../test/calls/idempotency-world.ts'
import { IDEMPOTENCY_MS } from '../../domain/idempotency.ts'

describe('what memory keeps', () => {
  test('the least recently used outcome is evicted; its call is still known', async () => {
    const world = newWorld({ outcomeBytes: 2 * 1_100, identities: 100 })
    for (const key of ['a', 'b']) world.answer(await sentCaller(world, key, 'body'))
    assert.equal((await world.ask('a', 'body').reported).kind, 'told')
    world.answer(await sentCaller(world, 'c', 'body'))
    world.rows.length = 0
    assert.equal((await world.ask('a', 'body').reported).kind, 'told')
    assert.equal((await world.ask('c', 'body').reported).kind, 'told')
    const evicted = await world.ask('b', 'body').reported
    assert.match(evicted.kind === 'refused' ? evicted.message : '', /completed and charged as request request-2;/)
  })

  test('an outcome larger than the bound evicts no other', async () => {
    const world = newWorld({ outcomeBytes: 1_500, identities: 100 })
    world.answer(await sentCaller(world, 'small', 'body'))
    world.answer(await sentCaller(world, 'large', 'body'), 'x'.repeat(1_000))
    assert.equal((await world.ask('small', 'body').reported).kind, 'told')
    assert.equal((await world.ask('large', 'body').reported).kind, 'refused')
  })

  test('a call that memory has dropped is found in the log', async () => {
    const world = newWorld({ outcomeBytes: 100_000, identities: 1 })
    for (const key of ['a', 'b']) world.answer(await sentCaller(world, key, 'body'))
    assert.equal((await world.ask('b', 'body').reported).kind, 'told')
    assert.equal((await world.ask('a', 'body').reported).kind, 'refused')
  })

  test('a key is reserved for 24 hours from the start of its call, in memory and in the log', async () => {
    for (const restarts of [false, true]) {
      const world = newWorld()
      world.answer(await sentCaller(world, 'a', 'body'))
      if (restarts) world.restart()
      world.wait(IDEMPOTENCY_MS - 1)
      assert.equal((await world.ask('a', 'body').reported).kind, restarts ? 'refused' : 'told')
      world.wait(1)
      assert.equal((await world.ask('a', 'another body').reported).kind, 'sent')
    }
  })
})

describe('when the log fails', () => {
  test('nothing is sent while it cannot be read; afterwards the key is free', async () => {
    const world = newWorld()
    world.goDown(true)
    const refused = await world.ask('a', 'body').reported
    assert.match(refused.kind === 'refused' ? refused.message : '', /Idempotency-Key.*Nothing was sent/)
    world.goDown(false)
    assert.equal((await world.ask('a', 'body').reported).kind, 'sent')
  })

  test('a call that was sent and whose row could not be completed may have been charged', async () => {
    const world = newWorld()
    const first = await sentCaller(world, 'a', 'body')
    const joined = world.ask('a', 'body')
    await turn()
    first.life.claim?.lose(new Error('disk full'))
    const reported = await joined.reported
    assert.equal(reported.kind === 'told' ? reported.reply.status : 0, 500)
    const next = await world.ask('a', 'body').reported
    assert.match(next.kind === 'refused' ? next.message : '', /may have been charged/)
  })

  test('a call that was never sent releases its key', async () => {
    const world = newWorld()
    const first = await sentCaller(world, 'a', 'body')
    first.life.attempts.length = 0
    world.rows.length = 0
    first.life.claim?.lose(new Error('disk full'))
    assert.equal((await world.ask('a', 'body').reported).kind, 'sent')
  })
})
