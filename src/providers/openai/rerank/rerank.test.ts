import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../../../test/property.ts'
import { SEARCH_UNIT } from '../../../domain/pricing/unit-prices.ts'
import { UNKNOWN_TRAITS } from '../../../domain/provider.ts'
import type { JsonObject } from '../../../domain/request/call-request.ts'
import { NO_BOUNDS } from '../../../domain/request/output-limit.ts'
import { type RerankRequest, readRerankRequest, rerankTokens, searchUnits } from '../../../domain/request/rerank.ts'
import type { Target } from '../../family.ts'
import { cohere } from '../presets/cohere.ts'
import { jina, voyage } from '../presets/rerankers.ts'
import { reranker } from './rerank.ts'

const TARGET: Target = { model: 'rank-1', traits: UNKNOWN_TRAITS, baseUrl: null, bounds: NO_BOUNDS }
const ASKED = { model: 'search', query: 'trains', documents: ['one', 'two', 'three'] }
const ask = (more: JsonObject = {}) => ({ ...ASKED, ...more }) as RerankRequest
const plain = reranker()
const units = reranker(cohere.reranks)

describe('to the provider', () => {
  const table: [what: string, more: JsonObject, plain: JsonObject | null, units: JsonObject | null][] = [
    ['what all take', { top_n: 2 }, { top_n: 2 }, { top_n: 2 }],
    ['texts are made here', { return_documents: true, user: 'ana' }, {}, {}],
    ['null asks for nothing', { top_n: null }, {}, {}],
    [
      'objects with texts',
      { documents: [{ text: 'one' }, 'two'] },
      { documents: [{ text: 'one' }, 'two'] },
      { documents: ['one', 'two'] },
    ],
    ['a field of one server', { truncate_prompt_tokens: 9 }, { truncate_prompt_tokens: 9 }, null],
  ]
  for (const [what, more, ...expected] of table) {
    test(what, () => {
      for (const [at, translator] of [plain, units].entries()) {
        const translation = translator.toWire(ask(more), TARGET)
        const wire = expected[at]
        if (wire === null) assert.equal(translation.kind, 'refused')
        else {
          assert.ok(translation.kind === 'wire')
          assert.deepEqual(translation.body, { query: 'trains', documents: ASKED.documents, ...wire, model: 'rank-1' })
        }
      }
    })
  }

  for (const [vendor, more, expected] of [
    [
      voyage,
      { top_n: 2, truncation: false, documents: [{ text: 'one' }] },
      { top_k: 2, truncation: false, documents: ['one'] },
    ],
    [voyage, { max_tokens_per_doc: 9 }, null],
    [voyage, { rank_fields: ['x'] }, null],
    [jina, { top_n: 2, return_documents: true }, { top_n: 2, return_documents: false, documents: ASKED.documents }],
    [jina, { max_tokens_per_doc: 9 }, null],
  ] as const) {
    test(`${JSON.stringify(more)} to ${vendor.baseUrl}`, () => {
      const translation = reranker(vendor.reranks).toWire(ask(more), TARGET)
      if (expected === null) assert.equal(translation.kind, 'refused')
      else
        assert.deepEqual(translation.kind === 'wire' && translation.body, {
          query: 'trains',
          ...expected,
          model: 'rank-1',
        })
    })
  }

  test('under a hard budget only what is known passes, bounded by units', () => {
    const strict = { ...TARGET, isStrict: true }
    assert.equal(plain.toWire(ask({ truncate_prompt_tokens: 9 }), strict).kind, 'refused')
    const bounded = units.toWire(ask(), strict)
    assert.ok(bounded.kind === 'wire')
    assert.deepEqual(bounded.bounds.units, [{ name: SEARCH_UNIT, most: 1 }])
  })
})

describe('from the provider', () => {
  const results = [
    { index: 2, relevance_score: 0.1 },
    { index: 0, relevance_score: 0.9, document: 'cut' },
  ]
  const sorted = [
    { index: 0, relevance_score: 0.9 },
    { index: 2, relevance_score: 0.1 },
  ]
  const read = (translator: typeof plain, body: unknown, more: JsonObject = {}) => {
    const reading = translator.fromWire(body, ask(more))
    return reading.kind === 'answer' ? reading.answer : null
  }

  test('the best come first, in whatever list they came', () => {
    for (const body of [
      { results },
      { data: results },
      results.map(({ index, relevance_score: score }) => ({ index, score })),
    ])
      assert.deepEqual(read(plain, body)?.body['results'], sorted)
    assert.deepEqual(read(plain, { results }, { top_n: 1 })?.body['results'], sorted.slice(0, 1))
    const texts = read(plain, { results }, { return_documents: true })?.body['results'] as JsonObject[]
    assert.deepEqual(
      texts.map(({ document }) => document),
      [{ text: 'one' }, { text: 'three' }],
    )
  })

  test('tokens or units are what it is billed by', () => {
    const tokens = read(plain, { results, usage: { total_tokens: 815 } })
    assert.deepEqual([tokens?.usage?.input, tokens?.usage?.uses], [815, null])
    const stated = read(units, { results, meta: { billed_units: { search_units: 3 } } })
    assert.deepEqual([stated?.usage?.input, stated?.usage?.uses], [0, { [SEARCH_UNIT]: 3 }])
    const documents = Array.from({ length: 250 }, () => 'x')
    assert.deepEqual(read(units, { results }, { documents })?.usage?.uses, { [SEARCH_UNIT]: 3 })
    assert.equal(read(plain, { results })?.usage, null)
  })

  for (const body of [
    null,
    {},
    { results: 1 },
    { results: [{}] },
    { results: [{ index: 3, relevance_score: 1 }] },
    'x',
  ])
    test(`${JSON.stringify(body)} is no answer`, () => assert.equal(plain.fromWire(body, ask()).kind, 'failure'))
})

describe('a request', () => {
  for (const [what, value] of [
    ['no documents', { ...ASKED, documents: [] }],
    ['too many', { ...ASKED, documents: Array.from({ length: 10_001 }, () => 'x') }],
    ['an image', { ...ASKED, documents: [{ image: 'x' }] }],
    ['no query', { ...ASKED, query: undefined }],
    ['no count', { ...ASKED, top_n: 0 }],
    ['a list', []],
  ] as const) {
    test(`with ${what} is refused`, () => assert.throws(() => readRerankRequest(value)))
  }

  test('of 250 short documents has three units, of a long one several, never fewer than one for each hundred', () => {
    assert.equal(searchUnits(ask({ documents: Array.from({ length: 250 }, () => 'short') })), 3)
    assert.equal(searchUnits(ask({ documents: ['x'.repeat(4 * 510 * 101)], max_tokens_per_doc: 60_000 })), 2)
  })

  test('is held for at least as much as it is billed for', () => {
    const text = fc.string({ maxLength: 3_000, unit: 'grapheme' })
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 30 }), text, (documents, query) => {
        const request = ask({ documents, query })
        assert.ok(searchUnits(request, 1) >= searchUnits(request))
        const { most, likely } = rerankTokens(request)
        assert.ok((most ?? 0) >= (likely ?? 0))
      }),
    )
  })
})
