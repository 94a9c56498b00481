import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { Unwrapping } from './unwrapping.ts'

function pushed(json: string, size: number): Unwrapping {
  const unwrapping = new Unwrapping()
  let text = ''
  for (let at = 0; at < json.length; at += size) text += unwrapping.push(json.slice(at, at + size))
  assert.equal(unwrapping.text, text)
  return unwrapping
}

describe('the text of a custom tool', () => {
  test('grows with the JSON around it, however that is cut', () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('*** "x"\n\\', '👩‍👩‍👧', '\u0001'))
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 5 }), fc.boolean(), (input, size, isEscaped) => {
        const json = JSON.stringify({ input }, null, isEscaped ? 1 : 0)
        const ascii = json.replace(
          /[\u0080-\uffff]/g,
          (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
        )
        assert.equal(pushed(isEscaped ? ascii : json, size).text, input)
      }),
      { numRuns: 500 },
    )
  })

  test('is given out as soon as it is certain', () => {
    const unwrapping = new Unwrapping()
    const pieces = ['{"in', 'put": "a', 'b\\', 'nc\\ud83d', '\\ude00', '"', '}']
    assert.deepEqual(
      pieces.map((piece) => unwrapping.push(piece)),
      ['', 'a', 'b', '\nc', '😀', '', ''],
    )
  })

  for (const json of ['*** x', '{"other":"a","input":"b"}', '{"input":5}', '[']) {
    test(`waits for its end where it is wrapped otherwise: ${json}`, () => assert.equal(pushed(json, 2).text, ''))
  }

  test('stops where the model wrote no JSON', () => {
    assert.equal(pushed('{"input":"a\nb"}', 1).text, 'a')
  })
})
