import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HistogramMetricData } from '@opentelemetry/sdk-metrics'
import { NO_USAGE } from '../../domain/pricing/usage.ts'
import type { TracedCall } from '../tracing.ts'
import { callMetrics } from './call-metrics.ts'

const ROW: TracedCall = {
  ...{ id: 'id', workspace: 'default', keyId: 'key', startedAt: 1_000, finishedAt: 1_300, route: null, session: null },
  ...{ requestedModel: 'm', provider: 'local', model: 'm', status: 200, code: null, fallback: false, streamed: false },
  ...{ firstContentMs: null, finishReason: 'stop', usage: { ...NO_USAGE, output: 5 }, usageSource: 'provider' },
  ...{ costPicodollars: null, cache: null, savedPicodollars: null, answerOf: null, attempts: [] },
}

function durations(isDelta: boolean) {
  const modelLabel = (_provider: string, model: string) => model
  const metrics = callMetrics({ scope: { name: 'test' }, isDelta, conventionName: () => 'openai', modelLabel })
  return {
    count: (row: Partial<TracedCall>) => metrics.count({ ...ROW, ...row }, 'chat'),
    async read() {
      const { resourceMetrics } = await metrics.collect()
      const all = resourceMetrics.scopeMetrics.flatMap((each) => each.metrics) as HistogramMetricData[]
      const found = all.find(({ descriptor }) => descriptor.name === 'gen_ai.client.operation.duration')
      return (found?.dataPoints ?? []).map(({ attributes, value }) => {
        const { counts } = value.buckets
        return [attributes['error.type'], value.count, value.sum, counts.findIndex((count) => count > 0)]
      })
    },
  }
}

test('sums go on from one collection to the next', async () => {
  const { count, read } = durations(false)
  assert.deepEqual(await read(), [])
  count({})
  assert.deepEqual(await read(), [[undefined, 1, 0.3, 5]])
  count({ code: 'timeout', finishedAt: 2_000 })
  count({ provider: null })
  count({ cache: 'hit' })
  assert.deepEqual(await read(), [
    [undefined, 1, 0.3, 5],
    ['timeout', 1, 1, 7],
  ])
})

test('with deltas each collection has what is new', async () => {
  const { count, read } = durations(true)
  count({})
  count({ finishedAt: 1_500 })
  assert.deepEqual(await read(), [[undefined, 2, 0.8, 5]])
  assert.deepEqual(await read(), [])
  count({ code: 'timeout', finishedAt: 2_000 })
  assert.deepEqual(await read(), [['timeout', 1, 1, 7]])
})
