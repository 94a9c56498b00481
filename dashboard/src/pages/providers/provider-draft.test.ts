import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bodyOf, draftOf, leavesHome } from './provider-draft.ts'
import type { Provider } from './provider-health.ts'

const stored: Provider = {
  name: 'cloud',
  family: 'wire',
  base_url: 'https://llm.example/v1',
  has_api_key: true,
  headers: { 'x-team': '***' },
  preset: null,
  settings: {},
  credentials: {},
  proxy: null,
  ca: null,
  on_caller_left: 'drain',
  on_estimate: 'hold',
  speaks: ['responses'],
  price_percent: null,
  managed_by: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
}

describe('a provider that is edited', () => {
  const draft = draftOf(stored, ['wire'])

  test('keeps its key and headers unless told otherwise', () => {
    const body = bodyOf(draft)
    assert.deepEqual(body, {
      family: 'wire',
      base_url: 'https://llm.example/v1',
      headers: { 'x-team': '***' },
      on_caller_left: 'drain',
      on_estimate: 'hold',
      speaks: ['responses'],
    })
    assert.ok(!('api_key' in body))
  })

  test('has its key replaced or removed', () => {
    assert.equal(bodyOf({ ...draft, key: { kind: 'set', value: ' sk-new ' } }).api_key, 'sk-new')
    assert.equal(bodyOf({ ...draft, key: { kind: 'remove' } }).api_key, null)
  })

  test('loses a header whose row is taken out, gains one that is typed, and a row left empty is none', () => {
    const headers = [
      { row: 1, name: 'x-new', value: '1' },
      { row: 2, name: '', value: '' },
    ]
    assert.deepEqual(bodyOf({ ...draft, headers }).headers, { 'x-new': '1' })
  })

  test('must have its secrets typed again for another server, not for another path', () => {
    assert.equal(leavesHome(stored, { ...draft, baseUrl: 'https://llm.example/v2' }), false)
    assert.equal(leavesHome(stored, { ...draft, baseUrl: 'https://other.example/v1' }), true)
    assert.equal(leavesHome(stored, { ...draft, baseUrl: '' }), true)
    const typed = {
      ...draft,
      baseUrl: 'https://other.example/v1',
      key: { kind: 'set', value: 'sk' } as const,
      headers: [],
    }
    assert.equal(leavesHome(stored, typed), false)
  })
})

test('a new provider with no key and no address says so with null', () => {
  assert.deepEqual(bodyOf({ ...draftOf(null, ['wire']), name: 'x' }), {
    family: 'wire',
    base_url: null,
    api_key: null,
    headers: {},
    on_caller_left: 'abort',
    on_estimate: 'estimate',
    speaks: null,
  })
})
