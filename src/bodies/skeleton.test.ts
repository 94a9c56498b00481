import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { placeInSource, skeletonOf } from './skeleton.ts'

const long = 'x'.repeat(300)
/** In a buffer of its own, as the bytes of a body are. */
const bytesOf = (text: string) => Buffer.from(new Uint8Array(Buffer.from(text)).buffer)

test('long texts are left out, short ones and all else stay', () => {
  const source = `{"a":"short","b":[1e3,"${long}\\"${long}", null ],"c":"${long}"}`
  assert.deepEqual(skeletonOf(bytesOf(source)), {
    text: '{"a":"short","b":[1e3,"\u00ff", null ],"c":"\u00ff"}',
    gaps: [
      { at: 23, bytes: 601 },
      { at: 39, bytes: 299 },
    ],
  })
  assert.deepEqual(skeletonOf(bytesOf('{"a":"ü"}')), { text: '{"a":"Ã¼"}', gaps: [] })
})

test('every place of a skeleton is found again', () => {
  const source = `{"a":"${long}","b":1,"c":["${long}","${long}"],"d":"short"}`
  const skeleton = skeletonOf(bytesOf(source))
  assert.ok(skeleton !== null)
  for (const [place, letter] of [...skeleton.text].entries()) {
    if (letter !== '\u00ff') assert.equal(source[placeInSource(skeleton, place)], letter)
  }
  assert.equal(placeInSource(skeleton, skeleton.text.length), source.length)
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

test('more than may be left is left to others', () => {
  const source = bytesOf(`{"a":[${'1,'.repeat(50)}"x","${long}"],"b":"${long}","c":[${'2,'.repeat(50)}3]}`)
  const { length } = skeletonOf(source)?.text ?? ''
  assert.ok(length > 200)
  assert.notEqual(skeletonOf(source, length), null)
  for (const most of [length - 1, 150, 10, 0]) assert.equal(skeletonOf(source, most), null)
})

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
