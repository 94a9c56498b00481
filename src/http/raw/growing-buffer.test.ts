import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GrowingBuffer } from './growing-buffer.ts'

test('what comes byte by byte is copied a few times, not once for each byte', () => {
  const growing = new GrowingBuffer()
  const rooms = new Set<ArrayBufferLike>()
  let waiting: Buffer = Buffer.from('a')
  for (let index = 1; index < 64 * 1024; index += 1) {
    waiting = growing.join(waiting, Buffer.from([index % 256]))
    rooms.add(waiting.buffer)
  }
  assert.equal(waiting.length, 64 * 1024)
  assert.ok(waiting.every((byte, index) => byte === (index === 0 ? 0x61 : index % 256)))
  assert.ok(rooms.size <= 17, `${rooms.size} rooms`)
})

test('what was taken from the front stays as it was, and its room is used on', () => {
  const growing = new GrowingBuffer()
  const all = growing.join(Buffer.from('first,'), Buffer.from('second'))
  const first = all.subarray(0, 6)
  const rest = growing.join(all.subarray(6), Buffer.from(',third'))
  assert.equal(first.toString(), 'first,')
  assert.equal(rest.toString(), 'second,third')
  assert.equal(rest.buffer, all.buffer)
})

test('bytes of others are not written to', () => {
  const packet = Buffer.from('one two')
  const growing = new GrowingBuffer()
  assert.equal(growing.join(packet.subarray(0, 3), Buffer.from('!!')).toString(), 'one!!')
  assert.equal(packet.toString(), 'one two')
})
