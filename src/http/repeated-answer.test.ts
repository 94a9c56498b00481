import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeatedAnswer } from './repeated-answer.ts'

test('the text is made once a second for each reply, the id is always the own one', () => {
  let written = 0
  const answer = repeatedAnswer((reply, id) => {
    written += 1
    return { head: `a: ${id}\r\nb: ${id}\r\nn: ${written}\r\n\r\n`, body: reply.body, isLast: false }
  })
  const one = { status: 503, headers: {}, body: 'one' }
  const two = { status: 503, headers: {}, body: Buffer.from('zwölf') }
  const text = (reply: typeof one | typeof two, id: string, now: number) => answer(reply, id, now).head
  assert.equal(text(one, 'x', 1_000), 'a: x\r\nb: x\r\nn: 1\r\n\r\none')
  assert.equal(text(one, 'y', 1_999), 'a: y\r\nb: y\r\nn: 1\r\n\r\none')
  assert.equal(text(one, 'y', 2_000), 'a: y\r\nb: y\r\nn: 2\r\n\r\none')
  assert.equal(text(two, 'z', 2_000), 'a: z\r\nb: z\r\nn: 3\r\n\r\nzwölf')
})
