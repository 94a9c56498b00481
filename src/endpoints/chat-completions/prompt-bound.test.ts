import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { ChatRequest } from '../../domain/request/chat.ts'
import { IMAGE_TOKENS, INSTRUCTION_TOKENS, promptTokens } from './prompt-bound.ts'

function chat(content: unknown, more: JsonObject = {}): ChatRequest {
  return { model: 'm', messages: [{ role: 'user', content }], ...more } as ChatRequest
}
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const VIDEO = 'https://example.com/long.mp4'
const LONG_SCHEMA = { type: 'image_url', description: 'x'.repeat(200_000) }
const image = (url: string) => ({ type: 'image_url', image_url: { url } })

describe('a prompt has at most as many tokens as', () => {
  const text = (value: string) => ({ type: 'text', text: value })
  const table: [what: string, request: ChatRequest, tokens: number | null][] = [
    ['its JSON has bytes', chat('hello'), bytes(chat('hello'))],
    ['the bytes, not the characters', chat('日本語 😀'), bytes(chat('日本語 😀'))],
    [
      'the bound of each image, whatever its size',
      chat([text('x'), image(`data:image/png;base64,${'A'.repeat(100_000)}`), image('https://example.com/a.png')]),
      bytes(chat([text('x'), null, null])) + 2 * IMAGE_TOKENS,
    ],
    [
      'the bytes of a text file',
      chat([{ type: 'file', file: { file_data: `data:text/plain;base64,${'A'.repeat(5_000)}` } }]),
      bytes(chat([{ type: 'file', file: { file_data: 'data:text/plain;base64,' } }])) + 5_000,
    ],
    [
      'of unknown size, with a packed document',
      chat([{ type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } }]),
      null,
    ],
    [
      'of unknown size, with a document in the place of an image',
      chat([image('data:application/pdf;base64,AAAA')]),
      null,
    ],
    [
      'tools and the instructions that come with them',
      chat('x', { tools: [{ type: 'function' }] }),
      bytes(chat('x', { tools: [{ type: 'function' }] })) + INSTRUCTION_TOKENS,
    ],
    [
      'an output format and its instructions',
      chat('x', { response_format: { type: 'json_object' } }),
      bytes(chat('x', { response_format: { type: 'json_object' } })) + INSTRUCTION_TOKENS,
    ],
    ['of unknown size, with a file that lies at the provider', chat([{ type: 'file', file: { file_id: 'f' } }]), null],
    [
      'of unknown size, with a text file that lies at the provider, too',
      chat([{ type: 'file', file: { file_data: 'data:text/plain;base64,AAAA', file_id: 'f' } }]),
      null,
    ],
    ['of unknown size, with a video by address', chat([{ type: 'video_url', video_url: { url: VIDEO } }]), null],
    ['of unknown size, with a part of an unknown type', chat([{ type: 'document_url', document_url: VIDEO }]), null],
    ['of unknown size, with a recording, which is packed', chat([{ type: 'input_audio', input_audio: {} }]), null],
    ['of unknown size, with a video in the place of an image', chat([image('gs://b/long.mp4')]), null],
    [
      'the bound of an image in storage, which its name tells',
      chat([image('gs://b/a.PNG')]),
      bytes(chat([null])) + IMAGE_TOKENS,
    ],
    ['of unknown size, with an address in a text', chat([{ ...text('x'), video_url: VIDEO }]), null],
    ['of unknown size, with an address beside an image', chat([{ ...image('https://a.b/c'), video_url: VIDEO }]), null],
    [
      'of unknown size, with an answer that the provider keeps',
      { model: 'm', messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] } as ChatRequest,
      null,
    ],
    [
      'its bytes, where a schema calls itself an image',
      chat([image('https://a.b/c')], { tools: [{ type: 'function', function: { parameters: LONG_SCHEMA } }] }),
      bytes(chat([null], { tools: [{ type: 'function', function: { parameters: LONG_SCHEMA } }] })) +
        IMAGE_TOKENS +
        INSTRUCTION_TOKENS,
    ],
    [
      'an image of a tool result too',
      {
        model: 'm',
        messages: [{ role: 'tool', tool_call_id: 't', content: [image('data:image/png;base64,x')] }],
      } as ChatRequest,
      bytes({ model: 'm', messages: [{ role: 'tool', tool_call_id: 't', content: [null] }] }) + IMAGE_TOKENS,
    ],
  ]
  for (const [what, request, tokens] of table) test(what, () => assert.equal(promptTokens(request).most, tokens))
})

test('limits other than a hard budget count an unknown part as text, as before', () => {
  const asked = chat([{ type: 'video_url', video_url: VIDEO }])
  assert.deepEqual(promptTokens(asked), { most: null, visible: bytes(asked), likely: null, isOpaque: true })
})
