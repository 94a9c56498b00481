import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { ChatRequest } from '../../domain/request/chat.ts'
import { chat } from './gemini-family.ts'

const REQUEST: ChatRequest = { model: 'm', messages: [] }
const text = (value: string) => ({ text: value })
const candidate = (parts: JsonObject[], finishReason: string | null = 'STOP', more: JsonObject = {}) => ({
  content: { role: 'model', parts },
  finishReason,
  ...more,
})
const body = (candidates: JsonObject[], more: JsonObject = {}) => ({
  candidates,
  responseId: 'r1',
  modelVersion: 'gemini-3.5-flash',
  ...more,
})

function answerOf(wire: unknown, request: JsonObject = {}) {
  const reading = chat.fromWire(wire, { ...REQUEST, ...request })
  if (reading.kind !== 'answer') throw new Error(JSON.stringify(reading))
  return reading.answer
}
interface Choice {
  message: JsonObject & { tool_calls: JsonObject[] }
  finish_reason: string
}
function choiceOf(wire: unknown, request: JsonObject = {}): Choice {
  const [choice] = answerOf(wire, request).body['choices'] as Choice[]
  if (choice === undefined) throw new Error('no choice')
  return choice
}
const failureOf = (wire: unknown) => {
  const reading = chat.fromWire(wire, REQUEST)
  if (reading.kind !== 'failure') throw new Error(JSON.stringify(reading))
  return reading.failure
}

describe('what the model says', () => {
  test('texts are joined, thoughts left out', () => {
    const parts = [
      { text: 'Hm', thought: true },
      text('A'),
      text('B'),
      { inlineData: { mimeType: 'image/png', data: 'x' } },
    ]
    assert.deepEqual(choiceOf(body([candidate(parts)])), {
      index: 0,
      message: { role: 'assistant', content: 'AB' },
      finish_reason: 'stop',
    })
  })

  test('calls have an id, arguments as JSON, and the signature of the first', () => {
    const parts = [
      { functionCall: { id: 'f1', name: 'wx', args: { a: 1 } }, thoughtSignature: 'sig' },
      { functionCall: { name: 'wx' } },
    ]
    const choice = choiceOf(body([candidate(parts)]))
    const [first, second] = choice.message.tool_calls
    assert.deepEqual(first, {
      id: 'f1',
      type: 'function',
      function: { name: 'wx', arguments: '{"a":1}' },
      extra_content: { google: { thought_signature: 'sig', made_by: 'gemini/gemini-3.5-flash' } },
    })
    assert.match(String(second?.['id']), /^call_[0-9a-f]{24}$/)
    assert.deepEqual(second?.['function'], { name: 'wx', arguments: '{}' })
    assert.equal('extra_content' in (second ?? {}), false)
    assert.deepEqual([choice.finish_reason, choice.message['content']], ['tool_calls', null])
  })

  test('calls without ids get the same one again, and another in another answer', () => {
    const idOf = (wire: JsonObject) => choiceOf(wire).message.tool_calls[0]?.['id']
    const wire = body([candidate([{ functionCall: { name: 'wx' } }])])
    assert.equal(idOf(wire), idOf(wire))
    assert.notEqual(idOf(wire), idOf({ ...wire, responseId: 'r2' }))
  })

  test('functions are answered in their format', () => {
    const choice = choiceOf(body([candidate([{ functionCall: { name: 'wx' } }])]), { functions: [{ name: 'wx' }] })
    assert.deepEqual(choice, {
      index: 0,
      message: { role: 'assistant', content: null, function_call: { name: 'wx', arguments: '{}' } },
      finish_reason: 'function_call',
    })
  })

  test('a signature of the text, even of an empty one, is kept', () => {
    const choice = choiceOf(body([candidate([text('A'), { text: '', thoughtSignature: 'sig' }])]))
    assert.deepEqual(choice.message['extra_content'], {
      google: { thought_signature: 'sig', made_by: 'gemini/gemini-3.5-flash' },
    })
  })

  test('a signature belongs to the model that was asked, whichever version answered', () => {
    const wire = body([candidate([{ functionCall: { name: 'wx' }, thoughtSignature: 'sig' }])])
    const reading = chat.fromWire(wire, REQUEST, 'gemini-3-pro-preview')
    assert.match(JSON.stringify(reading), /"made_by":"gemini\/gemini-3-pro-preview"/)
  })

  test('several answers are several choices', () => {
    const { body: completion } = answerOf(
      body([candidate([text('B')], 'MAX_TOKENS', { index: 1 }), candidate([text('A')], 'STOP', { index: 0 })]),
    )
    assert.deepEqual(
      (completion['choices'] as JsonObject[]).map(({ index, finish_reason }) => [index, finish_reason]),
      [
        [0, 'stop'],
        [1, 'length'],
      ],
    )
  })
})

