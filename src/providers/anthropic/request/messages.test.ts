import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  ignoredOf,
  messagesOf,
  mistakeOf,
  refusalOf,
  USER,
  wireOf,
} from '../../../../test/fixtures/anthropic/translate.ts'
import type { JsonObject } from '../../../domain/request/call-request.ts'

const text = (value: string) => ({ type: 'text', text: value })
const system = (content: unknown, more: JsonObject = {}) => ({ role: 'system', content, ...more })
const user = (content: unknown, more: JsonObject = {}) => ({ role: 'user', content, ...more })
const assistant = (content: unknown, more: JsonObject = {}) => ({ role: 'assistant', content, ...more })
const EPHEMERAL = { type: 'ephemeral' }

describe('system and developer messages', () => {
  const cases: [string, JsonObject[], unknown][] = [
    ['one string stays a string', [system('A'), USER], 'A'],
    [
      'strings are joined by a line feed, wherever they stand',
      [system('A'), USER, { role: 'developer', content: 'B' }],
      'A\nB',
    ],
    ['blank texts are skipped', [system(' \n'), system(''), system('A'), USER], 'A'],
    ['nothing left leaves the field out', [system(' '), USER], undefined],
    [
      'parts make it a list of blocks, one per message or part',
      [system('A'), system([text('B'), text(' '), text('C')]), USER],
      [text('A'), text('B'), text('C')],
    ],
    [
      'a cache marker makes it a list of blocks',
      [system('A', { cache_control: EPHEMERAL }), system('B'), USER],
      [{ ...text('A'), cache_control: EPHEMERAL }, text('B')],
    ],
    [
      'a message-level marker lands on the last block',
      [system([text('A'), text('B')], { cache_control: { type: 'ephemeral', ttl: '1h' } }), USER],
      [text('A'), { ...text('B'), cache_control: { type: 'ephemeral', ttl: '1h' } }],
    ],
  ]
  for (const [title, messages, expected] of cases) {
    test(title, () => assert.deepEqual(wireOf({ messages })['system'], expected))
  }

  for (const type of ['image_url', 'input_audio', 'refusal', 'constructor']) {
    test(`a part of type ${type} in a system message is the caller's mistake`, () => {
      const part = { type, image_url: { url: 'http://x' }, refusal: 'no' }
      assert.match(mistakeOf({ messages: [USER, system([text('A'), part])] }), /^messages\[1\]\.content\[1\]\.type/)
    })
  }

  test('nothing but system messages becomes one user message', () => {
    const body = wireOf({ messages: [system('A'), { role: 'developer', content: 'B' }] })
    assert.deepEqual(body['messages'], [{ role: 'user', content: 'A\nB' }])
    assert.equal('system' in body, false)
    assert.deepEqual(messagesOf(system([text('A')]), assistant('')), [{ role: 'user', content: [text('A')] }])
  })

  test('nothing but blank messages is the caller’s mistake', () => {
    assert.match(mistakeOf({ messages: [system(' ')] }), /^messages/)
    assert.match(mistakeOf({ messages: [assistant(null)] }), /^messages/)
  })
})

describe('turns', () => {
  const cases: [string, JsonObject[], unknown][] = [
    ['plain strings stay strings', [user('a'), assistant('b'), user('c')], [user('a'), assistant('b'), user('c')]],
    [
      'neighbours of one role merge as blocks',
      [user('a'), user([text('b')]), assistant('c'), assistant('d'), user('e')],
      [user([text('a'), text('b')]), assistant([text('c'), text('d')]), user('e')],
    ],
    [
      'a system message between two users does not part them',
      [user('a'), system('s'), user('b')],
      [user([text('a'), text('b')])],
    ],
    ['empty text parts are dropped', [user([text(''), text('a')])], [user([text('a')])]],
    [
      'whitespace beside text is kept',
      [user([text('a'), text(' '), text('b')])],
      [user([text('a'), text(' '), text('b')])],
    ],
    ['an empty assistant message is dropped', [user('a'), assistant(''), user('b')], [user([text('a'), text('b')])]],
    [
      'so is one of null or of blank parts',
      [user('a'), assistant(null), assistant([text(' ')]), assistant([]), user('b')],
      [user([text('a'), text('b')])],
    ],
    [
      'an empty user message is absorbed by the one before',
      [user('a'), user(' '), assistant('b'), user('c')],
      [user('a'), assistant('b'), user('c')],
    ],
    ['or by the one after', [assistant('x'), user([text('  ')]), user('b')], [assistant('x'), user('b')]],
    [
      'a refusal string becomes text',
      [user('a'), assistant(null, { refusal: 'No.' }), user('b')],
      [user('a'), assistant([text('No.')]), user('b')],
    ],
    [
      'a refusal part becomes text',
      [user('a'), assistant([{ type: 'refusal', refusal: 'No.' }]), user('b')],
      [user('a'), assistant([text('No.')]), user('b')],
    ],
    [
      'nulls in messages equal absent keys',
      [
        user('a', { name: null, cache_control: null }),
        assistant('b', { refusal: null, tool_calls: null, function_call: null, audio: null }),
        user('c'),
      ],
      [user('a'), assistant('b'), user('c')],
    ],
  ]
  for (const [title, messages, expected] of cases) {
    test(title, () => assert.deepEqual(messagesOf(...messages), expected))
  }

  for (const [title, messages, path] of [
    ['at the end', [user('a'), assistant('b'), user('')], 'messages[2]:'],
    ['between assistant messages', [assistant('a'), user([text(' ')]), assistant('b'), user('c')], 'messages[1]:'],
    ['at the start', [user(null), assistant('b'), user('c')], 'messages[0]:'],
  ] as const) {
    test(`an empty user message without a neighbour to absorb it is the caller's mistake: ${title}`, () => {
      assert.ok(mistakeOf({ messages }).startsWith(path))
    })
  }

  test('assistant audio is refused', () => {
    assert.match(refusalOf({ messages: [USER, assistant(null, { audio: { id: 'x' } })] }), /^messages\[1\]\.audio/)
  })

  test('names are reported and never put into the text', () => {
    const messages = [system('s', { name: 'x' }), user('a', { name: 'ann' }), assistant('b', { name: 'bot' }), USER]
    assert.deepEqual(ignoredOf({ messages }), ['name'])
    assert.equal(JSON.stringify(wireOf({ messages })).includes('ann'), false)
  })
})

