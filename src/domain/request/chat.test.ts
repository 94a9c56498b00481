import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/property.ts'
import type { JsonObject } from './call-request.ts'
import { ChatRequestSchema, isUsual } from './chat.ts'

const user = { role: 'user', content: 'hello' }
const tool = { type: 'function', function: { name: 'weather', parameters: {} } }
const toolCall = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }

const USUAL: Record<string, JsonObject> = {
  'a question': { model: 'm', messages: [user] },
  'settings, some of them null': { model: 'm', messages: [user], temperature: 0.5, max_tokens: null, stop: ['a', 'b'] },
  parts: { model: 'm', messages: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }] },
  'tools and their turns': {
    model: 'm',
    tools: [tool],
    tool_choice: 'auto',
    messages: [
      { role: 'system', content: 'be terse' },
      user,
      { role: 'assistant', content: null, tool_calls: [toolCall] },
      { role: 'tool', content: 'rain', tool_call_id: 'call_1' },
    ],
  },
  'a schema for the answer': {
    model: 'm',
    messages: [user],
    response_format: { type: 'json_schema', json_schema: {} },
  },
  'an unknown field': { model: 'm', messages: [user], tomorrow: { x: 1 } },
}

describe('common requests are accepted without the schema', () => {
  for (const [title, request] of Object.entries(USUAL)) test(title, () => assert.equal(isUsual(request), true))
})

/** Any value at a place where a request has one. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(null, undefined, '', 'text', 0, 1, -1.5, Number.NaN, true, false, [], {}, ['text'], [1]),
  fc.constantFrom<unknown>(tool, [tool], toolCall, [toolCall], { type: 1 }, [{ type: 'text' }], [null], { name: 'n' }),
  fc.jsonValue(),
)
const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function', 'nobody', 7, null]
const message = fc.record(
  {
    role: fc.constantFrom<unknown>(...ROLES),
    content: anything,
    name: anything,
    tool_calls: anything,
    tool_call_id: anything,
    refusal: anything,
  },
  { requiredKeys: ['role'] },
)
const fields = Object.keys(ChatRequestSchema.shape).filter((name) => name !== 'model' && name !== 'messages')
/** Mostly right, with a few things that may be wrong: else hardly any would be taken. */
const request = fc
  .tuple(
    fc.oneof({ weight: 9, arbitrary: fc.constant<unknown>('m') }, { weight: 1, arbitrary: anything }),
    fc.array<unknown>(
      fc.oneof({ weight: 1, arbitrary: message }, { weight: 2, arbitrary: fc.constantFrom(user, ...usualMessages()) }),
      { maxLength: 4 },
    ),
    fc.array(fc.tuple(fc.constantFrom(...fields), anything), { maxLength: 3 }),
  )
  .map(([model, messages, others]) => ({ model, messages, ...Object.fromEntries(others) }))

function usualMessages(): unknown[] {
  return Object.values(USUAL).flatMap((usual) => usual['messages'] as unknown[])
}

test('what is accepted without the schema, the schema accepts too', () => {
  let taken = 0
  fc.assert(
    fc.property(request, (value) => {
      if (!isUsual(value)) return
      taken++
      const judged = ChatRequestSchema.safeParse(value)
      assert.ok(judged.success, judged.error?.message)
    }),
    { numRuns: 5_000 },
  )
  assert.ok(taken > 50, `only ${taken} of the values were plain: the test shows little`)
})

test('each field alone: whatever its value, the schema accepts what the check accepts', () => {
  fc.assert(
    fc.property(fc.constantFrom(...fields), anything, (name, value) => {
      const one = { model: 'm', messages: [user], [name]: value }
      if (isUsual(one)) assert.ok(ChatRequestSchema.safeParse(one).success, JSON.stringify(one))
    }),
    { numRuns: 5_000 },
  )
})
