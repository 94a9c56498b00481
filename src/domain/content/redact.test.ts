import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { SecretFinder } from './find-secrets.ts'
import { Redactor } from './redact.ts'
import { builtinRule } from './redactions.ts'
import { REDACTIONS } from './settings.ts'

const redactor = () => new Redactor(REDACTIONS.map(builtinRule))
const redact = (text: string) => redactor().text(text)

describe('what is redacted', () => {
  for (const [name, text, left] of [
    ['email', 'write to bob.smith+x@mail.example.com now', 'write to [redacted:email] now'],
    ['email', 'a@b.example,c@d.example@e.example', '[redacted:email],[redacted:email]@e.example'],
    ['email', `${'x'.repeat(80)}@b.example`, `${'x'.repeat(16)}[redacted:email]`],
    ['card', 'pay with 4111 1111 1111 1111, please', 'pay with [redacted:card], please'],
    ['card', 'pay with 4111-1111-1111-1111.', 'pay with [redacted:card].'],
    ['iban', 'to DE89 3704 0044 0532 0130 00 today', 'to [redacted:iban] today'],
    ['phone', 'call +49 (30) 901820-0 or', 'call [redacted:phone] or'],
    ['ip', 'from 192.168.10.4 and 2001:db8:0:1:1:1:1:1', 'from [redacted:ip] and [redacted:ip]'],
    ['secret', 'key sk-proj-abcdefghijklmnop1234 end', 'key [redacted:secret] end'],
    ['secret', 'aws AKIAIOSFODNN7EXAMPLE end', 'aws [redacted:secret] end'],
    ['secret', 'Authorization: Bearer abcdef0123456789abcdef', 'Authorization: [redacted:secret]'],
    ['secret', 'a gw_live_test0000000000000000 b', 'a [redacted:secret] b'],
    ['secret', 'x -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- y', 'x [redacted:secret] y'],
    ['secret', `t eyJhbGciOiJIUzI1NiJ9.${'a'.repeat(40)}.${'b'.repeat(43)} u`, 't [redacted:secret] u'],
    ['secret', 'xsk-proj-abcdefghijklmnop1234 end', 'x[redacted:secret] end'],
    ['secret', 'MY_KEY_sk-proj-abcdefghijklmnop1234', 'MY_KEY_[redacted:secret]'],
    ['secret', '7ghp_abcdefghijklmnopqrstuvwxyz0123456789', '7[redacted:secret]'],
    ['secret', 'idAKIAIOSFODNN7EXAMPLE', 'id[redacted:secret]'],
    ['secret', 'key_AKIAIOSFODNN7EXAMPLE_', 'key_[redacted:secret]_'],
    ['secret', `keyAIza${'Sy0'.repeat(12)} end`, 'key[redacted:secret] end'],
    ['secret', `t_eyJhbGciOiJIUzI1NiJ9.${'a'.repeat(40)}.${'b'.repeat(43)} u`, 't_[redacted:secret] u'],
    ['secret', 'xBearer abcdef0123456789abcdef== y', 'x[redacted:secret] y'],
    ['secret', `sk-${'a1'.repeat(5_000)} z`, '[redacted:secret] z'],
    ['secret', `eyJeyJ eyJhbGciOiJIUzI1NiJ9.${'a'.repeat(40)}. u`, 'eyJeyJ [redacted:secret] u'],
    ['card', 'card_4111111111111111x', 'card_[redacted:card]x'],
  ] as const) {
    test(`${name}: ${text.slice(0, 30)}`, () => assert.equal(redact(text), left))
  }
})

describe('what stays', () => {
  for (const text of [
    'order 4111111111111112 is late',
    'GB82 WEST 1234 5698 7654 33',
    'version 1.2.3, 12:30:45 o’clock',
    'sk-short',
    'see @bob and x@y',
    '00 apples',
    'the risk-management-of-large-organisations, a task_with_many_more_words',
    'user_pk_constraint_of_a_table_2024, disk-configuration2024',
    'EURASIANCOOPERATIONORGANISATION, ASIANCOOPERATIONS',
    'eyJust a word.and another one.too',
    'a forbearer responsibilities-and-duties',
  ]) {
    test(text, () => assert.equal(redact(text), text))
  }
})

test('texts are redacted wherever they are in a JSON value: names, lists, numbers and JSON within texts', () => {
  const one = redactor()
  const value = {
    'a@b.example': [{ deep: ['x', 'c@d.example'] }],
    card: 4111111111111111,
    small: 17,
    tool: JSON.stringify({ to: 'line\ne@f.example' }),
    none: null,
    is: true,
  }
  assert.deepEqual(one.value(value), {
    '[redacted:email]': [{ deep: ['x', '[redacted:email]'] }],
    card: '[redacted:card]',
    small: 17,
    tool: JSON.stringify({ to: 'line\n[redacted:email]' }),
    none: null,
    is: true,
  })
  assert.deepEqual(one.counts, { email: 3, card: 1 })
})

test('JSON within a text stays as it was written where nothing is found', () => {
  assert.equal(redactor().value('{ "a" :  1 }'), '{ "a" :  1 }')
})

test('redaction looks at every character a bounded number of times', () => {
  const fragment = fc.constantFrom(
    ...[
      'eyJ',
      'eyJ-',
      'sk-',
      'ask-',
      '_sk_',
      'AKIA',
      'xAKIA0',
      'AIza',
      'Bearer ',
      'xbearer x',
      '.',
      '-',
      '_',
      '=',
      ' ',
    ],
    ...['a', '0', 'a1', '-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----', '-----BEGIN ', 'x'.repeat(19)],
  )
  fc.assert(
    fc.property(fc.array(fragment, { minLength: 1, maxLength: 6 }), fc.array(fragment), (repeated, end) => {
      const text = repeated.join('').repeat(2_000) + end.join('')
      const finder = new SecretFinder(text)
      finder.replace(() => '')
      assert.ok(finder.steps <= 8 * text.length + 8, `${finder.steps} steps for ${text.length} characters`)
    }),
  )
})
