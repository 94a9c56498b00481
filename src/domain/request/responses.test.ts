import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { GatewayError } from '../errors.ts'
import { isJsonObject } from './call-request.ts'
import { isUsual, ResponsesRequestSchema, readResponsesRequest } from './responses.ts'

describe('a request is read', () => {
  const good: unknown[] = [
    { model: 'm', input: 'hi' },
    {
      model: 'm',
      input: [
        { role: 'user', content: 'hi' },
        { type: 'anything', x: 1 },
      ],
    },
    { model: 'm', input: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] }] },
    { model: 'm', input: null, previous_response_id: 'resp_1' },
    { model: 'm', prompt: { id: 'p' } },
    { model: 'm', input: 'hi', unknown: {}, tools: [{ type: 'new' }], include: ['x'], metadata: null },
  ]
  for (const body of good) {
    test(JSON.stringify(body), () => assert.equal(readResponsesRequest(body), body, "the caller's own object"))
  }

  const bad: [body: unknown, message: string][] = [
    [[], 'The body must be a JSON object.'],
    [{ input: 'hi' }, 'model: is missing; expected a string'],
    [{ model: 'm' }, 'input: is missing; expected a string or an array of items'],
    [{ model: 'm', input: 5 }, 'input: expected a string or an array of items'],
    [{ model: 'm', input: ['hi'] }, 'input[0]: Invalid input: expected object, received string'],
    [{ model: 'm', input: [{}] }, 'input[0].type: an item needs a type, or a role and content'],
    [{ model: 'm', input: [{ role: 'user' }] }, 'input[0].content: expected a string or an array of parts with a type'],
    [{ model: 'm', input: [{ type: 'message', content: 'x' }] }, 'input[0].role: is missing; expected a string'],
    [{ model: 'm', input: 'hi', max_output_tokens: '5' }, 'max_output_tokens: expected a number, not a string'],
    [{ model: 'm', input: 'hi', tools: [{}] }, 'tools[0].type: Invalid input: expected string, received undefined'],
  ]
  for (const [body, message] of bad) {
    test(message, () => assert.throws(() => readResponsesRequest(body), { code: 'invalid_request', message }))
  }

  test('a stream that is not allowed is refused before anything else', () => {
    assert.throws(() => readResponsesRequest({ stream: true }), { code: 'not_implemented' })
    assert.throws(() => readResponsesRequest({ stream: true }, true), { code: 'invalid_request' })
  })

  test('what the fast check accepts, the schema accepts too', () => {
    const field = fc.constantFrom('model', 'input', 'tools', 'tool_choice', 'text', 'include', 'prompt', 'stream', 'x')
    const item = fc.dictionary(fc.constantFrom('type', 'role', 'content', 'id'), fc.jsonValue({ maxDepth: 2 }))
    const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.array(item, { maxLength: 3 }), fc.constant('m'))
    fc.assert(
      fc.property(fc.dictionary(field, value), (body) => {
        if (isUsual(body)) assert.ok(ResponsesRequestSchema.safeParse(body).success)
        try {
          assert.equal(readResponsesRequest(body, true), body)
        } catch (error) {
          assert.ok(error instanceof GatewayError && isJsonObject(body))
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
