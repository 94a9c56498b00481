import assert from 'node:assert/strict'
import { test } from 'node:test'
import { promptOf } from './replay.ts'

const said = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hello' },
]

test('a chat becomes messages, its numbers and the rest of its fields', () => {
  const prompt = promptOf('chat', {
    model: 'fast',
    stream: true,
    messages: said,
    temperature: 0.5,
    max_tokens: 9,
    seed: 7,
  })
  assert.deepEqual(
    prompt?.messages.map(({ role, content }) => ({ role, content })),
    said,
  )
  assert.deepEqual([prompt?.temperature, prompt?.maxTokens], [0.5, 9])
  assert.deepEqual(JSON.parse(prompt?.more ?? ''), { seed: 7 })
})

test('messages that are more than text are sent as they were', () => {
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }]
  const prompt = promptOf('chat', { model: 'fast', messages })
  assert.deepEqual(prompt?.messages, [])
  assert.deepEqual(JSON.parse(prompt?.more ?? ''), { messages })
})

test('a request of another format becomes what was said', () => {
  const prompt = promptOf('messages', { model: 'fast', max_tokens: 5, system: 'Be brief.', messages: [said[1]] })
  assert.deepEqual(
    prompt?.messages.map(({ role, content }) => ({ role, content })),
    said,
  )
  assert.equal(prompt?.more, '')
})

test('what is no conversation is not replayed', () => assert.equal(promptOf('embeddings', { input: 'x' }), null))
