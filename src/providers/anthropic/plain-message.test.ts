import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPlainMessage } from './plain-message.ts'
import { WireMessage } from './wire.ts'

/** Any value in the place of each field that is read, in a message that is right otherwise. */
const VALUES = [undefined, null, 0, 'a', '', true, [], {}, { type: 'text' }, [{ type: 'text', text: 'a' }], [null]]

const right = {
  content: [{ type: 'text', text: 'hello' }],
  stop_reason: 'end_turn',
  stop_details: null,
  usage: { input_tokens: 3, cache_creation: null, output_tokens_details: null },
}
const block = { type: 'tool_use', text: null, id: 'toolu_1', name: 'find', input: { a: 1 } }

function bodies(): unknown[] {
  const inPlace = <Whole extends object>(whole: Whole) =>
    Object.keys(whole).flatMap((name) => VALUES.map((value) => ({ ...whole, [name]: value })))
  return [
    ...VALUES,
    ...inPlace(right),
    ...inPlace(block).map((changed) => ({ ...right, content: [block, changed] })),
    ...inPlace(right.usage).map((usage) => ({ ...right, usage })),
  ]
}

test('what is called plain is what the schema makes of it', () => {
  const plain = bodies().filter(isPlainMessage)
  assert.ok(plain.length > 40, `only ${plain.length} of the bodies are plain`)
  for (const body of plain) {
    const parsed = WireMessage.safeParse(body)
    assert.ok(parsed.success, JSON.stringify(body))
    assertSame(parsed.data, body)
  }
})

/** Every field that the schema kept has the value that was sent: nothing was caught and replaced. */
function assertSame(kept: unknown, sent: unknown): void {
  if (typeof kept !== 'object' || kept === null) assert.equal(kept, sent)
  else for (const [name, value] of Object.entries(kept)) assertSame(value, (sent as Record<string, unknown>)[name])
}

test('the usual message is plain, and one that the schema refuses never', () => {
  assert.ok(isPlainMessage(right))
  for (const body of bodies()) if (!WireMessage.safeParse(body).success) assert.ok(!isPlainMessage(body))
})
