import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { type Masked, Placeholders } from './placeholders.ts'

/** Of the pieces of a text, as a stream gives them. */
function inPieces(placeholders: Placeholders, pieces: readonly string[]): { text: string; mostHeld: number } {
  let [text, held, mostHeld] = ['', '', 0]
  for (const piece of pieces) {
    const restored = placeholders.restore(held + piece, false)
    text += restored.text
    held = restored.held
    mostHeld = Math.max(mostHeld, held.length)
  }
  return { text: text + placeholders.restore(held).text, mostHeld }
}

const MASKED: Masked = { '[E_1]': 'ann@x.example', '[E_1': 'SHORT', '<P>': 'Zoë "Z"', a$1: '$& [E_1]', '«ü»': 'ü\n' }

describe('a text', () => {
  for (const [text, expected] of [
    ['mail [E_1] now', 'mail ann@x.example now'],
    ['[E_1x', 'SHORTx'],
    ['[E_[E_1]]', '[E_ann@x.example]'],
    ['a$1a$1', '$& [E_1]$& [E_1]'],
    ['nothing here <P', 'nothing here <P'],
  ] as const) {
    test(`${text} → ${expected}`, () => assert.equal(new Placeholders(MASKED).restore(text).text, expected))
  }

  test('without placeholders stays as it is', () => {
    assert.deepEqual(new Placeholders({}).restore('a [', false), { text: 'a [', held: '' })
  })

  test('no more is held than may begin a placeholder', () => {
    const placeholders = new Placeholders(MASKED)
    assert.deepEqual(placeholders.restore('mail [E', false), { text: 'mail ', held: '[E' })
    assert.deepEqual(placeholders.restore('mail [E_1', false), { text: 'mail ', held: '[E_1' })
    assert.deepEqual(placeholders.restore('mail [E_1]', false), { text: 'mail ann@x.example', held: '' })
    assert.deepEqual(placeholders.restore('mail [F', false), { text: 'mail [F', held: '' })
  })
})

describe('JSON', () => {
  const placeholders = new Placeholders(MASKED, true)

  test('values are escaped, however the placeholder is written', () => {
    for (const written of ['<P>', '\\u003cP\\u003e']) {
      assert.equal(placeholders.restore(`{"to":"${written}"}`).text, '{"to":"Zoë \\"Z\\""}')
    }
    assert.equal(placeholders.restore('"\\u00ab\\u00fc\\u00bb"').text, '"ü\\n"')
  })

  test('what stands behind a backslash begins no placeholder', () => {
    const named = new Placeholders({ name: 'Ann', u003cP: 'no' }, true)
    assert.equal(named.restore('"\\name \\\\name \\\\u003cP"').text, '"\\name \\\\Ann \\\\no"')
  })

  test('an escape is not cut', () => {
    assert.deepEqual(placeholders.restore('"x\\', false), { text: '"x', held: '\\' })
    assert.deepEqual(placeholders.restore('"x\\u00', false), { text: '"x', held: '\\u00' })
    assert.deepEqual(placeholders.restore('"x\\\\', false), { text: '"x\\\\', held: '' })
  })
})

/** Few characters, so that placeholders overlap and begin in each other. */
const letters = fc.array(fc.constantFrom('[', 'a', 'b', ']', '\\', '"', 'u', '0'), { maxLength: 5 })
const name = letters.filter(({ length }) => length > 0).map((each) => each.join(''))
const masks = fc.dictionary(name, fc.string({ maxLength: 6 }), { minKeys: 1, maxKeys: 5 })
const said = fc.array(fc.oneof(name, fc.constantFrom('[ab]', 'x', '\\', '\\\\')), { maxLength: 8 })

/** Character by character, the longest placeholder first. */
function slowly(text: string, masked: Masked): string {
  let [done, at] = ['', 0]
  const names = Object.keys(masked).sort((a, b) => b.length - a.length)
  while (at < text.length) {
    const found = names.find((each) => text.startsWith(each, at))
    done += found === undefined ? text.charAt(at) : masked[found]
    at += found?.length ?? 1
  }
  return done
}

test('a text in pieces gives what the whole text gives, wherever it is cut', () => {
  fc.assert(
    fc.property(masks, said, fc.boolean(), (masked, words, isJson) => {
      const placeholders = new Placeholders(masked, isJson)
      const text = isJson ? JSON.stringify(words.join('')) : words.join('')
      const whole = placeholders.restore(text).text
      if (!isJson) assert.equal(whole, slowly(text, masked))
      const longest = Math.max(6, ...Object.keys(masked).map(({ length }) => length * 6))
      for (let cut = 0; cut <= text.length; cut++) {
        const { text: joined, mostHeld } = inPieces(placeholders, [text.slice(0, cut), text.slice(cut)])
        assert.equal(joined, whole)
        assert.ok(mostHeld < longest)
      }
      assert.equal(inPieces(placeholders, [...text]).text, whole)
    }),
    { numRuns: 2_000 },
  )
})

test('JSON stays JSON, and says what its texts say restored', () => {
  const bracketed = name.map((each) => `[${each}]`)
  const words = fc.array(fc.oneof(bracketed, fc.string({ maxLength: 5 })), { maxLength: 6 })
  fc.assert(
    fc.property(fc.dictionary(bracketed, fc.string({ maxLength: 6 }), { maxKeys: 4 }), words, (masked, texts) => {
      const text = texts.join('')
      const restored = new Placeholders(masked, true).restore(JSON.stringify({ text })).text
      assert.deepEqual(JSON.parse(restored), { text: slowly(text, masked) })
    }),
    { numRuns: 1_000 },
  )
})
