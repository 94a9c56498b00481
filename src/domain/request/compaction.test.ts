import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from './call-request.ts'
import { isCompaction, isOwnCapsule, openCapsules, sealSummary, summaryRequest } from './compaction.ts'
import { Rejection } from './rejection.ts'
import { readResponsesRequest } from './responses.ts'

const key = (byte: number) => new Uint8Array(32).fill(byte)
const SEALING = { keys: [key(1)], binding: 'a/m', workspace: 'w' }
const TRIGGER = { type: 'compaction_trigger' }
const HELLO = { type: 'message', role: 'user', content: 'hello' }
const capsule = (text = 'Grüße 東京', sealing = SEALING) => ({
  type: 'compaction',
  encrypted_content: sealSummary(text, sealing),
})

function mistakeOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    assert.ok(error instanceof Rejection, String(error))
    assert.equal(error.rejected.kind, 'invalid')
    return error.rejected.message.text
  }
  return assert.fail('it was accepted')
}

describe('a summary', () => {
  test('comes back as a message of the user, in its place, at any entry of the workspace', () => {
    const [first, message, last] = openCapsules([HELLO, capsule(), HELLO], { ...SEALING, binding: 'b/other' })
    assert.deepEqual([first, last], [HELLO, HELLO])
    const { role, content } = message as { role: string; content: { type: string; text: string }[] }
    assert.deepEqual([role, content.map(({ type }) => type)], ['user', ['input_text']])
    assert.match(content[0]?.text ?? '', /\n\nGrüße 東京$/)
  })

  test('shows nothing of itself, and never looks the same twice', () => {
    const { encrypted_content: sealed } = capsule('secret plans')
    assert.doesNotMatch(Buffer.from(sealed.slice(6), 'base64url').toString('latin1'), /secret|plans/)
    assert.notEqual(capsule('secret plans').encrypted_content, sealed)
  })

  test('is never shorter than its text, which is held for by it', () => {
    for (const text of ['x', 'x'.repeat(1000), '東京'.repeat(500)]) {
      const items = [capsule(text)]
      const [message] = openCapsules(items, SEALING)
      const [part] = (message as { content: { text: string }[] }).content
      assert.ok(Buffer.byteLength(part?.text ?? '') <= JSON.stringify(items).length)
    }
  })

  test('opens with any known key, so keys can be replaced', () => {
    assert.equal(openCapsules([capsule()], { ...SEALING, keys: [key(2), key(1)] }).length, 1)
  })

  const whole = capsule().encrypted_content
  const flipped = `${whole.slice(0, 40)}${whole[40] === 'A' ? 'B' : 'A'}${whole.slice(41)}`
  for (const [what, sealed, sealing] of [
    ['of another workspace', whole, { ...SEALING, workspace: 'other' }],
    ['of an unknown key', whole, { ...SEALING, keys: [key(2)] }],
    ['that is cut', whole.slice(0, -4), SEALING],
    ['that is changed', flipped, SEALING],
    ['with nothing in it', 'swyc1.', SEALING],
    ['that is nonsense', 'swyc1.%%%%', SEALING],
    ['where nothing can be opened', whole, undefined],
  ] as const) {
    test(`one ${what} is the mistake of its caller, and names its place`, () => {
      const items = [HELLO, { type: 'compaction', encrypted_content: sealed }]
      assert.match(
        mistakeOf(() => openCapsules(items, sealing)),
        /^input\[1\]\.encrypted_content: /,
      )
    })
  }

  test("a vendor's is left as it is, and so is an input without any", () => {
    for (const items of [[HELLO], [HELLO, { type: 'compaction', encrypted_content: 'gAAAAvendor' }], []]) {
      assert.equal(openCapsules(items, SEALING), items)
      assert.ok(!items.some(isOwnCapsule))
    }
  })
})

describe('the request for a summary', () => {
  const asked = {
    ...{ model: 'm', stream: true, store: false, tools: [{ type: 'function', name: 'f' }], tool_choice: 'auto' },
    ...{ parallel_tool_calls: true, include: ['reasoning.encrypted_content'], text: { verbosity: 'low' } },
    input: [{ type: 'additional_tools', tools: [{ type: 'function', name: 'g' }] }, HELLO, TRIGGER],
  }

  test('is the conversation without tools, with an instruction at its end', () => {
    const before = structuredClone(asked)
    const { input, ...rest } = summaryRequest(asked) as { input: JsonObject[] }
    assert.deepEqual(rest, { model: 'm', stream: true, store: false })
    assert.equal(input.length, 2)
    assert.deepEqual(input[0], HELLO)
    assert.equal(input[1]?.['role'], 'user')
    assert.match(String(input[1]?.['content']), /summary/)
    assert.ok(String(input[1]?.['content']).length < 1000, 'more is not held for it')
    assert.deepEqual(asked, before)
  })

  test('needs a conversation', () => {
    assert.match(
      mistakeOf(() => summaryRequest({ ...asked, input: [TRIGGER] })),
      /^input: /,
    )
  })

  for (const [what, input, place] of [
    ['twice', [HELLO, TRIGGER, TRIGGER], 'input[1]'],
    ['not at the end', [TRIGGER, HELLO], 'input[0]'],
    ['apart', [TRIGGER, HELLO, TRIGGER], 'input[0]'],
  ] as const) {
    test(`a trigger that comes ${what} is refused`, () => {
      assert.throws(
        () => readResponsesRequest({ model: 'm', input }),
        (error: Error & { code?: string }) => error.code === 'invalid_request' && error.message.startsWith(place),
      )
    })
  }

  test('is known by its last item alone', () => {
    for (const input of [undefined, 'text', [], [HELLO], [null]]) assert.ok(!isCompaction({ input }))
    assert.ok(isCompaction({ input: [HELLO, TRIGGER] }))
  })
})
