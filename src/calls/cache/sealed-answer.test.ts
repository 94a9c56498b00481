import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerSealing } from './sealed-answer.ts'
import type { StoredAnswer } from './stored-answer.ts'

const answer: StoredAnswer = {
  ...{ id: 'chatcmpl_1', provider: 'north', model: 'large', ignored: ['seed'], adjustments: [], finishReason: 'stop' },
  ...{ costPicodollars: '12', stream: null, body: Buffer.from('{"said":"grüße\\n"}\n') },
}
const sealing = answerSealing(Buffer.alloc(32, 1))

test('what was sealed is what is read, under its own name and key only', () => {
  const sealed = sealing.seal('place', answer)
  assert.deepEqual(sealing.unseal('place', sealed), answer)
  assert.equal(sealing.unseal('another place', sealed), null)
  assert.equal(answerSealing(Buffer.alloc(32, 2)).unseal('place', sealed), null)
  assert.equal(sealing.unseal('place', sealed.slice(0, -8)), null)
  assert.equal(sealing.unseal('place', 'nonsense'), null)
})

test('neither the name nor the sealed text shows what is in it', () => {
  const sealed = Buffer.from(sealing.seal('place', answer), 'base64')
  assert.ok(!sealed.includes('said') && !sealed.includes('north'))
  assert.notEqual(sealing.seal('place', answer), sealing.seal('place', answer))
  assert.notEqual(sealing.nameOf('place'), answerSealing(Buffer.alloc(32, 2)).nameOf('place'))
})