describe('why it ended', () => {
  const filtered = [
    'SAFETY',
    'RECITATION',
    'BLOCKLIST',
    'PROHIBITED_CONTENT',
    'SPII',
    'LANGUAGE',
    'IMAGE_SAFETY',
    'IMAGE_RECITATION',
    'NO_IMAGE',
  ]
  const cases: [reason: string | null, parts: JsonObject[], expected: string, isWarned: boolean][] = [
    ['STOP', [], 'stop', false],
    ['MAX_TOKENS', [], 'length', false],
    ['CONTINUATION', [text('A')], 'length', false],
    ...filtered.map((reason): [string, JsonObject[], string, boolean] => [reason, [], 'content_filter', false]),
    ['MALFORMED_FUNCTION_CALL', [text('A')], 'stop', true],
    ['OTHER', [text('A')], 'stop', true],
    ['FINISH_REASON_UNSPECIFIED', [text('A')], 'stop', true],
    ['SOMETHING_NEW', [{ functionCall: { name: 'wx' } }], 'tool_calls', true],
    [null, [text('A')], 'stop', true],
  ]
  for (const [reason, parts, expected, isWarned] of cases) {
    test(`${reason} after ${JSON.stringify(parts)}`, () => {
      const answer = answerOf(body([candidate(parts, reason)]))
      assert.deepEqual([answer.finishReason, answer.warning !== null], [expected, isWarned])
    })
  }

  for (const reason of ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'OTHER', null]) {
    test(`${reason} without an answer is a failure, asked for once more`, () => {
      assert.partialDeepStrictEqual(failureOf(body([candidate([], reason)])), {
        code: 'upstream_error',
        retry: 'once',
        next: 'any',
      })
    })
  }

  for (const blockReason of [
    'SAFETY',
    'OTHER',
    'BLOCKLIST',
    'PROHIBITED_CONTENT',
    'IMAGE_SAFETY',
    'MODEL_ARMOR',
    'JAILBREAK',
  ]) {
    test(`a prompt blocked by ${blockReason}`, () => {
      assert.partialDeepStrictEqual(
        failureOf({ promptFeedback: { blockReason }, usageMetadata: { promptTokenCount: 3 } }),
        {
          code: 'content_filtered',
          message: `The provider blocked the prompt (blockReason ${blockReason}).`,
          status: 200,
          next: 'none',
        },
      )
    })
  }

  test('anything else is a failure', () => {
    for (const wire of [null, 5, [], {}, { candidates: [] }, { candidates: 5 }]) {
      assert.partialDeepStrictEqual(failureOf(wire), { code: 'upstream_error', retry: 'once' })
    }
    assert.partialDeepStrictEqual(failureOf({ error: { code: 503, message: 'busy' } }), {
      code: 'provider_overloaded',
      message: 'busy',
    })
  })
})

describe('usage', () => {
  const usageOf = (usageMetadata: JsonObject | null, request: JsonObject = {}) =>
    answerOf(body([candidate([text('A')])], usageMetadata === null ? {} : { usageMetadata }), request)

  test('counts thoughts as output, and the cache as part of the prompt', () => {
    const { usage, body: completion } = usageOf({
      promptTokenCount: 100,
      cachedContentTokenCount: 40,
      toolUsePromptTokenCount: 7,
      candidatesTokenCount: 20,
      thoughtsTokenCount: 5,
      totalTokenCount: 132,
    })
    assert.partialDeepStrictEqual(usage, { input: 67, cachedInput: 40, output: 25, reasoning: 5, pricePercent: 100 })
    assert.deepEqual(completion['usage'], {
      prompt_tokens: 107,
      completion_tokens: 25,
      total_tokens: 132,
      prompt_tokens_details: { cached_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 5 },
    })
  })

  test('tells what was heard from what was read, unless it came from the cache', () => {
    const audio = (tokenCount: number) => [
      { modality: 'TEXT', tokenCount: 1 },
      { modality: 'AUDIO', tokenCount },
    ]
    const counts = {
      promptTokenCount: 50,
      cachedContentTokenCount: 20,
      promptTokensDetails: audio(30),
      cacheTokensDetails: audio(12),
    }
    assert.partialDeepStrictEqual(usageOf(counts).usage, { input: 12, cachedInput: 20, audioInput: 18 })
    assert.partialDeepStrictEqual(usageOf({ promptTokenCount: 5, promptTokensDetails: audio(30) }).usage, {
      input: 0,
      audioInput: 5,
    })
  })

  test('is null where nothing was counted', () => assert.equal(usageOf(null).usage, null))
  test('never counts more of the cache than of the prompt', () => {
    assert.partialDeepStrictEqual(usageOf({ promptTokenCount: 3, cachedContentTokenCount: 9 }).usage, {
      input: 0,
      cachedInput: 3,
    })
  })

  const percents: [usage: JsonObject, request: JsonObject, percent: number][] = [
    [{}, {}, 100],
    [{}, { service_tier: 'priority' }, 200],
    [{}, { service_tier: 'flex' }, 50],
    [{ serviceTier: 'standard' }, { service_tier: 'priority' }, 100],
    [{ trafficType: 'ON_DEMAND' }, { service_tier: 'priority' }, 100],
    [{ trafficType: 'ON_DEMAND_PRIORITY' }, {}, 200],
    [{ trafficType: 'PROVISIONED_THROUGHPUT' }, {}, 0],
  ]
  for (const [usage, request, percent] of percents) {
    test(`${JSON.stringify([usage, request])} costs ${percent} %`, () =>
      assert.equal(usageOf(usage, request).usage?.pricePercent, percent))
  }
})
