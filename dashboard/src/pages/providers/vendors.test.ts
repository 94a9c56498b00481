import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matching, nameFor, vendorsOf } from './vendors.ts'

const family = (name: string, title: string, hint: string) => ({
  ...{ name, title, hint, is_address_known: true, settings: null, credentials: [] },
  on_caller_left: 'abort' as const,
})
const preset = (name: string, title: string, hint: string) => ({ name, title, hint, family: 'first', base_url: null })
const vendors = vendorsOf({
  families: [family('first', 'First', 'The usual'), family('gemini', 'Google Gemini', 'An API key')],
  presets: [preset('xai', 'xAI', 'Grok models'), preset('novel', 'Novel', 'New')],
})

test('families, presets and any other server are listed, each by the name people know', () => {
  assert.deepEqual(
    vendors.map(({ title }) => title),
    ['First', 'Google Gemini', 'Novel', 'xAI', 'Other server'],
  )
})

test('a search finds a vendor by name, title or models', () => {
  const found = (text: string) => matching(vendors, text).map(({ id }) => id)
  assert.deepEqual(found('GEM'), ['gemini', 'custom'])
  assert.deepEqual(found('grok'), ['xai', 'custom'])
  assert.deepEqual(found('nothing like it'), ['custom'])
})

test('a second provider of a vendor gets a number; any other server gets no name', () => {
  const [first] = vendors
  const custom = vendors.at(-1)
  assert.ok(first !== undefined && custom !== undefined)
  assert.equal(nameFor(first, []), 'first')
  assert.equal(nameFor(first, ['first', 'first-2']), 'first-3')
  assert.equal(nameFor(custom, []), '')
})
