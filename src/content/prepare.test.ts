import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { builtinRule } from '../domain/content/redactions.ts'
import { ownRule, patternsProblem } from './own-patterns.ts'
import { prepareContent, type RawBody, STORED_CHARACTERS } from './prepare.ts'
import { seal, unseal } from './seal.ts'

const chat = 'chat'
const rules = [builtinRule('email'), ownRule({ name: 'ticket', regex: 'TICKET-[0-9]+' })]
const body = (text: string, isCut = false): RawBody => ({ text, bytes: text.length, isCut })
const prepared = (request: RawBody) => prepareContent({ request, answer: null }, chat, rules)

describe('what is stored of a body', () => {
  test('JSON, redacted by rules of ours and of the operator', () => {
    const { request, redacted } = prepared(body('{"m":"a@b.example, TICKET-7 and TICKET-8"}'))
    const text = '{"m":"[redacted:email], [redacted:ticket] and [redacted:ticket]"}'
    assert.deepEqual(request, { text, bytes: 42, isCut: false, isJson: true })
    assert.deepEqual(redacted, { email: 1, ticket: 2 })
  })

  test('of what is no JSON the text, and escapes hide nothing', () => {
    const { request } = prepared(body('{"m":"a\\u0040b.example"'))
    assert.deepEqual([request?.text, request?.isJson], ['{"m":"[redacted:email]"', false])
  })

  test('of what was cut the beginning, without what a rule might have found across the cut', () => {
    const { request } = prepared(body(`${'x '.repeat(5000)} hidden@b.exam`, true))
    assert.ok(request?.isCut === true && !request.text.includes('hidden'))
    assert.ok(request.text.length > 5000)
  })

  test('not more than the bound', () => {
    const { request } = prepared(body(JSON.stringify({ m: 'x'.repeat(STORED_CHARACTERS) })))
    assert.deepEqual([request?.text.length, request?.isCut, request?.isJson], [STORED_CHARACTERS, true, false])
  })

  test('JSON that is nested too deeply is stored as text', () => {
    const { request } = prepared(body(`${'['.repeat(200_000)}"a@b.example"${']'.repeat(200_000)}`))
    assert.ok(request?.isJson === false && request.text.includes('[redacted:email]'))
  })
})

