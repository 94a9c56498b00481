import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeRecord } from '../../../test/test-store.ts'
import { NO_USAGE } from '../../domain/pricing/usage.ts'
import type { CloseRecord } from '../record.ts'
import { closeLine, readClose, SPOOLED_FIELDS } from '../spool/record-lines.ts'
import { findSpending } from './find-spending.ts'

const LIKE_A_COST = '","key-2",null,null,null,1,null,"9999999"'
const LIKE_ITS_END = '},null,7,null,"9999999",['

const CALLS: Record<string, Partial<CloseRecord>> = {
  'an answered call': {},
  'one with all that there can be': {
    ...{ usage: { ...NO_USAGE, input: 11, output: 15 }, idempotencyKey: 'once', bodyHash: 'abc', user: 'anna' },
    ...{ holdPicodollars: '123456789012345678901', holdTokens: 4_096, tags: { team: 'a', of: 'b' }, fallback: true },
    ...{ costPicodollars: '123456789012345678901', ignoredParams: ['seed'], code: 'rate_limited', streamed: true },
  },
  'one without a cost': { costPicodollars: null },
  'texts that need an escape': { requestedModel: 'a "model"\n', idempotencyKey: 'tab\there \\', keyId: 'key "1"' },
  'texts of other languages': { requestedModel: 'größe, 模型', idempotencyKey: 'schlüssel, 1', workspace: 'büro' },
  'a text that looks like the rest of a line': { requestedModel: LIKE_A_COST, session: LIKE_ITS_END },
  'a tag that looks like the rest of a line': { tags: { [LIKE_ITS_END]: LIKE_A_COST, b: LIKE_ITS_END } },
}

/** What the whole line says. */
function read(text: string) {
  const { values } = readClose(text)
  const of = (name: string) => values[SPOOLED_FIELDS.findIndex((field) => field.name === name)]
  return [of('workspace'), of('keyId'), of('startedAt'), of('idempotencyKey'), of('costPicodollars')]
}

function found(text: string) {
  const { payer, startedAt, idempotencyKey, cost } = findSpending(text)
  return [...JSON.parse(`[${payer}]`), startedAt, JSON.parse(idempotencyKey), JSON.parse(cost)]
}

for (const [name, change] of Object.entries(CALLS)) {
  test(`of ${name} what it has cost is found as it is read`, () => {
    const text = closeLine(closeRecord('chatcmpl_1', change))
    assert.deepEqual(found(text), read(text))
  })
}

test('a line of an earlier version is read in its own layout', () => {
  const fields = SPOOLED_FIELDS.filter(({ since = 1 }) => since === 1)
  const values = fields.map(({ name }, place) => (name === 'costPicodollars' ? '77' : name === 'startedAt' ? 5 : place))
  const text = `c${JSON.stringify(values)}\t[]`
  assert.deepEqual(found(text).at(-1), '77')
  assert.deepEqual(found(text), read(text))
})

test('a line that cannot be read is not guessed at', () => {
  assert.throws(() => findSpending('c4["chatcmpl_1","default"'))
  assert.throws(() => findSpending('c99["chatcmpl_1"]\t[]'), /a later version wrote this line/)
})
