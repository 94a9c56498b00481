import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ApiOperation } from './document.ts'
import { filledPath, sample } from './samples.ts'

const OPERATION: ApiOperation = {
  ...{ id: 'keys.update', method: 'PATCH', path: '/keys/{id}', tag: 'Keys', summary: '', description: '' },
  ...{ auth: 'admin', isHere: true, bodyNotes: '', answers: [] },
  parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' }, example: 'key_1' }],
  body: { example: { name: "it's", limits: null } },
}
const CHAT: ApiOperation = {
  ...{ ...OPERATION, path: '/v1/chat/completions', method: 'POST', auth: 'gateway', parameters: [] },
  body: { example: { model: 'fast', messages: [{ role: 'user', content: 'Hi' }], stream: false } },
}
const ORIGIN = 'http://gateway:8080'

describe('sample', () => {
  test('curl quotes the body for a shell and names the variable of the key', () => {
    assert.equal(
      sample('curl', OPERATION, ORIGIN),
      [
        'curl -X PATCH http://gateway:8080/keys/key_1 \\',
        '  -H "Authorization: Bearer $ADMIN_KEY" \\',
        "  -H 'Content-Type: application/json' \\",
        `  -d '{\n  "name": "it'\\''s",\n  "limits": null\n}'`,
      ].join('\n'),
    )
  })

  test('curl needs neither a method nor a body to read', () => {
    const read = { ...OPERATION, method: 'GET', body: null, auth: 'none' as const }
    assert.equal(sample('curl', read, ORIGIN), 'curl http://gateway:8080/keys/key_1')
  })

  test('Python without a client of its own', () => {
    const code = sample('Python', OPERATION, ORIGIN)
    assert.match(
      code,
      /^import os\nimport requests\n\nresponse = requests\.patch\(\n {4}"http:\/\/gateway:8080\/keys\/key_1",/,
    )
    assert.match(code, /json=\{\n {8}"name": "it's",\n {8}"limits": None,\n {4}\},/)
  })

  test('the official clients, where there is a method', () => {
    const python = sample('Python', CHAT, ORIGIN)
    assert.match(python, /from openai import OpenAI/)
    assert.match(python, /base_url="http:\/\/gateway:8080\/v1"/)
    assert.match(python, /client\.chat\.completions\.create\(\n {4}model="fast",/)
    assert.match(python, /stream=False,/)
    const messages = sample('TypeScript', { ...CHAT, path: '/v1/messages' }, ORIGIN)
    assert.match(messages, /import Anthropic from '@anthropic-ai\/sdk'/)
    // This client adds /v1 to its address.
    assert.match(messages, /baseURL: 'http:\/\/gateway:8080'/)
    assert.match(messages, /client\.messages\.create\(\{\n {2}model: "fast",/)
  })
})

test('filledPath takes what is given, else the example, else the name, and keeps slashes', () => {
  assert.equal(filledPath(OPERATION), '/keys/key_1')
  assert.equal(filledPath(OPERATION, { id: 'a b/c' }), '/keys/a%20b/c')
  assert.equal(filledPath({ ...OPERATION, parameters: [] }), '/keys/id')
})
