import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { CircuitState } from '../domain/circuit.ts'

/**
 * Every metric, named once; docs/metrics.md lists the same and a test holds the two together. Labels are bounded:
 * names come from the configuration, never from what a caller sent, and keys and request ids are no labels.
 */
export interface Metrics {
  requests: Counter<'route' | 'provider' | 'model' | 'code'>
  attempts: Histogram<'provider' | 'model' | 'outcome'>
  overhead: Histogram
  fallbacks: Counter<'route'>
  tokens: Counter<'provider' | 'model' | 'direction'>
  costUsd: Counter<'provider' | 'model'>
  unknownPrices: Counter<'provider' | 'model'>
  inFlight: Gauge
  logFailures: Counter
  unknownStopReasons: Counter<'provider'>
  idempotentReplays: Counter
  limitRefusals: Counter<'scope' | 'kind'>
  budgetWarnings: Counter<'scope'>
  /** The text for `GET /metrics`. */
  expose(): Promise<string>
  contentType: string
}

/** What is not counted as it happens but asked for when somebody looks. */
export interface Observed {
  circuits(): Iterable<{ provider: string; model: string; state: CircuitState }>
  log(): { spoolRows: number; lagRows: number }
}

const CIRCUIT_VALUE: Readonly<Record<CircuitState, number>> = { closed: 0, 'half-open': 1, open: 2 }
const ATTEMPT_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]
const OVERHEAD_SECONDS = [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5]

export function createMetrics(observed: Observed): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'switchyard_' })
  observe(registry, observed)
  return {
    requests: new Counter({
      name: 'switchyard_requests_total',
      help: 'Chat completion requests answered, by route, who served or failed last, and error code ("ok" if none).',
      labelNames: ['route', 'provider', 'model', 'code'],
      registers,
    }),
    attempts: new Histogram({
      name: 'switchyard_attempt_seconds',
      help: 'Duration of each upstream call, by outcome ("ok" or an error code).',
      labelNames: ['provider', 'model', 'outcome'],
      buckets: ATTEMPT_SECONDS,
      registers,
    }),
    overhead: new Histogram({
      name: 'switchyard_gateway_overhead_seconds',
      help: 'Time a request spent in the gateway itself: all of it less upstream calls and waits between them.',
      buckets: OVERHEAD_SECONDS,
      registers,
    }),
    fallbacks: new Counter({
      name: 'switchyard_fallbacks_total',
      help: 'Requests served by an entry other than the first of the chain.',
      labelNames: ['route'],
      registers,
    }),
    tokens: new Counter({
      name: 'switchyard_tokens_total',
      help: 'Tokens the providers counted, by direction (prompt or completion).',
      labelNames: ['provider', 'model', 'direction'],
      registers,
    }),
    costUsd: new Counter({
      name: 'switchyard_cost_usd_total',
      help: 'Estimated provider cost in USD. A floating-point sum for graphs; the request log holds the exact figures.',
      labelNames: ['provider', 'model'],
      registers,
    }),
    unknownPrices: new Counter({
      name: 'switchyard_unknown_prices_total',
      help: 'Served requests whose model has no price in the registry: logged with a cost of null.',
      labelNames: ['provider', 'model'],
      registers,
    }),
    inFlight: new Gauge({
      name: 'switchyard_requests_in_flight',
      help: 'Chat completion requests being worked on now.',
      registers,
    }),
    logFailures: new Counter({
      name: 'switchyard_log_failures_total',
      help: 'Rows that could not be made durable; their callers got 500 instead of the answer.',
      registers,
    }),
    unknownStopReasons: new Counter({
      name: 'switchyard_unknown_stop_reasons_total',
      help: 'Answers whose stop reason the gateway does not know; passed on as "stop".',
      labelNames: ['provider'],
      registers,
    }),
    ...limitMetrics(registers),
    idempotentReplays: idempotencyMetric(registers),
    expose: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

function idempotencyMetric(registers: Registry[]): Counter {
  return new Counter({
    name: 'switchyard_idempotent_replays_total',
    help: 'Requests that got the answer of an earlier one with the same Idempotency-Key; they have no row of their own.',
    registers,
  })
}

function limitMetrics(registers: Registry[]): Pick<Metrics, 'limitRefusals' | 'budgetWarnings'> {
  return {
    limitRefusals: new Counter({
      name: 'switchyard_limit_refusals_total',
      help: 'Calls refused by a limit, by scope (key or workspace) and kind (budget, rpm, tpm or max_parallel).',
      labelNames: ['scope', 'kind'],
      registers,
    }),
    budgetWarnings: new Counter({
      name: 'switchyard_budget_warnings_total',
      help: 'Calls served beyond a soft budget, by scope (key or workspace).',
      labelNames: ['scope'],
      registers,
    }),
  }
}

function observe(registry: Registry, observed: Observed): void {
  new Gauge({
    name: 'switchyard_circuit_state',
    help: 'Circuit of each provider and model in use: 0 closed, 1 half-open, 2 open.',
    labelNames: ['provider', 'model'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { provider, model, state } of observed.circuits()) this.set({ provider, model }, CIRCUIT_VALUE[state])
    },
  })
  new Gauge({
    name: 'switchyard_log_spool_rows',
    help: 'Rows in the durable spool that are not trimmed yet.',
    registers: [registry],
    collect() {
      this.set(observed.log().spoolRows)
    },
  })
  new Gauge({
    name: 'switchyard_log_lag_rows',
    help: 'Durable rows that have not reached the request log tables yet.',
    registers: [registry],
    collect() {
      this.set(observed.log().lagRows)
    },
  })
}
