import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as gateway from '../../../../src/domain/route.ts'
import { changesBetween, recognised } from './route-changes.ts'
import { hasProblems, type KnownModel, modelsOf, problemsOf, warningsOf } from './route-checks.ts'
import {
  bodyOf,
  DEFAULT_RETRIES,
  DEFAULT_TIMEOUT_MS,
  type Draft,
  draftOf,
  emptyDraft,
  MOST_PLACES,
  placesOf,
  standingOf,
  withEntry,
  withGroup,
  withJoined,
  withMoved,
  withNewEntry,
  withoutEntry,
  withSeparated,
} from './route-draft.ts'

const route = {
  alias: 'support',
  description: 'answers',
  interchangeable: false,
  compaction: 'refuse' as const,
  prompt_cache: 'auto' as const,
  shared: true,
  defaults: { temperature: 0.2 },
  cache: { ttl_seconds: 60 },
  chain: [
    { provider: 'north', model: 'a', timeout_ms: 30_000, idle_timeout_ms: 5_000, retries: 1, max_output_tokens: 800 },
    { provider: 'south', model: 'b' },
    { provider: 'north', model: 'c', defaults: { stop: ['.'] } },
  ],
}
const draft = draftOf(route)

describe('a route is edited as a draft', () => {
  test('what was read is what is put, when nothing is changed', () => {
    const { description, compaction, prompt_cache, cache, shared, defaults, chain } = route
    assert.deepEqual(bodyOf(draft), { description, compaction, prompt_cache, cache, shared, defaults, chain })
    const bare = {
      ...route,
      description: null,
      compaction: 'emulate' as const,
      prompt_cache: 'keep' as const,
      cache: null,
      shared: false,
      defaults: null,
    }
    assert.deepEqual(bodyOf(draftOf(bare)), { chain })
  })

  test('entries move, go and come, and keep their ids', () => {
    const order = (changed: Draft) => changed.chain.map(({ id }) => id)
    assert.deepEqual(order(withMoved(draft, 3, 0)), [3, 1, 2])
    assert.deepEqual(order(withMoved(draft, 1, 3)), [1, 2, 3])
    assert.deepEqual(order(withMoved(draft, 1, -1)), [1, 2, 3])
    assert.deepEqual(order(withNewEntry(withoutEntry(draft, 2))), [1, 3, 4])
  })

  test('entries share a place, and leave it', () => {
    const shared = withJoined(draft, 2)
    const order = (changed: Draft) => placesOf(changed).map((entries) => entries.map(({ id }) => id))
    assert.deepEqual(order(shared), [[1, 2], [3]])
    assert.deepEqual(order(withJoined(shared, 3)), [[1, 2, 3]])
    assert.deepEqual(order(withMoved(shared, 3, 1)), [[1, 3, 2]], 'between two that share a place')
    assert.deepEqual(order(withMoved(shared, 2, 0)), [[2, 1], [3]], 'within its place')
    assert.deepEqual(order(withMoved(shared, 1, 2)), [[2], [3], [1]], 'out of it')
    assert.deepEqual(order(withSeparated(withJoined(shared, 3), 1)), [[2, 3], [1]])
    assert.deepEqual(order(withoutEntry(shared, 1)), [[2], [3]])
    assert.equal(standingOf(shared, 2).path, 'chain[0].members[1]')
    assert.equal(standingOf(shared, 3).path, 'chain[1]')
  })

  test('a group that was read is what is put', () => {
    const chain = [
      {
        balance: 'fastest' as const,
        sticky: false,
        hedge_after_ms: 800,
        members: [
          { provider: 'north', model: 'a', weight: 3 },
          { provider: 'south', model: 'b' },
        ],
      },
      { provider: 'north', model: 'c', hedge_after_ms: 500 },
    ]
    assert.deepEqual(bodyOf(draftOf({ ...route, chain })).chain, chain)
    const edited = withGroup(draftOf({ ...route, chain }), 1, {
      sticky: true,
      balance: 'least_busy',
      hedgeAfterMs: null,
    })
    const [group] = bodyOf(edited).chain
    assert.deepEqual(group, { balance: 'least_busy', members: chain[0]?.members })
    assert.ok(gateway.RouteSchema.safeParse(bodyOf(edited)).success)
  })

  test('the defaults and bounds are those of the gateway', () => {
    assert.deepEqual([DEFAULT_TIMEOUT_MS, DEFAULT_RETRIES], [gateway.DEFAULT_TIMEOUT_MS, gateway.DEFAULT_RETRIES])
    const chain = Array.from({ length: MOST_PLACES }, () => ({ provider: 'north', model: 'a' }))
    assert.ok(gateway.RouteSchema.safeParse({ chain }).success)
    assert.ok(!gateway.RouteSchema.safeParse({ chain: [...chain, chain[0]] }).success)
  })
})

