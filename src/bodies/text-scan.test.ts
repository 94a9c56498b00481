import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { WINDOW_BYTES } from './scan-program.ts'
import { scanTexts } from './text-scan.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: no text may hold them.
const TEXT = /(?:[^"\\\x00-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/y

/** By the letter of the specification, one byte after the other. */
function endOf(source: Buffer, begin: number): number {
  TEXT.lastIndex = begin
  return TEXT.test(source.toString('latin1')) ? TEXT.lastIndex - 1 : -1
}

test('the end of a text is found, wherever it stands', () => {
  for (let length = 0; length < 40; length += 1) {
    for (const begin of [0, 1, 7, 15, 16]) {
      const source = Buffer.from(`${' '.repeat(begin)}${'x'.repeat(length)}" "`)
      assert.equal(scanTexts(source)?.endOfText(begin), begin + length)
    }
  }
})

test('a text with any byte, alone or in an escape, ends where it must', () => {
  for (let byte = 0; byte < 256; byte += 1) {
    const letter = String.fromCharCode(byte)
    for (const text of [letter, `\\${letter}`, `\\u00${letter}0`, `\\u000${letter}`]) {
      const source = Buffer.from(`0123456789${text}abcdefghijklmnopqrstuvwxyz"`, 'latin1')
      assert.equal(scanTexts(source)?.endOfText(0), endOf(source, 0), JSON.stringify(text))
    }
  }
})

test('bytes behind the body are not taken for its end', () => {
  scanTexts(Buffer.alloc(1000, '"'))
  assert.equal(scanTexts(Buffer.from('abc'))?.endOfText(0), -1)
  assert.equal(scanTexts(Buffer.from('abc\\'))?.endOfText(0), -1)
  assert.equal(scanTexts(Buffer.from(''))?.endOfText(0), -1)
})

const piece = fc.constantFrom(
  'x',
  'ü',
  '\\n',
  '\\\\',
  '\\"',
  '\\u00e9',
  '\\n'.repeat(50),
  '"',
  '\\u12',
  '\\x',
  '\n',
  '\\',
)
const around = fc.record({
  windows: fc.integer({ min: 0, max: 2 }),
  before: fc.integer({ min: 0, max: 40 }),
  pieces: fc.array(piece, { maxLength: 12 }),
  after: fc.integer({ min: 0, max: 40 }),
})

test('fuzz: where a window ends makes no difference', () => {
  let ended = 0
  fc.assert(
    fc.property(around, fc.nat(3), ({ windows, before, pieces, after }, begin) => {
      const text = `${'x'.repeat(Math.max(0, windows * WINDOW_BYTES - before))}${pieces.join('')}${'y'.repeat(after)}"`
      const source = Buffer.from(`${' '.repeat(begin)}${text}`)
      const end = endOf(source, begin)
      if (end >= 0) ended += 1
      assert.equal(scanTexts(source)?.endOfText(begin), end)
    }),
    { numRuns: 1_500 },
  )
  assert.ok(ended > 100)
})

test('texts behind one another are found in one go', () => {
  const texts = ['a', 'b'.repeat(WINDOW_BYTES), '', 'c'.repeat(3 * WINDOW_BYTES), 'd']
  const source = Buffer.from(texts.map((text) => `"${text}"`).join())
  const scan = scanTexts(source)
  let begin = 1
  for (const text of texts) {
    assert.equal(scan?.endOfText(begin), begin + text.length)
    begin += text.length + 3
  }
})
