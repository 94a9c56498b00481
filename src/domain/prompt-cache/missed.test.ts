import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../test/property.ts'
import { messagesPrompt } from '../../endpoints/prompt-source.ts'
import type { JsonObject } from '../request/call-request.ts'
import { type Turn, whyMissed } from './missed.ts'
import { promptSegments } from './segments.ts'

const T0 = 1_800_000_000_000
const MARKER = { cache_control: { type: 'ephemeral' } }
const tool = (name: string, description = 'does it') => ({ name, description, input_schema: { type: 'object' } })
const user = (text: string) => ({ role: 'user', content: text })
const marked = (text: string) => ({ role: 'user', content: [{ type: 'text', text, ...MARKER }] })
const FIRST = {
  tools: [tool('read'), tool('write'), tool('run')],
  system: [
    { type: 'text', text: 'Today is Monday.' },
    { type: 'text', text: 'Rules.', ...MARKER },
  ],
  messages: [marked('Hello')],
}
const SECOND = { ...FIRST, messages: [user('Hello'), { role: 'assistant', content: 'Hi' }, marked('Go on')] }

function turn(request: JsonObject, more: Partial<Turn> = {}): Turn {
  const segments = promptSegments(messagesPrompt(request), 'salt')
  const tokens = { prompt: 5_000, cached: 0, written: 4_900 }
  return { at: T0, provider: 'anthropic', model: 'claude', segments, tokens, ...more }
}

const why = (first: JsonObject, second: JsonObject, more: Partial<Turn> = {}, onlyMarked = true) =>
  whyMissed(turn(first), turn(second, { at: T0 + 10_000, ...more }), onlyMarked)

describe('why little was read from the cache', () => {
  const same = 'nothing has changed since the call before: the provider did not find it again'
  const table: [what: string, second: JsonObject, words: string][] = [
    ['the prompt only grew, and its marker moved', SECOND, same],
    [
      'a tool was added in front',
      { ...SECOND, tools: [tool('ask'), ...FIRST.tools] },
      'tool 1 of 4 (ask) was added since the call before',
    ],
    [
      'a tool was added at the end',
      { ...SECOND, tools: [...FIRST.tools, tool('ask')] },
      'tool 4 of 4 (ask) was added since the call before',
    ],
    [
      'a tool was removed',
      { ...SECOND, tools: [tool('read'), tool('run')] },
      'tool 2 of 3 (write) was removed since the call before',
    ],
    ['all were removed', { ...SECOND, tools: [] }, 'tool 1 of 3 (read) was removed since the call before'],
    [
      'two changed places',
      { ...SECOND, tools: [tool('write'), tool('read'), tool('run')] },
      'tool 1 of 3 (write) has moved since the call before',
    ],
    [
      'a description has a date',
      { ...SECOND, tools: [tool('read'), tool('write', 'as of 3 May'), tool('run')] },
      'tool 2 of 3 (write) has changed since the call before',
    ],
    [
      'a name that no provider takes is not repeated',
      { ...SECOND, tools: [tool('sk-secret value'), tool('write'), tool('run')] },
      'tool 1 of 3 (read) was removed since the call before',
    ],
    [
      'the system prompt begins with a date',
      { ...SECOND, system: [{ type: 'text', text: 'Today is Tuesday.' }, FIRST.system[1]] },
      'block 1 of 2 of the system prompt has changed since the call before',
    ],
    [
      'another choice of tool',
      { ...SECOND, tool_choice: { type: 'any' } },
      'tool_choice has changed since the call before',
    ],
    [
      'history was written again',
      { ...SECOND, messages: [user('Summary so far'), user('Go on')] },
      'message 1 of the 1 of the call before is no longer the same',
    ],
    [
      'the tools count before the messages',
      { ...SECOND, tools: [], messages: [user('Other')] },
      'tool 1 of 3 (read) was removed since the call before',
    ],
  ]
  for (const [what, second, words] of table) test(what, () => assert.equal(why(FIRST, second), words))

  test('another entry, a long pause, nothing marked', () => {
    const other = why(FIRST, SECOND, { model: 'claude-small' })
    assert.equal(other, 'the call before went to anthropic/claude, which has a cache of its own')
    const late = { at: T0 + 12 * 60_000 }
    assert.equal(why(FIRST, SECOND, late), 'nothing has changed, but the call before was 12 minutes ago')
    const long = { ...MARKER.cache_control, ttl: '1h' }
    const kept = {
      ...FIRST,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello', cache_control: long }] }],
    }
    assert.equal(why(kept, SECOND, late), same)
    const nothing = { tokens: { prompt: 5_000, cached: 0, written: 0 } }
    const unmarked = (onlyMarked: boolean) => whyMissed(turn(FIRST, nothing), turn(SECOND, nothing), onlyMarked)
    assert.match(unmarked(true) ?? '', /^nothing in the request is marked for the cache/)
    assert.equal(unmarked(false), same)
  })

  test('no word where it was read, or was too short to be kept', () => {
    const tokens = { prompt: 5_200, cached: 4_900, written: 200 }
    assert.equal(why(FIRST, { ...SECOND, tools: [] }, { tokens }), null)
    const short = { tokens: { prompt: 900, cached: 0, written: 0 } }
    assert.equal(whyMissed(turn(FIRST, short), turn({ ...SECOND, tools: [] }, short), true), null)
    // Only the system prompt is marked: that was read, and the rest was never written.
    const part = { tokens: { prompt: 90_000, cached: 0, written: 2_000 } }
    const again = { tokens: { prompt: 95_000, cached: 2_000, written: 0 } }
    assert.equal(whyMissed(turn(FIRST, part), turn(SECOND, again), true), null)
  })
})

describe('segments', () => {
  test('have nothing of the content, and differ with the salt', () => {
    const request = {
      ...SECOND,
      system: 'CANARY',
      messages: [user('CANARY')],
      tools: [tool('a', 'CANARY'), tool('CAN ARY')],
    }
    const segments = promptSegments(messagesPrompt(request), 'salt')
    assert.doesNotMatch(JSON.stringify(segments), /CAN/)
    assert.notDeepEqual(promptSegments(messagesPrompt(request), 'other').messages, segments.messages)
  })

  test('any JSON has segments, bounded, and a conversation that grows keeps those it had', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.jsonValue(), fc.jsonValue(), (messages, more, tools) => {
        const before = promptSegments(messagesPrompt({ messages, tools } as JsonObject), 's')
        const after = promptSegments(messagesPrompt({ messages: [...messages, more], tools } as JsonObject), 's')
        assert.deepEqual(after.messages.slice(0, before.messages.length), before.messages)
      }),
    )
    const many = promptSegments(
      messagesPrompt({ messages: new Array(5_000).fill('x'), tools: new Array(900).fill({}) }),
      's',
    )
    assert.deepEqual([many.messages.length, many.tools.length], [1_000, 256])
  })
})
