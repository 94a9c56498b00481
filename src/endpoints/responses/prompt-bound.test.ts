import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { ResponsesRequest } from '../../domain/request/responses.ts'
import { IMAGE_TOKENS } from '../chat-completions/prompt-bound.ts'
import { promptTokens } from './prompt-bound.ts'

const promptTokensBound = (asked: ResponsesRequest, received: number) => promptTokens(asked, received).most
const request = (input: unknown, more: JsonObject = {}) => ({ model: 'm', input, ...more }) as ResponsesRequest
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const parts = (...content: unknown[]) => [{ role: 'user', content }]
const SCREENSHOT = { type: 'computer_screenshot', file_id: 'f' }
const PNG = `data:image/png;base64,${'A'.repeat(100_000)}`

describe('a prompt has at most as many tokens as', () => {
  test('it was received with bytes, if it is plain text', () => {
    assert.equal(promptTokensBound(request('日本語 😀'), 99), 99)
    assert.equal(promptTokensBound(request(parts({ type: 'input_text', text: 'x' })), 99), 99)
  })

  const table: [what: string, request: ResponsesRequest, least: number][] = [
    ['its JSON has bytes', request('日本語 😀'), bytes(request('日本語 😀'))],
    ['the bound of an image', request(parts({ type: 'input_image', image_url: PNG })), IMAGE_TOKENS],
    [
      'the images of results too',
      request([
        {
          type: 'function_call_output',
          output: [
            { type: 'input_image', image_url: PNG },
            { type: 'input_image', image_url: PNG },
          ],
        },
      ]),
      2 * IMAGE_TOKENS,
    ],
    [
      'a text file has bytes',
      request(parts({ type: 'input_file', file_data: `data:text/plain;base64,${'A'.repeat(5_000)}` })),
      5_000,
    ],
    [
      'a search of the web, which no hard budget lets through',
      request('x', { tools: [{ type: 'web_search' }] }),
      bytes(request('x', { tools: [{ type: 'web_search' }] })),
    ],
    [
      "a search of the caller's own tools",
      request('x', { tools: [{ type: 'tool_search', execution: 'client' }] }),
      bytes(request('x', { tools: [{ type: 'tool_search', execution: 'client' }] })),
    ],
    [
      'tools and what their translation adds',
      request('x', { tools: [{ type: 'custom', name: 'a' }] }),
      bytes(request('x', { tools: [{ type: 'custom', name: 'a' }] })) + 300,
    ],
  ]
  test('its bytes, where a schema calls itself an image', () => {
    const parameters = { type: 'input_image', description: 'x'.repeat(200_000) }
    const asked = request(parts({ type: 'input_image', image_url: PNG }), {
      tools: [{ type: 'function', name: 'f', parameters }],
    })
    assert.ok((promptTokensBound(asked, 10) ?? 0) >= 200_000 + IMAGE_TOKENS)
  })

  for (const [what, asked, least] of table) {
    test(what, () => {
      const bound = promptTokensBound(asked, bytes(asked)) ?? assert.fail()
      assert.ok(bound >= least, `${bound} < ${least}`)
      assert.ok(bound <= least + 3_000, `${bound} is far above ${least}`)
    })
  }

  const unknown: [what: string, request: ResponsesRequest][] = [
    ['an earlier response', request('x', { previous_response_id: 'resp_1' })],
    ['a conversation', request('x', { conversation: 'c' })],
    ['a stored prompt', request('x', { prompt: { id: 'p' } })],
    ['a hosted tool', request('x', { tools: [{ type: 'mcp' }] })],
    ["a hosted tool that claims to be the caller's", request('x', { tools: [{ type: 'mcp', execution: 'client' }] })],
    ['a hosted tool that comes later', request([{ type: 'additional_tools', tools: [{ type: 'mcp' }] }])],
    ['a reference', request([{ type: 'item_reference', id: 'x' }])],
    ['a packed document', request(parts({ type: 'input_file', file_data: 'data:application/pdf;base64,AA' }))],
    ['a document by address', request(parts({ type: 'input_file', file_url: 'https://a.b/c.pdf' }))],
    ['an item of an unknown type', request([{ type: 'video', url: 'https://a.b/c.mp4' }])],
    ['a part of an unknown type', request(parts({ type: 'input_video', video_url: 'https://a.b/c.mp4' }))],
    ['an address in a text', request(parts({ type: 'input_text', text: 'x', video_url: 'https://a.b/c.mp4' }))],
    ['a video as an image', request(parts({ type: 'input_image', image_url: 'gs://b/long.mp4' }))],
    ['an image at the provider', request(parts({ type: 'input_image', file_id: 'f' }))],
    ['a part of a result', request([{ type: 'function_call_output', output: [{ type: 'input_video' }] }])],
    ['a screenshot at the provider', request([{ type: 'computer_call_output', output: SCREENSHOT }])],
    ['a document as an image', request(parts({ type: 'input_image', image_url: 'data:application/pdf;base64,AA' }))],
  ]
  for (const [what, asked] of unknown) {
    test(`nobody knows, with ${what}`, () => assert.equal(promptTokensBound(asked, 10), null))
  }
})
