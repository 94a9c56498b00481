import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ReasoningBlock } from '../../domain/request/answer.ts'
import { sealReasoning, unsealReasoning } from './sealed-reasoning.ts'

const key = (byte: number) => new Uint8Array(32).fill(byte)
const SEALING = { keys: [key(1)], binding: 'anthropic/claude' }
const THOUGHT: ReasoningBlock = { type: 'thinking', thinking: 'Grüße 東京', signature: 'sig==' }
const REDACTED: ReasoningBlock = { type: 'redacted_thinking', data: 'opaque' }

function sealed(block = THOUGHT, sealing = SEALING): string {
  return sealReasoning(block, sealing) ?? assert.fail()
}

describe('sealed reasoning', () => {
  test('comes back as it was', () => {
    for (const block of [THOUGHT, REDACTED]) assert.deepEqual(unsealReasoning(sealed(block), SEALING), block)
  })

  test('shows nothing of itself, and never looks the same twice', () => {
    const text = sealed()
    assert.doesNotMatch(Buffer.from(text.slice(5), 'base64url').toString('latin1'), /thinking|sig/)
    assert.notEqual(sealed(), text)
  })

  test('opens with any known key, so keys can be replaced', () => {
    assert.deepEqual(unsealReasoning(sealed(), { ...SEALING, keys: [key(2), key(1)] }), THOUGHT)
  })

  const table: [what: string, text: string, sealing: typeof SEALING][] = [
    ['of another entry', sealed(), { ...SEALING, binding: 'anthropic/other' }],
    ['of a forgotten key', sealed(), { ...SEALING, keys: [key(2)] }],
    ['without any key', sealed(), { ...SEALING, keys: [] }],
    ['of a vendor', 'gAAAAABo', SEALING],
    ['of another version', sealed().replace(/^swy1/, 'swy2'), SEALING],
    ['that is too short', 'swy1.AAAA', SEALING],
    ['that is empty', '', SEALING],
  ]
  for (const [what, text, sealing] of table) {
    test(`means nothing ${what}`, () => assert.equal(unsealReasoning(text, sealing), null))
  }

  test('means nothing with any bit changed', () => {
    const bytes = Buffer.from(sealed().slice(5), 'base64url')
    for (const [at, byte] of bytes.entries()) {
      const changed = Buffer.from(bytes)
      changed[at] = byte ^ 1
      assert.equal(unsealReasoning(`swy1.${changed.toString('base64url')}`, SEALING), null, `byte ${at}`)
    }
  })

  test('is not made without a key', () => assert.equal(sealReasoning(THOUGHT, { ...SEALING, keys: [] }), null))
})
