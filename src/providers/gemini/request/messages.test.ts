import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { contentsOf, translate, USER, wireOf } from '../../../../test/fixtures/gemini/translate.ts'
import { UNKNOWN_TRAITS } from '../../../domain/provider.ts'
import type { JsonObject } from '../../../domain/request/call-request.ts'
import type { ChatRequest } from '../../../domain/request/chat.ts'
import { NO_BOUNDS } from '../../../domain/request/output-limit.ts'
import { chatThrough } from '../chat.ts'
import { DIRECT } from '../endpoint.ts'

const PNG = 'iVBORw0KGgo='
const user = (...parts: JsonObject[]) => ({ role: 'user', parts })
const model = (...parts: JsonObject[]) => ({ role: 'model', parts })

describe('roles', () => {
  test('system and developer texts are one instruction', () => {
    const messages = [
      { role: 'system', content: 'A' },
      USER,
      { role: 'developer', content: [{ type: 'text', text: 'B' }] },
    ]
    assert.deepEqual(wireOf({ messages }).body, {
      contents: [user({ text: 'Hi' })],
      systemInstruction: { parts: [{ text: 'A\nB' }] },
    })
  })

  test('instructions alone are the user’s', () => {
    const messages = [{ role: 'system', content: 'Say hi' }]
    assert.deepEqual(wireOf({ messages }).body, { contents: [user({ text: 'Say hi' })] })
  })

  test('neighbours of one role are merged, empty ones left out', () => {
    const messages = [
      USER,
      { role: 'user', content: '' },
      { role: 'user', content: 'there' },
      { role: 'assistant', content: 'Yes' },
    ]
    assert.deepEqual(contentsOf(messages), [user({ text: 'Hi' }, { text: 'there' }), model({ text: 'Yes' })])
  })

  test('a refusal is what the model said', () => {
    assert.deepEqual(contentsOf([USER, { role: 'assistant', content: null, refusal: 'No' }, USER]), [
      user({ text: 'Hi' }),
      model({ text: 'No' }),
      user({ text: 'Hi' }),
    ])
  })

  test('names and cache markers are dropped and named', () => {
    const text = { type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }
    assert.deepEqual(wireOf({ messages: [{ role: 'user', name: 'Ada', content: [text] }] }).ignored, [
      'name',
      'cache_control',
    ])
  })
})

describe('parts', () => {
  const image = (url: string) => ({ type: 'image_url', image_url: { url } })
  const cases: [what: string, part: JsonObject, expected: JsonObject][] = [
    ['an image', image(`data:image/png;base64,${PNG}`), { inlineData: { mimeType: 'image/png', data: PNG } }],
    [
      'an image whose type is wrong',
      image(`data:image/gif;base64,${PNG}`),
      { inlineData: { mimeType: 'image/png', data: PNG } },
    ],
    [
      'audio',
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
    ],
    [
      'a file',
      { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } },
      { inlineData: { mimeType: 'application/pdf', data: 'AAAA' } },
    ],
    [
      'a bare PDF',
      { type: 'file', file: { file_data: 'JVBERi0x' } },
      { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0x' } },
    ],
  ]
  for (const [what, part, expected] of cases) {
    test(what, () => assert.deepEqual(contentsOf([{ role: 'user', content: [part] }]), [user(expected)]))
  }

  const refused: [what: string, part: JsonObject][] = [
    ['an address', image('https://a.b/c.png')],
    ['an address of the vendor’s storage', image('gs://bucket/c.png')],
    ['an id', { type: 'file', file: { file_id: 'file-1' } }],
    ['a file of unknown type', { type: 'file', file: { file_data: 'AAAA' } }],
    ['another type', { type: 'hologram' }],
  ]
  for (const [what, part] of refused) {
    test(`${what} is refused`, () =>
      assert.equal(translate({ messages: [{ role: 'user', content: [part] }] }).kind, 'refused'))
  }

  test('a door that reads the storage takes its addresses', () => {
    const chat = chatThrough({ ...DIRECT, readsStorage: true })
    const request = { model: 'm', messages: [{ role: 'user', content: [image('gs://bucket/a/c.JPG')] }] }
    const target = { model: 'gemini-3.5-flash', traits: UNKNOWN_TRAITS, baseUrl: null, bounds: NO_BOUNDS }
    assert.partialDeepStrictEqual(chat.toWire(request as unknown as ChatRequest, target), {
      body: { contents: [user({ fileData: { mimeType: 'image/jpeg', fileUri: 'gs://bucket/a/c.JPG' } })] },
    })
  })
})

describe('mistakes of the caller', () => {
  const cases: [what: string, messages: unknown][] = [
    ['no list', 'x'],
    ['no message', [5]],
    ['no such role', [{ role: 'narrator', content: 'x' }]],
    ['nothing said', [{ role: 'user', content: '' }]],
    [
      'an image as a system message',
      [{ role: 'system', content: [{ type: 'image_url', image_url: `data:image/png;base64,${PNG}` }] }],
    ],
    ['a part without a type', [{ role: 'user', content: [{}] }]],
    ['data that is none', [{ role: 'user', content: [{ type: 'image_url', image_url: 'data:image/png;base64,*' }] }]],
    ['an answer to no call', [USER, { role: 'tool', tool_call_id: 'a', content: 'x' }]],
  ]
  for (const [what, messages] of cases) test(what, () => assert.equal(translate({ messages }).kind, 'invalid'))
})