describe('what changed is said in sentences', () => {
  for (const [what, changed, sentences] of [
    ['nothing', draft, []],
    ['the description', { ...draft, description: 'other' }, ['The description changes']],
    ['an entry gone', withoutEntry(draft, 2), ['south/b is removed']],
    ['one moved to the front', withMoved(draft, 3, 0), ['north/c moves from place 3 to 1']],
    ['one moved to the end', withMoved(draft, 1, 2), ['north/a moves from place 1 to 3']],
    ['another model', withEntry(draft, 2, { model: 'd' }), ['south/b becomes south/d']],
    ['another idle timeout', withEntry(draft, 1, { idleTimeoutMs: 9_500 }), ['north/a: idle timeout 5 s → 9.5 s']],
    ['a timeout taken away', withEntry(draft, 1, { timeoutMs: null }), ['north/a: timeout 30 s → default']],
    ['retries', withEntry(draft, 2, { retries: 0 }), ['south/b: retries default → 0']],
    ['a limit', withEntry(draft, 1, { maxOutputTokens: null }), ['north/a: max output 800 → default']],
    ['a place shared', withJoined(draft, 2), ['north/a and south/b share place 1: by weight']],
    ['hedging', withEntry(draft, 2, { hedgeAfterMs: 800 }), ['south/b: hedged after never → 0.8 s']],
    ['a weight', withEntry(draft, 2, { weight: 3 }), ['south/b: weight 1 → 3']],
    ['an entry to fill in', withNewEntry(draft), ['An entry is added at place 4']],
  ] as const) {
    test(what, () => assert.deepEqual(changesBetween(draft, changed), sentences))
  }

  test('how a place is shared, and that it is not any more', () => {
    const shared = withJoined(draft, 2)
    assert.deepEqual(changesBetween(shared, withGroup(shared, 1, { balance: 'fastest', sticky: false })), [
      'north/a and south/b share place 1: fastest first, ignoring sessions',
    ])
    assert.deepEqual(changesBetween(shared, withSeparated(shared, 2)), [
      'north/a has place 1 alone',
      'south/b has place 2 alone',
    ])
    assert.deepEqual(changesBetween(shared, withMoved(shared, 2, 0)), ['north/a moves within place 1'])
  })

  test("somebody else's version is compared by what its entries are", () => {
    const theirs = draftOf({
      ...route,
      chain: [
        { provider: 'south', model: 'b' },
        { provider: 'x', model: 'y' },
      ],
    })
    assert.deepEqual(changesBetween(draft, recognised(draft, theirs)), [
      'north/a is removed',
      'north/c is removed',
      'x/y is added at place 2',
    ])
  })
})

describe('a draft is checked before the gateway is asked', () => {
  test('an alias that the gateway takes has no problem, one that it refuses has', () => {
    for (const alias of [
      'a',
      'team/fast:1.2_x-y',
      'x'.repeat(256),
      '',
      '-a',
      'a b',
      ' a',
      'a*',
      'a\u200b',
      'x'.repeat(257),
      'ä',
    ]) {
      const problem = problemsOf({ ...draft, alias }, new Set()).alias
      assert.equal(problem === undefined, gateway.Alias.safeParse(alias).success, alias)
    }
  })

  test('an alias that is taken, an entry without provider or model', () => {
    assert.match(problemsOf(draft, new Set(['support'])).alias ?? '', /already/)
    const empty = problemsOf(emptyDraft('new'), new Set())
    assert.deepEqual(Object.keys(empty.entries.get(1) ?? {}), ['provider', 'model'])
    assert.ok(hasProblems(empty) && !hasProblems(problemsOf(draft, new Set())))
  })

  const known: KnownModel = {
    model: 'a',
    mode: 'chat',
    input_per_mtok: '1',
    cached_input_per_mtok: null,
    output_per_mtok: '2',
    context_window: 1000,
    max_output_tokens: 100,
    deprecated: false,
    shutdown_date: null,
  }
  const first = draft.chain[0]!
  for (const [what, more, expected] of [
    ['known and priced', {}, []],
    ['unpriced', { output_per_mtok: null }, [/No price is set/]],
    ['not in the registry', { mode: null }, [/Not in the registry/]],
    ['no chat model', { mode: 'embedding' }, [/mode is embedding/]],
    ['ending', { deprecated: true, shutdown_date: '2026-12-01' }, [/shuts down on 2026-12-01/]],
    ['deprecated', { deprecated: true }, [/no shutdown date/]],
  ] as const) {
    test(`a model that is ${what}`, () => {
      const warnings = warningsOf(first, draft, { ...known, ...more })
      assert.equal(warnings.length, expected.length)
      for (const [index, pattern] of expected.entries()) assert.match(warnings[index]!, pattern)
    })
  }

  test('the same entry twice is worth a word at the second, an unfinished one is not', () => {
    const twice = withEntry(draft, 3, { model: 'a' })
    assert.match(warningsOf(twice.chain[2]!, twice, known).join(), /Same as entry 1/)
    assert.deepEqual(warningsOf(twice.chain[0]!, twice, known), [])
    const unfinished = withNewEntry(draft)
    assert.deepEqual(warningsOf(unfinished.chain[3]!, unfinished, undefined), [])
  })

  test("a provider's models are the registry's, their other ids, and those it listed itself", () => {
    const listed = (provider: string, model: string, mode: string | null) =>
      ({ kind: 'direct', chain: [{ ...known, provider, model, mode }] }) as never
    const models = modelsOf(
      'north',
      [{ ...known, aliases: ['a-2026'] }],
      [listed('north', 'a-2026', null), listed('north', 'z', null), listed('south', 'b', 'chat')],
    )
    assert.deepEqual([...models.keys()].sort(), ['a', 'a-2026', 'z'])
    assert.equal(models.get('a-2026')?.mode, 'chat')
  })
})
