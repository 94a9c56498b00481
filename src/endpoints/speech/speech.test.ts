import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/property.ts'
import type { StreamEnd } from '../../domain/request/stream.ts'
import { speech } from './speech.ts'

test('property: however a sound is cut, its last byte waits for the row, and no byte is lost', () => {
  const piece = fc.uint8Array({ maxLength: 5 }).map((bytes) => Buffer.from(bytes).toString('latin1'))
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const writer = speech.stream?.open({ model: 'm', input: 'x', voice: 'v' }, {} as never)
      let before = ''
      for (const json of pieces) before += writer?.write({ type: 'chunk', json } as never) ?? ''
      const whole = pieces.join('')
      assert.equal(before, whole.slice(0, -1))
      assert.equal(before + writer?.end({} as StreamEnd), whole)
    }),
  )
})
