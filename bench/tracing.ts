import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { median, type Spread, spreadOf, sum } from './load/percentiles.ts'
import { ratiosWithin, runTogether, type TogetherRow, togetherRows } from './parts/together.ts'
import type { RunOptions } from './plan.ts'
import { fixed, spread as spreadText, tableText } from './report/table.ts'
import { startGateway } from './run/gateway.ts'
import { createScene, startUpstream, type Target } from './run/scene.ts'

/** CPU per call with OpenTelemetry on, a tenth of the calls sampled and metrics of all, beside the same without. */
export interface TracingResult {
  microseconds: { off: number | null; on: number | null }
  ratio: number | null
  spread: Spread | null
  rounds: number
  calls: number
  errors: number
  /** Requests that the receiver got: without any, nothing was measured. */
  exports: number
}

const [OFF, ON] = ['off', 'on']

export async function measureTracing({ plan, build, progress }: RunOptions): Promise<TracingResult> {
  await using receiver = await startReceiver()
  const sampling = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' }
  // Collected far more often than usual, so that a short run has its part of it.
  const metrics = { OTEL_METRICS_EXPORTER: 'otlp', OTEL_METRIC_EXPORT_INTERVAL: '5000' }
  const environments = { [OFF]: {}, [ON]: { ...sampling, ...metrics, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } }
  const rows: TogetherRow[] = []
  for (let start = 0; start < plan.against.starts; start++) {
    progress(`tracing: fresh processes, ${start + 1} of ${plan.against.starts}`)
    await using scene = createScene()
    const upstream = (await startUpstream(scene)).immediate
    const targets: Target[] = []
    for (const [name, env] of Object.entries(environments)) {
      // Two busy processes on one core: latency is high by design, and shed calls would not be measured.
      const options = { upstream, build: { ...build, name }, env: { ...env, OVERLOAD_MS: '0' } }
      targets.push((await startGateway(scene, options)).target('openai'))
    }
    rows.push(...togetherRows(await runTogether(scene, () => targets, plan.against, progress)))
  }
  const costs = (wanted: string | undefined) =>
    rows.filter(({ name }) => name === wanted).flatMap(({ eachRound }) => eachRound)
  const ratios = ratiosWithin(costs(ON), costs(OFF))
  return {
    microseconds: { off: median(costs(OFF)), on: median(costs(ON)) },
    ratio: median(ratios),
    spread: spreadOf(ratios),
    rounds: ratios.length,
    calls: sum(rows.map(({ requests }) => requests)),
    errors: sum(rows.map(({ errors, shed }) => errors + shed)),
    exports: receiver.requests(),
  }
}

async function startReceiver() {
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    request.resume().once('end', () => response.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

export function tracingText(result: TracingResult): string {
  const { microseconds, ratio, spread, rounds, calls, errors, exports } = result
  const head = ['on, CPU µs/call', 'off', 'ratio', 'middle half', 'rounds', 'calls', 'errors', 'exports']
  const line = [fixed(microseconds.on, 1), fixed(microseconds.off, 1), fixed(ratio, 3), spreadText(spread, 3)]
  const table = tableText([head, [...line, String(rounds), String(calls), String(errors), String(exports)]])
  return `OpenTelemetry, a tenth of the calls sampled, and without it, busy at the same time on one core\n\n${table}`
}
