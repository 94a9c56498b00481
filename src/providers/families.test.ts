import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Provider, UNKNOWN_TRAITS } from '../domain/provider.ts'
import type { ChatRequest } from '../domain/request/chat.ts'
import { NO_BOUNDS, type OutputBounds } from '../domain/request/output-limit.ts'
import { FAMILIES } from './families.ts'

const KEY = 'key-of-the-operator'
const MOST = 7
const REQUEST: ChatRequest = { model: 'route', messages: [{ role: 'user', content: 'hello' }] }
/** What no answer should be, and some are. */
const NO_ANSWERS: readonly unknown[] = ['<html>', '', null, [], {}, 7, [{}], { error: null }, { error: 'no' }]

const wire = (request: object, bounds: OutputBounds = NO_BOUNDS) => ({
  request: { ...REQUEST, ...request },
  target: { model: 'one', traits: { ...UNKNOWN_TRAITS, maxOutputTokens: 50 }, baseUrl: null, bounds, settings: {} },
})

for (const [name, family] of FAMILIES) {
  const provider: Provider = {
    name: 'row',
    family: name,
    baseUrl: 'http://provider.test',
    apiKey: KEY,
    headers: { 'X-Of-The-Operator': 'yes' },
    onCallerLeft: 'abort',
    settings: {},
  }
  const { chat } = family.translators

  describe(`the family ${name}`, () => {
    test('says so where its address depends on the model or on streaming: addresses are kept', () => {
      for (const [format, translator] of Object.entries(family.translators)) {
        const urls = [translator.target(provider, 'one'), translator.target(provider, 'two')].map(({ url }) => url)
        if (translator.stream !== undefined) urls.push(translator.target(provider, 'one', true).url)
        if (new Set(urls).size > 1) assert.equal(translator.namesModel, true, `${format}: ${urls.join(' ')}`)
      }
    })

    test("sends the operator's header fields, and the key in none of its addresses", () => {
      const targets = Object.values(family.translators).map((translator) => translator.target(provider, 'one'))
      for (const { url, headers } of [...targets, family.modelsTarget(provider, null)]) {
        assert.doesNotMatch(url, new RegExp(KEY))
        assert.equal(new Headers(headers).get('x-of-the-operator'), 'yes')
      }
    })

    test('keeps the name of a model out of the rest of its address', () => {
      const { pathname, search } = new URL(chat?.target(provider, '../?x=/#').url ?? '')
      const usual = new URL(chat?.target(provider, 'one').url ?? '')
      assert.deepEqual([pathname.split('/').length, search], [usual.pathname.split('/').length, usual.search])
    })

    test('sends no more than the highest output limit, and says what it sent', () => {
      for (const asked of [
        {},
        { max_tokens: 3 },
        { max_tokens: 40 },
        { max_completion_tokens: 40 },
        { max_tokens: null },
      ]) {
        const { request, target } = wire(asked, { default: null, most: MOST })
        const translation = chat?.toWire(request, target)
        assert.ok(translation?.kind === 'wire', JSON.stringify(translation))
        const limit = Math.min(asked.max_tokens ?? MOST, MOST)
        assert.equal(translation.bounds.outputTokens, limit, JSON.stringify(asked))
        assert.match(JSON.stringify(translation.body), new RegExp(`:${limit}[,}]`), 'it is in the body')
        assert.equal(translation.adjustments.length, limit === MOST ? 1 : 0)
      }
    })

    test('finds a failure in what is no answer', () => {
      for (const body of NO_ANSWERS) {
        assert.equal(chat?.fromWire(body, REQUEST).kind, 'failure', JSON.stringify(body))
        for (const status of [301, 400, 401, 404, 418, 429, 500, 503]) {
          const { message, status: reported } = family.failureFromWire(status, body, () => undefined)
          assert.deepEqual([typeof message, message !== '', reported], ['string', true, status])
        }
      }
    })

    test('takes a stream without an end for a cut one', () => {
      const parts = chat?.stream?.open(REQUEST).end()
      assert.deepEqual(
        parts?.map(({ type }) => type),
        ['failed'],
      )
      const garbled = chat?.stream?.open(REQUEST)
      assert.equal(garbled?.read({ event: null, data: 'no JSON' }).at(-1)?.type, 'failed')
      assert.deepEqual(garbled?.end(), [], 'it fails once')
      assert.equal(garbled?.isFinished, false)
    })
  })
}
