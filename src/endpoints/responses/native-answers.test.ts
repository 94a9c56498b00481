import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { END, eventsOf, REQUEST, responseOf, STAMP, streamed } from '../../../test/fixtures/responses/answers.ts'
import { GatewayError } from '../../domain/errors.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { StreamPart } from '../../domain/request/stream.ts'
import { responses } from './responses.ts'

describe("a provider's own answer", () => {
  const JSON_TEXT = '{ "id":"resp_up", "object":"response","tools":[{"model":"x"}],  "model":"gpt-up","output":[]}'

  test('passes, except for the model', () => {
    const answer = { body: JSON.parse(JSON_TEXT), json: JSON_TEXT, usage: null, finishReason: 'stop', warning: null }
    assert.equal(responses.write(answer, STAMP, REQUEST), JSON_TEXT.replace('gpt-up', 'fast'))
  })

  const event = (value: JsonObject, isEnd = false): StreamPart => {
    return { type: 'chunk', json: JSON.stringify(value), value, contentBytes: 0, isEnd }
  }
  const created = { type: 'response.created', sequence_number: 0, response: { id: 'resp_up', model: 'gpt-up', a: 1 } }
  const delta = { type: 'response.output_text.delta', sequence_number: 1, delta: 'model' }
  const completed = { type: 'response.completed', sequence_number: 2, response: { id: 'resp_up', model: 'gpt-up' } }

  test('events pass as well, and the end says what it cost', () => {
    const { events } = streamed([event(created), event(delta), event(completed, true), END])
    assert.deepEqual(events, [
      { ...created, response: { ...created.response, model: 'fast' } },
      delta,
      { ...completed, response: { ...completed.response, model: 'fast' }, x_gateway: { cost_usd: '1' } },
    ])
  })

  test('a failure has its id and the next number', () => {
    const writer = responses.stream?.open(REQUEST, STAMP) ?? assert.fail()
    writer.write(event(created))
    writer.write(event(delta))
    const [failed] = eventsOf(writer.fail?.(new GatewayError('upstream_error', 'cut')) ?? '')
    const { id, model, status, error, a } = responseOf(failed)
    assert.deepEqual([failed?.['sequence_number'], id, model, status, a], [2, 'resp_up', 'fast', 'failed', 1])
    assert.deepEqual(error, { code: 'server_error', message: 'cut' })
  })

  test('its words about a mistake pass unchanged', () => {
    const original = '{"error":{"message":"no","param":"input"}}'
    const error = new GatewayError('invalid_request', 'no', { original })
    assert.deepEqual(responses.error(error, 'resp_1'), { status: 400, body: original })
    assert.deepEqual(responses.error(new GatewayError('invalid_request', 'no'), 'resp_1').body, {
      error: { message: 'no', type: 'invalid_request', code: 'invalid_request' },
    })
  })
})
