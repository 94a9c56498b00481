import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NO_VERDICT, verdictOf } from './verdict.ts'

const ALLOWED = { action: 'allow', body: null, model: null, tags: null, restore: null }

for (const [answer, expected] of [
  [{ action: 'allow' }, ALLOWED],
  [{ action: 'allow', body: null, extra: 1 }, ALLOWED],
  [
    { action: 'allow', body: { a: 1 }, model: 'm' },
    { ...ALLOWED, body: { a: 1 }, model: 'm' },
  ],
  [
    { action: 'allow', tags: { team: 'x' }, restore: { '[A]': '' } },
    { ...ALLOWED, tags: { team: 'x' }, restore: { '[A]': '' } },
  ],
  [
    { action: 'block', message: 'x'.repeat(501), reason: 'off_topic' },
    { action: 'block', message: 'x'.repeat(500), reason: 'off_topic' },
  ],
  [
    { action: 'block', message: '', reason: 'two words' },
    { action: 'block', message: null, reason: null },
  ],
  [null, NO_VERDICT],
  [[], NO_VERDICT],
  [{ action: 'rewrite' }, NO_VERDICT],
  [{ action: 'allow', body: 'SECRET' }, 'its body is no JSON object'],
  [{ action: 'allow', body: ['SECRET'] }, 'its body is no JSON object'],
  [{ action: 'allow', model: '' }, 'its model is no name'],
  [{ action: 'allow', model: 'x'.repeat(513) }, 'its model is no name'],
  [{ action: 'allow', tags: 'SECRET' }, 'its tags are no JSON object'],
  [{ action: 'allow', restore: ['SECRET'] }, 'its restore is no JSON object'],
  [
    { action: 'allow', restore: Object.fromEntries(Array.from({ length: 1001 }, (_, at) => [`[E_${at}]`, ''])) },
    'its restore has 1001 placeholders; 1000 are allowed',
  ],
  [
    { action: 'allow', restore: { ab: 'SECRET' } },
    'a placeholder in its restore has 2 characters; 3 to 100 are allowed',
  ],
  [{ action: 'allow', restore: { '[A]': 1 } }, 'a value in its restore is no text'],
  [
    { action: 'allow', restore: { '[A]': 'x'.repeat(4001) } },
    'a value in its restore has 4001 characters; 4000 are allowed',
  ],
] as const) {
  test(`${JSON.stringify(answer).slice(0, 80)} → ${JSON.stringify(expected).slice(0, 80)}`, () => {
    assert.deepEqual(verdictOf(answer), expected)
  })
}
