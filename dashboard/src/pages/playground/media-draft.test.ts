import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildMedia, EMPTY_MEDIA, imagesOf } from './media-draft.ts'

test('what is missing is said', () => {
  assert.equal(buildMedia('images', '', EMPTY_MEDIA).problem, 'Choose an alias or a model.')
  assert.equal(buildMedia('speech', 'm', EMPTY_MEDIA).problem, 'Write a text.')
  assert.equal(buildMedia('transcriptions', 'm', EMPTY_MEDIA).problem, 'Choose a file.')
})

test('a body has what was chosen, and leaves the rest to the model', () => {
  const draft = { ...EMPTY_MEDIA, text: 'a boat', quality: 'low', file: { name: 'a.b.MP3', data: 'AA==' } }
  assert.deepEqual(buildMedia('images', 'm', draft).body, { model: 'm', prompt: 'a boat', quality: 'low' })
  const speech = { model: 'm', input: 'a boat', voice: 'alloy', response_format: 'mp3' }
  assert.deepEqual(buildMedia('speech', 'm', draft).body, speech)
  const heard = { model: 'm', input_audio: { data: 'AA==', format: 'mp3' } }
  assert.deepEqual(buildMedia('transcriptions', 'm', draft).body, heard)
})

test('images are what their bytes say; an address that is no web address is not followed', () => {
  const body = { data: [{ b64_json: '/9j/4AAQ' }, { url: 'https://images.example/1' }, { url: 'javascript:alert(1)' }] }
  assert.deepEqual(imagesOf(body), [
    { source: 'data:image/jpeg;base64,/9j/4AAQ', url: null, name: 'image-1.jpeg' },
    { source: null, url: 'https://images.example/1', name: 'image-2.png' },
    { source: null, url: null, name: 'image-3.png' },
  ])
  assert.deepEqual(imagesOf({ error: {} }), [])
})
