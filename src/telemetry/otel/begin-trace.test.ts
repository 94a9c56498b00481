import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { resourceFromAttributes } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { beginTrace } from './begin-trace.ts'
import { NewIds } from './new-ids.ts'
import type { TraceParts } from './trace-parts.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const CALLER = 'b7ad6b7169203331'
const ENDPOINT = { name: 'chat', path: '/v1/chat/completions', operation: 'chat' }

const common = { metrics: null, conventionName: (name: string) => name }

const sourceOf = (spans: ReadableSpan[], isParentBased: boolean, samples: boolean): TraceParts['spans'] => ({
  resource: resourceFromAttributes({}),
  scope: { name: 'test' },
  finish: (span) => void spans.push(span),
  ids: new NewIds(),
  sampler: { isParentBased, samplesNew: () => samples, samples: () => samples },
})

/** What the provider gets of a call, and the spans that are made of it. */
function reported(
  headers: Record<string, string>,
  { samples = true, isParentBased = true, propagates = true, hasSpans = true } = {},
) {
  const spans: ReadableSpan[] = []
  const source = sourceOf(spans, isParentBased, samples)
  const parts = { ...common, spans: hasSpans ? source : null, propagates, hasContent: false }
  const trace = beginTrace({ header: (name) => headers[name], receivedAt: performance.now() }, ENDPOINT, parts)
  const { context } = trace.attempt()
  trace.refuse({ code: 'upstream_error', status: 502 })
  return { context, spans }
}

const from = (flags: string) => ({ traceparent: `00-${TRACE}-${CALLER}-${flags}`, tracestate: 'a=1' })

test('only a sampled call that generates has content, and only where that is switched on', () => {
  const has = (samples: boolean, hasContent: boolean, operation = 'chat') => {
    const source = sourceOf([], true, samples)
    const parts = { ...common, spans: source, propagates: true, hasContent }
    const head = { header: () => undefined, receivedAt: 0 }
    return beginTrace(head, { ...ENDPOINT, name: operation, operation }, parts).hasContent
  }
  assert.deepEqual([has(true, true), has(false, true), has(true, false)], [true, false, false])
  assert.deepEqual([has(true, true, 'completions'), has(true, true, 'embeddings')], [true, false])
})

describe("what is passed on with a caller's trace", () => {
  test('sampled: below the span of the attempt', () => {
    const { context, spans } = reported(from('01'))
    const [attempt, call] = spans
    assert.deepEqual(context, { traceparent: `00-${TRACE}-${attempt?.spanContext().spanId}-01`, tracestate: 'a=1' })
    assert.equal(attempt?.parentSpanContext?.spanId, call?.spanContext().spanId)
    assert.equal(call?.parentSpanContext?.spanId, CALLER)
  })

  const unsampled = { traceparent: `00-${TRACE}-${CALLER}-00`, tracestate: 'a=1' }
  const cases = [
    ['not sampled by the caller', from('00'), {}, unsampled],
    ['not sampled here, where only that counts', from('01'), { isParentBased: false, samples: false }, unsampled],
    [
      'without spans here: as it came',
      from('01'),
      { hasSpans: false },
      { ...unsampled, traceparent: from('01').traceparent },
    ],
    ['without propagation', from('01'), { propagates: false, samples: false }, null],
    ['a tracestate that cannot be read', { ...from('00'), tracestate: '=' }, {}, { ...unsampled, tracestate: null }],
  ] as const
  for (const [name, headers, options, expected] of cases) {
    test(name, () => {
      const { context, spans } = reported(headers, options)
      assert.deepEqual(context, expected)
      assert.equal(spans.length, 0)
    })
  }
})

describe('what is passed on without one', () => {
  test('sampled: a new trace with its spans', () => {
    const { context, spans } = reported({})
    const [attempt, call] = spans.map((span) => span.spanContext())
    assert.equal(context?.traceparent, `00-${call?.traceId}-${attempt?.spanId}-01`)
  })

  test('not sampled: a new trace that says so', () => {
    const { context, spans } = reported({}, { samples: false })
    assert.match(context?.traceparent ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/)
    assert.equal(spans.length, 0)
  })

  test('without spans here: nothing', () => {
    assert.equal(reported({}, { hasSpans: false }).context, null)
  })
})