describe('an assistant message at the end is sent as a prefill', () => {
  for (const [title, content, expected] of [
    ['without its trailing whitespace', 'The answer: \n', 'The answer:'],
    ['also in its last text part', [text('a '), text('b ')], [text('a '), text('b')]],
    ['dropping a last part that is only whitespace', [text('a '), text(' ')], [text('a')]],
  ] as const) {
    test(title, () => assert.deepEqual(messagesOf(USER, assistant(content)), [USER, assistant(expected)]))
  }
})

describe('cache markers', () => {
  const marked = (value: string, ttl?: string) => ({
    ...text(value),
    cache_control: ttl === undefined ? EPHEMERAL : { type: 'ephemeral', ttl },
  })

  const cases: [string, JsonObject[], unknown][] = [
    ['cache_control on a part is copied', [user([marked('a', '5m')])], [user([marked('a', '5m')])]],
    [
      'cache_control on a message turns its string into a block',
      [user('a', { cache_control: EPHEMERAL })],
      [user([marked('a')])],
    ],
    [
      'and lands on the last block that is not blank',
      [user([text('a'), text('b'), text(' ')], { cache_control: EPHEMERAL })],
      [user([text('a'), marked('b'), text(' ')])],
    ],
    ['a marker on blank text is dropped', [user([text('a'), marked(' ')])], [user([text('a'), text(' ')])]],
    [
      'a null ttl is left out',
      [user([{ ...text('a'), cache_control: { type: 'ephemeral', ttl: null } }])],
      [user([marked('a')])],
    ],
    [
      'an explicit breakpoint becomes the 1-hour lifetime',
      [user([{ ...text('a'), prompt_cache_breakpoint: { mode: 'explicit', ttl: '30m' } }])],
      [user([marked('a', '1h')])],
    ],
  ]
  for (const [title, messages, expected] of cases) {
    test(title, () => assert.deepEqual(messagesOf(...messages), expected))
  }

  test('the fifth marker and an unknown kind of breakpoint are dropped and reported', () => {
    const five = { messages: [user(['a', 'b', 'c', 'd', 'e'].map((value) => marked(value)))] }
    assert.equal(JSON.stringify(wireOf(five)).split('cache_control').length - 1, 4)
    assert.deepEqual(ignoredOf(five), ['cache_control'])
    const odd = { messages: [user([{ ...text('a'), prompt_cache_breakpoint: { mode: 'auto' } }])] }
    assert.deepEqual(ignoredOf(odd), ['prompt_cache_breakpoint'])
  })
})

describe('odd messages are named by their path', () => {
  for (const [messages, path] of [
    [[null], 'messages[0]:'],
    [[{ role: 'wizard', content: 'x' }], 'messages[0].role'],
    [[USER, user(5)], 'messages[1].content'],
    [[user(['x'])], 'messages[0].content[0]:'],
    [[user([{ type: 'text' }])], 'messages[0].content[0].text'],
    [[user([{ text: 'x' }])], 'messages[0].content[0].type'],
    [[USER, assistant([{ type: 'refusal' }])], 'messages[1].content[0].refusal'],
    [[USER, assistant(null, { refusal: 5 })], 'messages[1].refusal'],
    [[user([{ type: 'text', text: 'x', cache_control: 'yes' }])], 'messages[0].content[0].cache_control'],
  ] as const) {
    test(path, () => assert.ok(mistakeOf({ messages }).startsWith(path), mistakeOf({ messages })))
  }
})
