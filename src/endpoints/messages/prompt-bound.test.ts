import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { MessagesRequest } from '../../domain/request/messages.ts'
import { IMAGE_TOKENS, INSTRUCTION_TOKENS } from '../chat-completions/prompt-bound.ts'
import { promptTokens } from './prompt-bound.ts'

function ask(content: unknown, more: JsonObject = {}): MessagesRequest {
  return { model: 'm', max_tokens: 5, messages: [{ role: 'user', content }], ...more } as MessagesRequest
}
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const image = (data: string) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } })
const imageAt = (url: string) => ({ type: 'image', source: { type: 'url', url } })
const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } }
const result = (...content: unknown[]) => ({ type: 'tool_result', tool_use_id: 'a', content })

describe('a prompt has at most as many tokens as', () => {
  const custom = { name: 'f', input_schema: {} }
  const table: [what: string, request: MessagesRequest, tokens: number | null][] = [
    ['its JSON has bytes', ask('日本語'), bytes(ask('日本語'))],
    [
      'its bytes, thinking and calls included',
      ask([{ type: 'thinking', thinking: 'x' }]),
      bytes(ask([{ type: 'thinking', thinking: 'x' }])),
    ],
    ['the bound of each image', ask([image('A'.repeat(90_000))]), bytes(ask([image('')])) + IMAGE_TOKENS],
    ['the bound of an image in a result', ask([result(image('AAAA'))]), bytes(ask([result(image(''))])) + IMAGE_TOKENS],
    [
      'the bytes of a text document',
      ask([{ type: 'document', source: { type: 'text', data: 'x' } }]),
      bytes(ask([{ type: 'document', source: { type: 'text', data: 'x' } }])),
    ],
    ['nobody knows, with a file', ask([pdf]), null],
    ['nobody knows, with a file in a result', ask([result(pdf)]), null],
    [
      'nobody knows, with a file at the provider',
      ask([{ type: 'document', source: { type: 'file', file_id: 'f' } }]),
      null,
    ],
    ['nobody knows, with a conversation at the provider', ask('x', { thread: { type: 'continue' } }), null],
    ['nobody knows, with a block of an unknown type', ask([{ type: 'video', source: { type: 'url' } }]), null],
    ['nobody knows, with a video in the place of an image', ask([imageAt('gs://b/long.mp4')]), null],
    ['nobody knows, with an image at the provider', ask([{ type: 'image', source: { type: 'file' } }]), null],
    ['nobody knows, with a file among the instructions', ask('x', { system: [pdf] }), null],
    [
      'nobody knows, with a file that was fetched',
      ask([{ type: 'web_fetch_tool_result', content: { type: 'web_fetch_result', content: pdf } }]),
      null,
    ],
    [
      'the bound of an image by address',
      ask([imageAt('https://a.b/c')]),
      bytes(ask([imageAt('https://a.b/c')])) + IMAGE_TOKENS,
    ],
    ['nobody knows, with an upload', ask([{ type: 'container_upload', file_id: 'f' }]), null],
    [
      'tools and their instructions',
      ask('x', { tools: [custom] }),
      bytes(ask('x', { tools: [custom] })) + INSTRUCTION_TOKENS,
    ],
    [
      "a provider's own tools and theirs",
      ask('x', { tools: [{ type: 'bash_1', name: 'b' }, custom] }),
      bytes(ask('x', { tools: [{ type: 'bash_1', name: 'b' }, custom] })) + 2 * INSTRUCTION_TOKENS,
    ],
  ]
  for (const [what, request, tokens] of table) test(what, () => assert.equal(promptTokens(request, null).most, tokens))

  test('it was received in, where it is text alone', () => {
    assert.equal(promptTokens(ask('x'), 1234).most, 1234)
    assert.notEqual(promptTokens(ask([image('AAAA')]), 1234).most, 1234)
  })
})
