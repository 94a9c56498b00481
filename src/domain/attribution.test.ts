import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { attributionOf, cleanName, cleanTags, NO_ATTRIBUTION } from './attribution.ts'

const HASH = 'a1'.repeat(32)
const ACCOUNT = '5f2c1d3e-0000-4000-8000-000000000001'
const SESSION = '0b7e9a52-1111-4111-8111-000000000002'

describe('a user or a session that a caller named', () => {
  for (const [name, value, stored] of [
    ['a plain name', 'ada', 'ada'],
    ['an address', 'ada@example.com', 'ada@example.com'],
    ['spaces around it', '  ada  ', 'ada'],
    ['control and format characters', 'a\u0000d\u001b[31ma\u200b\u202e\n', 'ad[31ma'],
    ['a line separator', 'ada\u2028x', 'adax'],
    ['half of a character', 'ada\ud83d', 'ada'],
    ['exactly as long as is kept', 'x'.repeat(128), 'x'.repeat(128)],
    ['longer than is kept', `${'x'.repeat(127)}😀y`, `${'x'.repeat(127)}😀`],
    ['nothing', '', null],
    ['nothing visible', ' \u0000\u200b ', null],
    ['a number', 7, null],
    ['an object', { id: 'ada' }, null],
    ['absent', undefined, null],
    ['a gateway key', 'gw_live_0123456789abcdef', null],
    ['a provider key within a text', 'ada sk-proj-0123456789', null],
    ['a header', 'Bearer abc', null],
    ['a key that is torn apart by what is removed', 'sk-\u0000proj-0123456789', null],
    ['a key at the edge of what is kept', `${'x '.repeat(62)}sk-0123456789`, null],
    ['a signed token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', null],
    ['a token of a code host', `ghp_${'a1'.repeat(18)}`, null],
    ['a key of a cloud', 'AKIAIOSFODNN7EXAMPLE', null],
  ] as const) {
    test(`${name}: ${stored === null ? 'not stored' : 'stored'}`, () => assert.equal(cleanName(value), stored))
  }
})

describe('tags', () => {
  for (const [name, metadata, stored] of [
    ['pairs of texts', { team: 'search', ticket: 'A-1' }, { team: 'search', ticket: 'A-1' }],
    ['other values are dropped', { team: 'search', n: 1, flag: true, none: null, list: ['a'] }, { team: 'search' }],
    [
      'a name or a value that is too long is dropped, not cut',
      { ['n'.repeat(65)]: 'x', long: 'v'.repeat(65), ok: 'v'.repeat(64) },
      { ok: 'v'.repeat(64) },
    ],
    ['what cannot be seen, and secrets, are dropped', { a: 'x\ny', 'b\u0000': 'x', c: 'sk-0123456789', d: '' }, {}],
    [
      'the first eight',
      Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`t${index}`, 'x'])),
      Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`t${index}`, 'x'])),
    ],
    ['a list is none', ['a'], {}],
    ['a text is none', 'team', {}],
    ['absent', undefined, {}],
  ] as const) {
    test(name, () => assert.deepEqual(cleanTags(metadata), stored))
  }

  test('a name that JavaScript knows is a name like others', () => {
    const tags = cleanTags(JSON.parse('{"__proto__": "x", "constructor": "y"}'))
    assert.equal(JSON.stringify(tags), '{"__proto__":"x","constructor":"y"}')
  })
})

describe('a user that has the session in it', () => {
  const composite = `user_${HASH}_account_${ACCOUNT}_session_${SESSION}`
  for (const [name, user, expected] of [
    ['joined', composite, { user: `user_${HASH}_account_${ACCOUNT}`, session: SESSION }],
    [
      'joined, no account',
      `user_${HASH}_account__session_${SESSION}`,
      { user: `user_${HASH}_account_`, session: SESSION },
    ],
    [
      'JSON',
      JSON.stringify({ device_id: HASH, account_uuid: ACCOUNT, session_id: SESSION }),
      { user: ACCOUNT, session: SESSION },
    ],
    [
      'JSON without an account',
      JSON.stringify({ device_id: HASH, account_uuid: '', session_id: SESSION }),
      { user: HASH, session: SESSION },
    ],
    ['JSON with a session alone', JSON.stringify({ session_id: SESSION }), { user: null, session: SESSION }],
    ['other JSON is a name like others', '{"a":1}', { user: '{"a":1}', session: null }],
    ['no JSON after all', '{ada', { user: '{ada', session: null }],
    ['a plain name', 'ada_session', { user: 'ada_session', session: null }],
    ['none', null, { user: null, session: null }],
  ] as const) {
    test(name, () => assert.deepEqual(attributionOf(user, null), { ...NO_ATTRIBUTION, ...expected }))
  }
})
