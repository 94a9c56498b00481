import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/property.ts'
import { BytePieces, joined } from './byte-pieces.ts'

const sizes = fc.array(fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 10_000, max: 70_000 })), {
  maxLength: 60,
})

test('fuzz: whatever the pieces, the bytes are the same, and all but the first have a buffer of their own', () => {
  fc.assert(
    fc.property(sizes, fc.boolean(), (lengths, isShared) => {
      const sent = lengths.map((length, index) => {
        const buffer = Buffer.allocUnsafeSlow(length + (isShared ? 7 : 0)).fill(index)
        return buffer.subarray(0, length)
      })
      const pieces = new BytePieces()
      for (const piece of sent) pieces.add(piece)
      const all = pieces.all()
      assert.deepEqual(joined(all), Buffer.concat(sent))
      assert.equal(pieces.bytes, joined(all).length)
      const others = all.slice(1).filter(({ length }) => length > 0)
      for (const { buffer, length } of others) assert.equal(buffer.byteLength, length)
    }),
    { numRuns: 200 },
  )
})

test('a megabyte sent byte by byte is kept in a few buffers', () => {
  const pieces = new BytePieces()
  const byte = Buffer.from('x')
  for (let count = 0; count < 1_000_000; count += 1) pieces.add(byte)
  assert.equal(pieces.bytes, 1_000_000)
  assert.ok(pieces.all().length < 20)
})
