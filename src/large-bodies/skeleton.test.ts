import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { skeletonOf } from './skeleton.ts'

const long = 'x'.repeat(300)
/** In a buffer of its own, as the bytes of a body are. */
const bytesOf = (text: string) => Buffer.from(new Uint8Array(Buffer.from(text)).buffer)

test('long texts are left out, short ones and all else stay', () => {
  const source = `{"a":"short","b":[1e3,"${long}\\"${long}", null ],"c":"${long}"}`
  assert.deepEqual(skeletonOf(bytesOf(source)), {
    text: '{"a":"short","b":[1e3,"\u00ff", null ],"c":"\u00ff"}',
    isWhole: false,
  })
  assert.deepEqual(skeletonOf(bytesOf('{"a":"ü"}')), { text: '{"a":"Ã¼"}', isWhole: true })
})

for (const [what, source] of [
  ['a long name', `{"${long}" : 1}`],
  ['a text without end', `{"a":"${long}`],
  ['a text that ends in a backslash', `{"a":"${long}\\"`],
  ['an escape that is none', `{"a":"${long}\\x"}`],
  ['half a code', `{"a":"${long}\\u12g4"}`],
  ['a line end in a text', `{"a":"${long}\n"}`],
  ['a zero in a text', `{"a":"\u0000${long}"}`],
] as const) {
  test(`${what} is left to others`, () => assert.equal(skeletonOf(bytesOf(source)), null))
}

/** Pieces that a text may hold, and some that it may not, in texts of all lengths and places. */
const piece = fc.constantFrom(
  'a',
  'abcdefgh',
  'ü',
  '中',
  '😀',
  '\\n',
  '\\"',
  '\\\\',
  '\\u00e9',
  '\\/',
  ' ',
  '\\x',
  '\t',
  '"',
  '\\',
  '\\u12',
)
const usual = fc.constantFrom('a', 'abcdefg', 'ü', '中文', '😀', '\\n', '\\"', '\\\\', '\\u00e9', '{', ']', ',')
const text = fc.oneof(
  { weight: 9, arbitrary: fc.array(usual, { maxLength: 200 }) },
  { weight: 1, arbitrary: fc.array(piece, { maxLength: 200 }) },
)

test('fuzz: a skeleton can be read exactly when the whole can, and has the same shape', () => {
  let read = 0
  fc.assert(
    fc.property(fc.array(text, { maxLength: 6 }), fc.nat(3), (texts, blanks) => {
      const source = `${' '.repeat(blanks)}[${texts.map((each) => `{"k":"${each.join('')}"}`).join()}]`
      const skeleton = skeletonOf(bytesOf(source))
      const whole = parsed(source)
      const short = skeleton === null ? undefined : parsed(skeleton.text)
      assert.equal(short === undefined, whole === undefined)
      if (!Array.isArray(whole) || !Array.isArray(short)) return
      read += 1
      assert.deepEqual(short.map(shape), whole.map(shape))
    }),
    { numRuns: 2_000 },
  )
  assert.ok(read > 500)
})

function shape(item: unknown): string {
  return Object.entries(item as object)
    .map(([name, value]) => `${name}:${typeof value}`)
    .join()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
