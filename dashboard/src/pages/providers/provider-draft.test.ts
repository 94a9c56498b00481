import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { bodyOf, callerLeftOf, draftOf, leavesHome } from './provider-draft.ts'
import type { Provider } from './provider-health.ts'
import { knownAddress, type ProviderKinds, settingFields } from './provider-kinds.ts'

const KINDS: ProviderKinds = {
  families: [
    {
      name: 'wire',
      title: '',
      hint: '',
      is_address_known: false,
      settings: {
        properties: {
          region: { type: 'string', description: 'Where it runs' },
          mode: { type: 'string', enum: ['fast', 'exact'] },
          lists: { type: 'boolean' },
          most: { type: 'integer' },
          renames: { type: 'object' },
        },
      },
      credentials: ['id', 'secret'],
      on_caller_left: 'drain',
    },
  ],
  presets: [{ name: 'vendor', title: '', hint: '', family: 'wire', base_url: 'https://vendor.example/v1' }],
}

const stored: Provider = {
  name: 'cloud',
  family: 'wire',
  base_url: 'https://llm.example/v1',
  has_api_key: true,
  headers: { 'x-team': '***' },
  preset: null,
  settings: { region: 'north', renames: { a: 'b' } },
  credentials: { id: '***' },
  proxy: 'http://me:***@proxy.example:3128/',
  ca: 'PEM',
  passthrough: ['/v1/files'],
  on_caller_left: 'drain',
  on_estimate: 'hold',
  speaks: ['responses'],
  price_percent: null,
  priced_as: null,
  managed_by: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
}

describe('a provider that is edited', () => {
  const draft = draftOf(stored, KINDS)

  test('keeps its key and headers unless told otherwise', () => {
    const body = bodyOf(draft, KINDS)
    assert.deepEqual(body, {
      family: 'wire',
      base_url: 'https://llm.example/v1',
      headers: { 'x-team': '***' },
      preset: null,
      settings: { region: 'north', renames: { a: 'b' } },
      credentials: { id: '***' },
      proxy: 'http://me:***@proxy.example:3128/',
      ca: 'PEM',
      on_caller_left: 'drain',
      on_estimate: 'hold',
      speaks: ['responses'],
      passthrough: ['/v1/files'],
    })
    assert.ok(!('api_key' in body))
  })

  test('has its key replaced or removed', () => {
    assert.equal(bodyOf({ ...draft, key: { kind: 'set', value: ' sk-new ' } }, KINDS).api_key, 'sk-new')
    assert.equal(bodyOf({ ...draft, key: { kind: 'remove' } }, KINDS).api_key, null)
  })

  test('loses a header whose row is taken out, gains one that is typed, and a row left empty is none', () => {
    const headers = [
      { row: 1, name: 'x-new', value: '1' },
      { row: 2, name: '', value: '' },
    ]
    assert.deepEqual(bodyOf({ ...draft, headers }, KINDS).headers, { 'x-new': '1' })
  })

  test('has settings by their kinds, and only those of its family', () => {
    const settings = [
      { name: 'region', text: '7' },
      { name: 'mode', text: 'fast' },
      { name: 'lists', text: 'false' },
      { name: 'most', text: '12' },
      { name: 'renames', text: '{"a":"b"' },
      { name: 'elsewhere', text: 'x' },
    ]
    const { settings: sent } = bodyOf({ ...draft, settings }, KINDS)
    assert.deepEqual(sent, { region: '7', mode: 'fast', lists: false, most: 12, renames: '{"a":"b"' })
    assert.equal(bodyOf({ ...draft, settings: [{ name: 'region', text: ' ' }] }, KINDS).settings, null)
    assert.deepEqual(bodyOf({ ...draft, family: 'other' }, KINDS).settings, null)
  })

  test('has credentials kept, replaced, added and removed', () => {
    const credentials = { id: 'stored', secret: { typed: ' new ' } } as const
    assert.deepEqual(bodyOf({ ...draft, credentials }, KINDS).credentials, { id: '***', secret: 'new' })
    assert.equal(bodyOf({ ...draft, credentials: { id: { typed: '' } } }, KINDS).credentials, null)
  })

  test('has the environment’s proxy, none, or its own', () => {
    const sent = (kind: 'environment' | 'none' | 'own') =>
      bodyOf({ ...draft, proxy: { kind, url: ' http://p:1 ' } }, KINDS)
    assert.deepEqual([sent('environment').proxy, sent('none').proxy, sent('own').proxy], [null, '', 'http://p:1'])
    assert.equal(bodyOf({ ...draft, ca: ' ' }, KINDS).ca, null)
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
      credentials: {},
    }
    assert.equal(leavesHome(stored, typed), false)
    assert.equal(leavesHome(stored, { ...draft, proxy: { kind: 'none', url: '' } }), true)
  })
})

test('a new provider with no key and no address says so with null', () => {
  assert.deepEqual(bodyOf({ ...draftOf(null, KINDS), name: 'x' }, KINDS), {
    family: 'wire',
    base_url: null,
    api_key: null,
    headers: {},
    preset: null,
    settings: null,
    credentials: null,
    proxy: null,
    ca: null,
    on_estimate: 'estimate',
    speaks: null,
    passthrough: null,
  })
})

test('a new provider whose caller leaves does what its family does, unless told otherwise', () => {
  const draft = draftOf(null, KINDS)
  assert.deepEqual([callerLeftOf(draft, KINDS), bodyOf(draft, KINDS).on_caller_left], ['drain', undefined])
  const reported = { ...draft, onCallerLeft: 'abort' } as const
  assert.deepEqual([callerLeftOf(reported, KINDS), bodyOf(reported, KINDS).on_caller_left], ['abort', 'abort'])
  assert.equal(callerLeftOf({ ...draft, family: '' }, KINDS), 'abort')
})

test('a family and a preset say how settings are typed and where a provider is', () => {
  assert.deepEqual(
    settingFields(KINDS, 'wire').map(({ name, kind, values }) => [name, kind, ...values]),
    [
      ['region', 'text'],
      ['mode', 'choice', 'fast', 'exact'],
      ['lists', 'choice', 'true', 'false'],
      ['most', 'number'],
      ['renames', 'json'],
    ],
  )
  assert.equal(knownAddress(KINDS, 'wire', null), null)
  const [wire] = KINDS.families
  const families = [{ ...wire!, is_address_known: true }]
  const presets = [{ name: 'yours', title: '', hint: '', family: 'wire', base_url: null }]
  assert.equal(knownAddress({ families, presets }, 'wire', null), '')
  assert.equal(knownAddress({ families, presets }, 'wire', 'yours'), null, 'the family is no server of yours')
  assert.equal(knownAddress(KINDS, 'wire', 'vendor'), 'https://vendor.example/v1')
  assert.deepEqual(settingFields(KINDS, 'unknown'), [])
})
