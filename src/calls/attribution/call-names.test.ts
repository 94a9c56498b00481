import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { NO_ATTRIBUTION } from '../../domain/attribution.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { namesInHeaders, type SessionRoots } from '../../endpoints/call-names.ts'
import { attributedTo } from './attributed-to.ts'
import { KnownRoots } from './session-roots.ts'

const snapshot = { valuesByHash: new Map(), providers: new Map() } as unknown as Snapshot

/** [session, agent, parent, kind, project] of a call with these headers. */
function placeOf(headers: Record<string, string>, roots: SessionRoots = new KnownRoots(), key = 'key') {
  const named = namesInHeaders({ header: (name) => headers[name] }, roots, key)
  const { session, agent, parent, kind, project } = attributedTo(named, NO_ATTRIBUTION, snapshot)
  return [session, agent, parent, kind, project]
}

describe('what agents send', () => {
  const turn = (kind: string) => ({
    'x-codex-turn-metadata': JSON.stringify({ workspaces: { '/home/ada': {} }, request_kind: kind }),
  })
  const codex = { 'session-id': 'root', 'thread-id': 'root' }
  for (const [name, headers, expected] of [
    ['nothing', {}, [null, null, null, null, null]],
    ['Claude Code, main', { 'x-claude-code-session-id': 's' }, ['s', null, null, 'main', null]],
    [
      'Claude Code, a sub-agent of the first level',
      { 'x-claude-code-session-id': 's', 'x-claude-code-agent-id': 'a' },
      ['s', 'a', 's', 'subagent', null],
    ],
    [
      'Claude Code, a sub-agent of a sub-agent',
      { 'x-claude-code-session-id': 's', 'x-claude-code-agent-id': 'b', 'x-claude-code-parent-agent-id': 'a' },
      ['s', 'b', 'a', 'subagent', null],
    ],
    [
      'Claude Code with hints, an answer on the side',
      { 'x-claude-code-session-id': 's', 'x-claude-code-request-class': 'side_reply' },
      ['s', null, null, 'auxiliary', null],
    ],
    ['Codex, main', { ...codex, ...turn('turn') }, ['root', null, null, 'main', null]],
    ['Codex, compaction', { ...codex, ...turn('compaction') }, ['root', null, null, 'compaction', null]],
    ['Codex, warm-up', { ...codex, ...turn('prewarm') }, ['root', null, null, 'prewarm', null]],
    [
      'Codex, a sub-agent',
      {
        ...codex,
        ...{ 'thread-id': 'child', 'x-codex-parent-thread-id': 'root', 'x-openai-subagent': 'collab_spawn' },
        ...turn('turn'),
      },
      ['root', 'child', 'root', 'subagent', null],
    ],
    ['a thread alone is no session', { 'thread-id': 't' }, [null, null, null, null, null]],
    [
      'OpenCode, a sub-agent with a session of its own',
      { 'x-session-id': 'child', 'x-parent-session-id': 'root', 'x-opencode-project': 'atlas' },
      ['root', 'child', 'root', 'subagent', 'atlas'],
    ],
    [
      'ours win, name by name',
      {
        'x-claude-code-session-id': 's',
        'x-claude-code-agent-id': 'a',
        'x-gateway-session': 'run',
        'x-gateway-kind': 'title',
      },
      ['run', 'a', 'run', 'title', null],
    ],
    [
      'any client, by ours alone',
      { 'x-gateway-session': 's', 'x-gateway-agent': 'a', 'x-gateway-parent': 'p', 'x-gateway-project': 'atlas' },
      ['s', 'a', 'p', 'subagent', 'atlas'],
    ],
    [
      'a kind that does not exist, and one that every object has',
      {
        'x-gateway-session': 's',
        'x-gateway-kind': 'constructor',
        'x-claude-code-session-id': 's',
        ...{ 'x-claude-code-request-class': 'none' },
      },
      ['s', null, null, 'main', null],
    ],
    [
      'an agent that is its own parent',
      { 'x-gateway-session': 's', 'x-gateway-agent': 'a', 'x-gateway-parent': 'a' },
      ['s', 'a', 's', 'subagent', null],
    ],
    ['an agent without a session', { 'x-gateway-agent': 'a' }, [null, 'a', null, 'subagent', null]],
    [
      'a session that started itself',
      { 'x-session-id': 's', 'x-parent-session-id': 's' },
      ['s', null, null, 'main', null],
    ],
  ] satisfies [string, Record<string, string>, unknown[]][]) {
    test(name, () => assert.deepEqual(placeOf(headers), expected))
  }
})

describe('sessions that start sessions', () => {
  const started = (session: string, parent: string) => ({ 'x-session-id': session, 'x-parent-session-id': parent })

  test('have one root, however deep', () => {
    const roots = new KnownRoots()
    assert.deepEqual(placeOf(started('b', 'a'), roots).slice(0, 3), ['a', 'b', 'a'])
    assert.deepEqual(placeOf(started('c', 'b'), roots).slice(0, 3), ['a', 'c', 'b'])
    assert.deepEqual(placeOf(started('d', 'c'), roots).slice(0, 3), ['a', 'd', 'c'])
  })

  test('of another key mean nothing', () => {
    const roots = new KnownRoots()
    placeOf(started('b', 'a'), roots, 'one')
    assert.deepEqual(placeOf(started('c', 'b'), roots, 'other').slice(0, 3), ['b', 'c', 'b'])
  })

  test('in a circle end', () => {
    const roots = new KnownRoots()
    placeOf(started('b', 'a'), roots)
    assert.deepEqual(placeOf(started('a', 'b'), roots).slice(0, 3), ['b', 'a', 'b'])
  })

  test('are forgotten, those not seen for longest first, before there are too many', () => {
    const roots = new KnownRoots()
    placeOf(started('old', 'a'), roots)
    placeOf(started('used', 'a'), roots)
    for (let n = 0; n < 9_998; n++) placeOf(started(`s${n}`, 'a'), roots)
    placeOf(started('used', 'a'), roots)
    placeOf(started('one more', 'a'), roots)
    assert.equal(placeOf(started('x', 'used'), roots)[0], 'a')
    assert.equal(placeOf(started('y', 'old'), roots)[0], 'old')
  })
})
