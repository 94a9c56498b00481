import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { UNKNOWN_TRAITS } from '../domain/provider.ts'
import { NO_BOUNDS } from '../domain/request/output-limit.ts'
import { chatCompletions } from '../endpoints/chat-completions/chat-completions.ts'
import { BodyBytes } from './body-bytes.ts'
import { OpenBodies } from './open-bodies.ts'

const PLAIN = { withHash: false, allowsStream: false }

const target = {
  position: 0,
  family: 'openai',
  model: 'upstream',
  traits: UNKNOWN_TRAITS,
  baseUrl: null,
  bounds: NO_BOUNDS,
}
const other = { ...target, position: 1 }
const bytesOf = (text: string) => new BodyBytes([new Uint8Array(Buffer.from(text)).buffer])
const bodyOf = (content: string) => bytesOf(JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }))

test('a thousand bodies, some cancelled, leave nothing behind', () => {
  const bodies = new OpenBodies()
  for (let id = 1; id <= 1000; id += 1) {
    bodies.open(id, bodyOf('x'.repeat(1000)), chatCompletions, PLAIN)
    if (id % 2 === 0) bodies.translate(id, [target, other])
    if (id % 4 === 0) bodies.write(id, 0)
    bodies.release(id)
  }
  assert.deepEqual([bodies.size, bodies.readCount], [0, 0])
})

test('a bad body is not kept', () => {
  const bodies = new OpenBodies()
  assert.throws(() => bodies.open(1, bytesOf('{}'), chatCompletions, PLAIN), { name: 'GatewayError' })
  assert.throws(() => bodies.open(2, bytesOf('{'), chatCompletions, PLAIN), { name: 'GatewayError' })
  assert.deepEqual([bodies.size, bodies.readCount], [0, 0])
})

test('parsed requests are bounded: the least recently used is parsed again when needed', () => {
  const text = 'x'.repeat(1000)
  const bodies = new OpenBodies(2 * bodyOf(text).whole.length)
  for (const id of [1, 2, 3, 4]) bodies.open(id, bodyOf(text), chatCompletions, PLAIN)
  assert.equal(bodies.readCount, 2)
  for (const id of [1, 2, 3, 4]) bodies.translate(id, [target, other])
  assert.equal(bodies.readCount, 2)
  for (const id of [1, 2, 3, 4]) {
    for (const position of [0, 1]) {
      assert.equal(JSON.parse(Buffer.from(bodies.write(id, position)).toString()).model, 'upstream')
    }
  }
  assert.deepEqual([bodies.size, bodies.readCount], [0, 0])
})

test('a body larger than the bound is parsed by itself', () => {
  const bodies = new OpenBodies(10)
  bodies.open(1, bodyOf('a'), chatCompletions, PLAIN)
  bodies.open(2, bodyOf('b'), chatCompletions, PLAIN)
  assert.equal(bodies.readCount, 1)
  bodies.translate(1, [target, other])
  assert.match(Buffer.from(bodies.write(1, 0)).toString(), /"a"/)
})

test('where only one entry can serve, the request is written at once, and nothing is kept', () => {
  const bodies = new OpenBodies()
  bodies.open(1, bodyOf('a'), chatCompletions, PLAIN)
  const { translations, written } = bodies.translate(1, [target])
  assert.equal(translations[0]?.kind, 'wire')
  assert.match(Buffer.from(written ?? []).toString(), /"upstream".*"a"/)
  assert.deepEqual([bodies.size, bodies.readCount], [0, 0])
})

test('one that may be translated again is kept, and written with the latest bounds', () => {
  const bodies = new OpenBodies()
  bodies.open(1, bodyOf('a'), chatCompletions, PLAIN)
  assert.equal(bodies.translate(1, [target], false).written, null)
  assert.equal(bodies.translate(1, [{ ...target, bounds: { default: null, most: 5 } }], false).written, null)
  assert.match(Buffer.from(bodies.write(1, 0)).toString(), /"max_completion_tokens":5/)
  assert.deepEqual([bodies.size, bodies.readCount], [0, 0])
})

describe('the time of one body is bounded', () => {
  const refused = { name: 'GatewayError', code: 'invalid_request', message: /more than 5 seconds/ }

  test('a body that took longer to read is refused and not kept', () => {
    let now = 0
    const bodies = new OpenBodies(1000, () => (now += 5_001))
    assert.throws(() => bodies.open(1, bodyOf('a'), chatCompletions, PLAIN), refused)
    assert.deepEqual([bodies.size, bodies.readCount], [0, 0])
  })

  test('one that takes long in all is not translated any further', () => {
    let now = 0
    const bodies = new OpenBodies(1000, () => (now += 2_000))
    bodies.open(1, bodyOf('a'), chatCompletions, PLAIN)
    bodies.translate(1, [target], false)
    assert.throws(() => bodies.translate(1, [target]), refused)
  })
})
