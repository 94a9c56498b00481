import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SEALING, STAMP, TOKENS, USAGE } from '../../../test/fixtures/responses/answers.ts'
import { bridged, chatOf } from '../../../test/fixtures/responses/bridged.ts'
import { GatewayError } from '../../domain/errors.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import { openCapsules, sealSummary } from '../../domain/request/compaction.ts'
import type { ResponsesRequest } from '../../domain/request/responses.ts'
import { promptTokens } from './prompt-bound.ts'
import { responses } from './responses.ts'

const HELLO = { role: 'user', content: 'hello' }
const ASKED = { model: 'fast', stream: true, input: [HELLO, { type: 'compaction_trigger' }] } as ResponsesRequest

function eventsOf(frames: string): JsonObject[] {
  return frames.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
}

function textOf(item: unknown): string {
  const [message] = openCapsules([item as JsonObject], SEALING) as { content?: { text: string }[] }[]
  return message?.content?.[0]?.text ?? ''
}

describe('the answer to a compaction trigger', () => {
  for (const [what, request] of [
    ['of a request', ASKED],
    ['of the outline of a large one', { model: 'fast', stream: true, ...responses.outline?.(ASKED) }],
  ] as const) {
    test(`streams exactly one item, sealed: ${what}`, () => {
      const writer = responses.stream?.open(request as ResponsesRequest, STAMP) ?? assert.fail()
      const begun = writer.write({ type: 'text-delta', text: 'We fixed ' })
      assert.equal(writer.write({ type: 'text-delta', text: 'the points.' }), '')
      writer.write({ type: 'message-end', finishReason: 'length', warning: null })
      const ended = writer.end({ usage: null, tokens: TOKENS, gateway: { cost_usd: '1' } })
      assert.doesNotMatch(begun + ended, /fixed|points/)
      const events = eventsOf(begun + ended)
      assert.deepEqual(
        events.map(({ type, sequence_number }) => [sequence_number, String(type).replace('response.', '')]),
        [...['created', 'in_progress', 'output_item.added', 'output_item.done', 'completed'].entries()],
      )
      const last = events.at(-1) as { response: JsonObject; x_gateway: JsonObject }
      const [item, ...others] = last.response['output'] as JsonObject[]
      assert.deepEqual(others, [])
      assert.deepEqual(Object.keys(item ?? {}), ['id', 'type', 'encrypted_content'])
      assert.deepEqual([item?.['type'], last.response['status']], ['compaction', 'completed'])
      assert.deepEqual([last.response['usage'], last.x_gateway], [USAGE, { cost_usd: '1' }])
      assert.deepEqual(events.at(-2)?.['item'], item)
      assert.match(textOf(item), /\n\nWe fixed the points\.$/)
    })
  }

  test('is one item in a whole answer, too', () => {
    const message = { role: 'assistant', content: [{ type: 'text', text: 'We fixed it.' }], reasoning_content: 'hm' }
    const body = { choices: [{ index: 0, message }] }
    const answer = { body, usage: TOKENS, finishReason: 'length', warning: null }
    const { output, status, usage } = JSON.parse(responses.write(answer, STAMP, { ...ASKED, stream: false }))
    assert.deepEqual([status, output.length, output[0].type, usage], ['completed', 1, 'compaction', USAGE])
    assert.match(textOf(output[0]), /We fixed it\.$/)
  })

  test('fails in its own words where the provider broke off', () => {
    const writer = responses.stream?.open(ASKED, STAMP)
    const events = eventsOf(writer?.fail?.(new GatewayError('upstream_error')) ?? '')
    assert.equal(events.at(-1)?.['type'], 'response.failed')
  })
})

describe('a conversation that was compacted', () => {
  const own = { type: 'compaction', encrypted_content: sealSummary('We fixed it.', SEALING) }
  const vendors = { type: 'compaction', id: 'cmp_1', encrypted_content: 'gAAAAvendor' }

  test('is translated with its summary as a message', () => {
    const { messages } = chatOf({ input: [HELLO, own, { role: 'user', content: 'go on' }] })
    const [, summary, last] = messages as { role: string; content: string }[]
    assert.match(summary?.content ?? '', /by this summary.*\n\nWe fixed it\.$/s)
    assert.deepEqual([summary?.role, last?.content], ['user', 'go on'])
  })

  test('by a vendor is refused by an entry that cannot read it, with what it is and what to do', () => {
    for (const type of ['compaction', 'compaction_summary']) {
      const refused = bridged({ input: [HELLO, { ...vendors, type }] })
      assert.equal(refused.kind, 'refused')
      assert.match(
        refused.kind === 'refused' ? refused.message.text : '',
        /^input\[1\]\.encrypted_content: .*made by another vendor.*start a new session/,
      )
    }
    assert.equal(bridged({ input: [HELLO, { type: 'compaction' }] }).kind, 'invalid')
  })

  test("of another workspace is the caller's mistake", () => {
    const foreign = { ...own, encrypted_content: sealSummary('x', { ...SEALING, workspace: 'other' }) }
    const refused = bridged({ input: [foreign] })
    assert.equal(refused.kind, 'invalid')
    assert.match(refused.kind === 'invalid' ? refused.message.text : '', /^input\[0\]\.encrypted_content: /)
  })

  test('is summarised again, its tools left out', () => {
    const tools = [{ type: 'web_search' }, { type: 'function', name: 'f', parameters: {} }]
    const format = { type: 'json_schema', name: 'n', schema: {} }
    const chat = chatOf({
      tools,
      tool_choice: 'required',
      text: { format },
      input: [own, { type: 'compaction_trigger' }],
    })
    assert.deepEqual(Object.keys(chat), ['model', 'messages'])
    assert.equal((chat['messages'] as unknown[]).length, 2)
  })

  test('is held for by the length of our capsule, by the window for that of a vendor', () => {
    const bound = (item: JsonObject) => promptTokens({ model: 'm', input: [HELLO, item] } as ResponsesRequest)
    assert.ok((bound(own).most ?? 0) > own.encrypted_content.length)
    assert.equal(bound(vendors).most, null)
    assert.ok((bound({ type: 'compaction_trigger' }).most ?? 0) >= 1000)
  })
})

describe('what agents of one session write to each other', () => {
  const message = { type: 'agent_message', author: '/root', recipient: '/root/look' }

  test('is a message of the user that names its author', () => {
    const content = [{ type: 'input_text', text: 'Look at the points.' }]
    const { messages } = chatOf({ input: [HELLO, { ...message, content }] })
    assert.deepEqual((messages as JsonObject[])[1], {
      role: 'user',
      content: [
        { type: 'text', text: 'Message from /root:' },
        { type: 'text', text: 'Look at the points.' },
      ],
    })
  })

  test('is refused where only its vendor can read it', () => {
    const content = [{ type: 'encrypted_content', encrypted_content: 'gAAAA' }]
    const refused = bridged({ input: [{ ...message, content }] })
    assert.equal(refused.kind, 'refused')
    assert.match(
      refused.kind === 'refused' ? refused.message.text : '',
      /^input\[0\]\.content\[0\]\.type: 'encrypted_content'/,
    )
  })

  test('ids and notes that agents put into items of a translated call are left out', () => {
    const noted = {
      ...HELLO,
      id: 'msg_1',
      internal_chat_message_metadata_passthrough: { turn_id: 't', create_time: 1 },
    }
    assert.deepEqual(chatOf({ input: [noted] })['messages'], [HELLO])
  })
})
