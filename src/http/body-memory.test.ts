import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { GatewayError } from '../domain/errors.ts'
import { BodyMemory, type MemoryScope, memoryBounds } from './body-memory.ts'

const KIB = 1024
const bounds = { bytes: 1600 * KIB, bytesPerOwner: 800 * KIB }
const refused = (code: string) => (error: GatewayError) => {
  assert.equal(error.code, code)
  assert.ok((error.retryAfterSeconds ?? 0) > 0)
  return true
}

describe('memory for bodies', () => {
  test('is refused beyond the share of an owner, and then beyond all of it', () => {
    const scopes: MemoryScope[] = []
    const memory = new BodyMemory(bounds, (scope) => scopes.push(scope))
    const take = (owner: string | null) => memory.take(350 * KIB, 350 * KIB, owner)
    take('a')
    take('a')
    assert.throws(() => take('a'), refused('key_rate_limited'))
    take('b')
    take(null)
    assert.throws(() => take('c'), refused('buffer_full'))
    assert.throws(() => take(null), refused('buffer_full'))
    assert.deepEqual(scopes, ['key', 'gateway', 'gateway'])
    assert.equal(memory.held, 1400 * KIB)
  })

  test('is given back as it was taken', () => {
    const memory = new BodyMemory(bounds)
    for (const owner of ['a', 'b', null]) for (let times = 0; times < 2; times += 1) memory.take(KIB, KIB, owner)
    for (const owner of ['a', 'b', null]) memory.release(2 * KIB, owner)
    assert.equal(memory.held, 0)
    memory.take(700 * KIB, 700 * KIB, 'a')
    assert.equal(memory.held, 700 * KIB)
  })

  test('has an eighth for bodies of 64 KiB and less', () => {
    const memory = new BodyMemory(bounds)
    memory.take(700 * KIB, 700 * KIB, 'a')
    assert.throws(() => memory.take(65 * KIB, 65 * KIB, 'a'), refused('key_rate_limited'))
    // The next bytes of a body that is large by now.
    assert.throws(() => memory.take(KIB, 65 * KIB, 'a'), refused('key_rate_limited'))
    memory.take(64 * KIB, 64 * KIB, 'a')
    assert.throws(() => memory.take(64 * KIB, 64 * KIB, 'a'), refused('key_rate_limited'))
  })

  test('always has room for one body of the largest size', () => {
    const most = 33_554_432
    const memory = new BodyMemory(memoryBounds({ bytes: 1, bytesPerOwner: 1 }, most))
    memory.take(most, most, 'a')
    assert.throws(() => memory.take(most, most, 'b'), refused('buffer_full'))
    assert.deepEqual(memoryBounds({ bytes: 100, bytesPerOwner: 50 }, 7), { bytes: 100, bytesPerOwner: 50 })
  })
})
