import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, test } from 'node:test'
import type { Draft } from '../../components/playground-draft.ts'
import { codeFor } from './code-for.ts'
import { buildRequest, readAnswer } from './draft.ts'

const draft: Draft = {
  model: 'fast',
  messages: [
    { id: 1, role: 'system', content: '' },
    { id: 2, role: 'user', content: 'hello' },
  ],
  temperature: null,
  maxTokens: null,
  isStreamed: false,
  more: '',
}

describe('what the playground sends', () => {
  test('empty messages and unset parameters are left out', () => {
    assert.deepEqual(buildRequest(draft).body, { model: 'fast', messages: [{ role: 'user', content: 'hello' }] })
  })

  test('a stream is asked for with its usage', () => {
    const { body } = buildRequest({ ...draft, isStreamed: true })
    assert.deepEqual([body?.['stream'], body?.['stream_options']], [true, { include_usage: true }])
  })

  test('further fields win over the form', () => {
    const { body } = buildRequest({ ...draft, temperature: 0, maxTokens: 5, more: '{"max_tokens": 7, "seed": 1}' })
    assert.deepEqual([body?.['temperature'], body?.['max_tokens'], body?.['seed']], [0, 7, 1])
  })

  for (const [what, change, problem] of [
    ['no model', { model: '' }, /alias or a model/],
    ['no message', { messages: [] }, /Write a message/],
    ['an array', { more: '[1]' }, /not a JSON object/],
    ['half a JSON', { more: '{"a":' }, /not a JSON object/],
  ] as const) {
    test(`${what} is told before it is sent`, () =>
      assert.match(buildRequest({ ...draft, ...change }).problem ?? '', problem))
  }
})

describe('what it shows', () => {
  test('text, tool calls and usage of an answer', () => {
    const answer = readAnswer({
      choices: [
        {
          finish_reason: 'tool_calls',
          message: { content: null, tool_calls: [{ function: { name: 'f', arguments: '{}' } }] },
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    })
    assert.deepEqual(answer, {
      text: null,
      finishReason: 'tool_calls',
      toolCalls: [{ name: 'f', arguments: '{}' }],
      usage: { prompt: 3, completion: 4 },
      error: null,
    })
  })

  test('the error of a call that failed', () => {
    const { error } = readAnswer({ error: { code: 'budget_exceeded', message: 'spent' } })
    assert.deepEqual(error, { code: 'budget_exceeded', message: 'spent' })
  })

  test('nothing, of nothing', () => assert.equal(readAnswer(null).text, null))
})

describe('code to paste', () => {
  const body = {
    model: 'fast',
    messages: [{ role: 'user', content: 'it\'s a "test"\n$HOME' }],
    stream: false,
    stop: null,
  }

  test('the shell hands curl the very body', () => {
    const script = codeFor('curl', 'http://127.0.0.1:1', body).replace(/^curl /, 'printf "%s\\n" ')
    const printed = execFileSync('sh', ['-c', script], { encoding: 'utf8' })
    assert.deepEqual(JSON.parse(printed.slice(printed.indexOf('\n{'))), body)
  })

  test('a stream is read to its end', () => {
    const streamed = { ...body, stream: true }
    assert.match(codeFor('curl', 'http://127.0.0.1:1', streamed), /^curl -N /)
    assert.match(codeFor('Python', 'http://127.0.0.1:1', streamed), /^stream = [\s\S]*for chunk in stream:/m)
    assert.match(codeFor('TypeScript', 'http://127.0.0.1:1', streamed), /for await \(const chunk of stream\)/)
  })

  test('Python has its own words for true, false and nothing', () => {
    const code = codeFor('Python', 'http://127.0.0.1:1', body)
    assert.match(code, /stream=False,/)
    assert.match(code, /stop=None,/)
    assert.match(code, /base_url="http:\/\/127\.0\.0\.1:1\/v1"/)
  })
})
