import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinMetrics } from './join-metrics.ts'
import { createMetrics } from './metrics.ts'

function metricsOf(lagRows: number, lagSeconds: number, connections: number, isMain = false) {
  return createMetrics(
    {
      circuits: () => [{ provider: 'p', model: 'm', state: lagRows > 1 ? 'open' : 'closed' }],
      log: () => ({ spoolRows: 0, lagRows, lagSeconds, maxRows: 10, diskError: null }),
      control: () => ({ behindSince: null }),
      limits: () => ({ kind: 'memory' }),
      bodies: () => ({ held: 0, bounds: { bytes: 0 } }),
      connections: () => connections,
    },
    { isMain },
  )
}

test('counters and histograms are summed, gauges as they are meant, loop and connections told by thread', async () => {
  const [main, one, two] = [metricsOf(0, 1, 0, true), metricsOf(2, 5, 7), metricsOf(1, 3, 4)]
  one.requests.add(2, ['chat', 'r', 'p', 'm', 'ok'])
  two.requests.add(3, ['chat', 'r', 'p', 'm', 'ok'])
  two.requests.add(1, ['chat', 'r', 'p', 'm', 'upstream_error'])
  one.overhead.observe(0.0001)
  two.overhead.observe(0.3)
  one.loopDelay.observe(0.002)
  const threads = await Promise.all(
    [main, one, two].map(async (metrics, place) => ({
      thread: place === 0 ? 'main' : String(place),
      figures: await metrics.read(),
    })),
  )
  const text = await joinMetrics(threads)
  const line = (start: string) => text.split('\n').find((each) => each.startsWith(start))
  const labels = 'endpoint="chat",route="r",provider="p",model="m"'
  assert.deepEqual(
    [
      line(`switchyard_requests_total{${labels},code="ok"}`),
      line(`switchyard_requests_total{${labels},code="upstream_error"}`),
      line('switchyard_gateway_overhead_seconds_count'),
      line('switchyard_log_lag_rows'),
      line('switchyard_log_lag_seconds'),
      line('switchyard_log_spool_max_rows'),
      line('switchyard_circuit_state'),
      line('switchyard_connections{thread="1"}'),
      line('switchyard_connections{thread="2"}'),
      line('switchyard_event_loop_delay_seconds_count{thread="1"}'),
      line('switchyard_counters_up'),
    ].map((each) => each?.split(' ').at(-1)),
    ['5', '1', '2', '3', '5', '30', '2', '7', '4', '1', '1'],
  )
  assert.equal(text.match(/^switchyard_process_start_time_seconds /gm)?.length, 1)
})