describe('a stream is stored as the answer that it adds up to', () => {
  const frames = (events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const answerOf = (endpoint: string, events: object[]) => {
    const answer = { ...body(`: keep-alive\n${frames(events)}data: [DONE]\n\n`), isStream: true }
    const { text } = prepareContent({ request: null, answer }, endpoint, rules).answer ?? { text: '' }
    return JSON.parse(text)
  }

  test('a chat completion with text in pieces and two tool calls', () => {
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      id: 'c1',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason }],
    })
    const call = (index: number, more: object) => chunk({ tool_calls: [{ index, ...more }] })
    assert.deepEqual(
      answerOf('chat', [
        chunk({ role: 'assistant', content: '' }),
        chunk({ content: 'mail a@b' }),
        chunk({ content: '.example' }),
        call(0, { id: 't0', type: 'function', function: { name: 'look', arguments: '' } }),
        call(0, { function: { arguments: '{"q":' } }),
        call(1, { id: 't1', type: 'function', function: { name: 'see', arguments: '{}' } }),
        call(0, { function: { arguments: '1}' } }),
        chunk({}, 'tool_calls'),
      ]),
      {
        id: 'c1',
        object: 'chat.completion',
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: 'mail [redacted:email]',
              tool_calls: [
                { id: 't0', type: 'function', function: { name: 'look', arguments: '{"q":1}' } },
                { id: 't1', type: 'function', function: { name: 'see', arguments: '{}' } },
              ],
            },
            finish_reason: 'tool_calls',
          },
        ],
      },
    )
  })

  test('a message', () => {
    const block = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
    const delta = (index: number, change: object) => ({ type: 'content_block_delta', index, delta: change })
    assert.deepEqual(
      answerOf('messages', [
        { type: 'message_start', message: { id: 'm1', role: 'assistant', content: [], stop_reason: null } },
        { type: 'ping' },
        block(0, { type: 'text', text: '' }),
        delta(0, { type: 'text_delta', text: 'Hel' }),
        delta(0, { type: 'text_delta', text: 'lo' }),
        { type: 'content_block_stop', index: 0 },
        block(1, { type: 'tool_use', id: 't', name: 'look', input: {} }),
        delta(1, { type: 'input_json_delta', partial_json: '{"a":' }),
        delta(1, { type: 'input_json_delta', partial_json: '1}' }),
        { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 3 } },
        { type: 'message_stop' },
      ]),
      {
        id: 'm1',
        role: 'assistant',
        content: [
          { type: 'text', text: 'Hello' },
          { type: 'tool_use', id: 't', name: 'look', input: '{"a":1}' },
        ],
        stop_reason: 'tool_use',
        usage: { output_tokens: 3 },
      },
    )
  })

  test('a response: its last event, or what was said before a cut', () => {
    const said = [
      { type: 'response.created', response: { id: 'r1', output: [] } },
      { type: 'response.output_text.delta', output_index: 0, delta: 'Hel' },
      { type: 'response.output_text.delta', output_index: 0, delta: 'lo' },
    ]
    const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] }
    assert.deepEqual(answerOf('responses', said), { id: 'r1', output: [message] })
    const whole = { id: 'r1', status: 'completed', output: [{ ...message, id: 'x' }] }
    assert.deepEqual(answerOf('responses', [...said, { type: 'response.completed', response: whole }]), whole)
  })

  test('a response that was cut in what the model thinks, and in the input of a tool', () => {
    const added = (output_index: number, item: object) => ({ type: 'response.output_item.added', output_index, item })
    const delta = (output_index: number, type: string, text: string, more: object = {}) => ({
      ...{ type: `response.${type}.delta`, output_index, delta: text },
      ...more,
    })
    const call = { type: 'function_call', call_id: 'c1', name: 'look' }
    assert.deepEqual(
      answerOf('responses', [
        added(0, { type: 'reasoning', summary: [] }),
        delta(0, 'reasoning_summary_text', 'h', { summary_index: 0 }),
        delta(0, 'reasoning_summary_text', 'm', { summary_index: 0 }),
        added(1, { ...call, arguments: '' }),
        delta(1, 'function_call_arguments', '{"q":'),
        delta(1, 'function_call_arguments', '1'),
      ]).output,
      [
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
        { ...call, arguments: '{"q":1' },
      ],
    )
  })
})

describe('patterns of the operator', () => {
  test('what cannot be used is refused with its name', () => {
    assert.match(patternsProblem([{ name: 'bad', regex: '(' }]) ?? '', /'bad'/)
    assert.match(patternsProblem([{ name: 'back', regex: '(a)\\1' }]) ?? '', /'back'/)
    assert.match(patternsProblem([{ name: 'all', regex: 'x*' }]) ?? '', /nothing at all/)
    assert.equal(patternsProblem([{ name: 'fine', regex: '(a+)+$' }]), null)
  })

  test('one that would take a backtracking engine for ever is done at once', () => {
    const { replace } = ownRule({ name: 'evil', regex: '(a+)+b' })
    const text = 'a'.repeat(50_000)
    assert.equal(
      replace(text, () => 'x'),
      text,
    )
  })
})

describe('what is sealed', () => {
  const key = (fill: number, id = 'k1') => ({ id, key: new Uint8Array(32).fill(fill) })
  const sealed = seal('a prompt', key(1), 'call-1')

  test('is read again with its key, for its call', () => {
    assert.ok(!Buffer.from(sealed, 'base64').includes('prompt'))
    assert.equal(unseal(sealed, 'k1', [key(2, 'k0'), key(1)], 'call-1'), 'a prompt')
  })

  test('is unreadable with another key, as the content of another call, or changed', () => {
    assert.throws(() => unseal(sealed, 'k1', [key(2, 'k2')], 'call-1'), /another key/)
    assert.throws(() => unseal(sealed, 'k1', [key(2)], 'call-1'), /damaged/)
    assert.throws(() => unseal(sealed, 'k1', [key(1)], 'call-2'), /damaged/)
    assert.throws(() => unseal(`AAAA${sealed.slice(4)}`, 'k1', [key(1)], 'call-1'), /damaged/)
  })
})
