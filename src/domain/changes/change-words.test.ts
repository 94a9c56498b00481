import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { changeWords } from './change-words.ts'

type Row = [before: object | null, after: object | null, words: string[]]

function table(title: string, rows: readonly Row[]): void {
  describe(title, () => {
    for (const [before, after, words] of rows) {
      test(words.join(', ') || JSON.stringify(after), () => assert.deepEqual(changeWords(before, after), words))
    }
  })
}

const entry = (model: string, more = {}) => ({ provider: 'p', model, ...more })
const chain = (...places: object[]) => ({ chain: places })
const group = (...members: object[]) => ({ balance: 'weighted', members })
const budget = (usd: string, per: string, more = {}) => ({ limits: { budget: { usd, per, mode: 'hard', ...more } } })

table('a route', [
  [chain(entry('a')), chain(entry('b')), ['Entry 1 changed from p/a to p/b']],
  [chain(entry('a')), chain(entry('a'), entry('b')), ['Entry 2 added: p/b']],
  [chain(entry('a'), entry('b')), chain(entry('b')), ['Entry 1 removed: p/a']],
  [chain(entry('a'), entry('b')), chain(entry('b'), entry('a')), ['p/a moved from position 1 to 2']],
  [chain(entry('a'), entry('b')), chain(entry('x'), entry('a'), entry('b')), ['Entry 1 added: p/x']],
  [
    chain(entry('a', { timeout_ms: 60_000, retries: 2 })),
    chain(entry('a', { timeout_ms: 120_000 })),
    ['Entry 1: timeout raised from 60 to 120 s', 'Entry 1: retries removed (was 2)'],
  ],
  [chain(entry('a')), chain(group(entry('a'), entry('b'))), ['Entry 1 changed from p/a to a group of p/a and p/b']],
  [
    chain(group(entry('a'), entry('b'))),
    chain(group(entry('a', { weight: 3 }), entry('c'))),
    [
      'Entry 1: p/b removed from the group',
      'Entry 1 (p/a): weight raised from 1 to 3',
      'Entry 1: p/c added to the group',
    ],
  ],
  [
    chain(group(entry('a'), entry('b'))),
    chain({ ...group(entry('a'), entry('b')), balance: 'fastest', sticky: false }),
    ['Entry 1: balancing changed from by weight to fastest first', 'Entry 1: sticky sessions turned off'],
  ],
  [{ cache: null }, { cache: { ttl_seconds: 300 } }, ['Caching turned on for 300 s']],
  [
    { cache: { ttl_seconds: 300 } },
    { cache: { ttl_seconds: 60, scope: 'workspace', tools: true } },
    [
      'Cache lifetime lowered from 300 to 60 s',
      'Cached answers shared by the whole workspace',
      'Caching of requests with tools turned on',
    ],
  ],
  [{ cache: { ttl_seconds: 300 } }, { cache: null }, ['Caching turned off']],
  [{ description: 'a', updated_at: '1' }, { description: 'b', updated_at: '2' }, ['Description changed']],
])

table('a key', [
  [budget('5', 'month'), budget('10', 'month'), ['Budget raised from 5 to 10 USD a month']],
  [budget('5', 'month'), budget('2.5', 'month'), ['Budget lowered from 5 to 2.5 USD a month']],
  [budget('5', 'day'), budget('50', 'month'), ['Budget changed from 5 USD a day to 50 USD a month']],
  [{ limits: null }, budget('5', 'total'), ['Budget set to 5 USD in total']],
  [budget('5', 'week'), { limits: {} }, ['Budget removed (was 5 USD a week)']],
  [budget('5', 'day'), budget('5', 'day', { mode: 'soft' }), ['Budget only warns']],
  [
    budget('5', 'day'),
    budget('5', 'day', { when_tight: 'fit' }),
    ['Calls that might exceed what is left are shortened'],
  ],
  [
    { limits: { rpm: 60 } },
    { limits: { rpm: 30, tpm: 1000 } },
    ['Requests per minute lowered from 60 to 30', 'Tokens per minute set to 1000'],
  ],
  [{ allowed_models: null }, { allowed_models: ['a', 'b'] }, ['Allowed models limited to a, b']],
  [{ allowed_models: ['a', 'b'] }, { allowed_models: ['b', 'c'] }, ['Allowed models: added c; removed a']],
  [{ allowed_models: ['a'] }, { allowed_models: null }, ['All models allowed']],
  [{ expires_at: null }, { expires_at: '2026-12-01T09:30:00.000Z' }, ['Expiry set to 2026-12-01 09:30 UTC']],
  [{ paused_at: null }, { paused_at: '2026-12-01T09:30:00.000Z' }, ['Paused']],
  [{ paused_at: '2026-12-01T09:30:00.000Z' }, { paused_at: null }, ['Resumed']],
  [{ name: 'a' }, { name: 'b' }, ['Name changed from a to b']],
])

table('a provider', [
  [{ has_api_key: false }, { has_api_key: true }, ['API key added']],
  [{ base_url: null }, { base_url: 'https://a.example/v1' }, ['Base address set to https://a.example/v1']],
  [{ headers: { a: '***' } }, { headers: { b: '***' } }, ['Header b added', 'Header a removed']],
  [{ settings: { region: 'eu' } }, { settings: { region: 'us' } }, ['Settings: region changed from eu to us']],
  [{ price_percent: 100 }, { price_percent: 150 }, ['Highest price raised from 100 to 150 % of the list price']],
])

table('a workspace', [
  [{ streaming: null }, { streaming: true }, ['Streaming turned on']],
  [{ streaming: false }, { streaming: null }, ['Streaming reset to the default']],
  [{ content: null }, { content: { retention_days: 7 } }, ['Prompts and answers stored for 7 days']],
  [
    { content: { retention_days: 7, redact: ['secret', 'card'] } },
    { content: { retention_days: 30, redact: ['secret'] } },
    ['Stored prompts and answers: retention raised from 7 to 30 days', 'Redaction: removed card'],
  ],
  [{ guardrail: null }, { guardrail: { url: 'https://a.example' } }, ['Guardrail set to https://a.example']],
  [
    { guardrail: { url: 'https://a.example', after: false, timeout_ms: 2000, on_failure: 'closed' } },
    { guardrail: { url: 'https://a.example', after: true, timeout_ms: 500, on_failure: 'open' } },
    [
      'Guardrail check of answers turned on',
      'Guardrail timeout lowered from 2 to 0.5 s',
      'Calls pass when the guardrail does not answer',
    ],
  ],
])

table('a price', [
  [
    { input_per_mtok: '2.5', price_version: 1 },
    { input_per_mtok: '3', price_version: 2 },
    ['Input price raised from 2.5 to 3 USD per million tokens'],
  ],
  [{ output_per_mtok: null }, { output_per_mtok: '8' }, ['Output price set to 8 USD per million tokens']],
  [{ managed_by: 'builtin' }, { managed_by: null }, ['Now managed here']],
])

table('anything else', [
  [{ role_from: 'invite' }, { role_from: 'admin' }, ['Role from changed from invite to admin']],
  [null, { name: 'a' }, []],
  [{ name: 'a' }, null, []],
  [{ list: [{ a: 1 }] }, { list: [{ a: 2 }] }, ['List changed from {"a":1} to {"a":2}']],
])
