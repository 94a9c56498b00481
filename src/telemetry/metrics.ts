import { type Aggregator, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { CircuitState } from '../domain/circuit.ts'
import type { LimitsState } from '../domain/gateway-status.ts'
import { type BudgetGauge, observeBudgets } from './budget-metrics.ts'
import { type CacheMetrics, cacheMetrics } from './cache-metrics.ts'
import { type ContentMetrics, contentMetrics } from './content-metrics.ts'
import type { MetricFigures } from './join-metrics.ts'
import { type StreamMetrics, streamMetrics } from './stream-metrics.ts'
import { Distribution, Tally } from './tally.ts'
import { type TokenMetrics, tokenMetrics } from './token-metrics.ts'

/**
 * Every metric, named once; docs/metrics.md lists the same and a test holds the two together. Labels are bounded:
 * names come from the configuration, never from what a caller sent, and ids of keys and requests are no labels.
 */
export interface Metrics extends StreamMetrics, ContentMetrics, CacheMetrics, TokenMetrics {
  /** By route, provider, model and code. */
  requests: Tally
  /** By provider, model and outcome. */
  attempts: Distribution
  overhead: Distribution
  /** By route. */
  fallbacks: Tally
  /** By provider, model and direction. */
  tokens: Tally
  /** By provider and model. */
  costUsd: Tally
  /** By provider and model. */
  unknownPrices: Tally
  inFlight: Tally
  logFailures: Tally
  sheds: Tally
  logFullRefusals: Tally
  /** By scope. */
  bufferRefusals: Tally
  loopDelay: Distribution
  /** By provider. */
  unknownStopReasons: Tally
  idempotentReplays: Tally
  /** By scope and kind. */
  limitRefusals: Tally
  /** By scope. */
  budgetWarnings: Tally
  limitsUnchecked: Tally
  limitsRefused: Tally
  /** By step. */
  counterSeconds: Distribution
  /** The text for `GET /metrics`. */
  expose(): Promise<string>
  /** The same for another thread, which joins it with those of others. */
  read(): Promise<MetricFigures[]>
  contentType: string
}

/** Gauges read on scrape. */
export interface Observed {
  circuits(): Iterable<{ provider: string; model: string; state: CircuitState }>
  log(): { spoolRows: number; lagRows: number; lagSeconds: number; maxRows: number; diskError: string | null }
  /** Unix milliseconds; null: nothing that other nodes have changed is unknown here. */
  control(): { behindSince: number | null }
  limits(): LimitsState
  bodies(): { held: number; bounds: { bytes: number } }
  connections(): number
  /** Gateway-wide gauges; omitted where another thread reports them. */
  budgets?(): readonly BudgetGauge[]
}

const CIRCUIT_VALUE: Readonly<Record<CircuitState, number>> = { closed: 0, 'half-open': 1, open: 2 }
const ATTEMPT_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]
const LOOP_SECONDS = [0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5]
const COUNTER_SECONDS = [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 10]
const OVERHEAD_SECONDS = [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5]

/** `isMain`: this thread also reports the process metrics. */
export function createMetrics(observed: Observed, { isMain = true } = {}): Metrics {
  const registry = new Registry()
  if (isMain) collectDefaultMetrics({ register: registry, prefix: 'switchyard_' })
  observe(registry, observed)
  return {
    requests: new Tally({
      name: 'switchyard_requests_total',
      help: 'Requests answered, by endpoint, route, who served or failed last, and error code ("ok" if none).',
      labels: ['endpoint', 'route', 'provider', 'model', 'code'],
      registry,
    }),
    attempts: new Distribution({
      name: 'switchyard_attempt_seconds',
      help: 'Duration of each upstream call, by outcome ("ok" or an error code).',
      labels: ['provider', 'model', 'outcome'],
      bounds: ATTEMPT_SECONDS,
      registry,
    }),
    overhead: new Distribution({
      name: 'switchyard_gateway_overhead_seconds',
      help: 'Time a request spent in the gateway itself: all of it less upstream calls and waits between them.',
      bounds: OVERHEAD_SECONDS,
      registry,
    }),
    fallbacks: new Tally({
      name: 'switchyard_fallbacks_total',
      help: 'Requests served by an entry other than the first of the chain.',
      labels: ['route'],
      registry,
    }),
    tokens: new Tally({
      name: 'switchyard_tokens_total',
      help: 'Tokens the providers counted, by direction (prompt or completion).',
      labels: ['provider', 'model', 'direction'],
      registry,
    }),
    costUsd: new Tally({
      name: 'switchyard_cost_usd_total',
      help: 'Estimated provider cost in USD. A floating-point sum for graphs; the request log holds the exact figures.',
      labels: ['provider', 'model'],
      registry,
    }),
    unknownPrices: new Tally({
      name: 'switchyard_unknown_prices_total',
      help: 'Served requests whose model has no price in the registry: logged with a cost of null.',
      labels: ['provider', 'model'],
      registry,
    }),
    inFlight: new Tally(
      {
        name: 'switchyard_requests_in_flight',
        help: 'Chat completion requests being worked on now.',
        registry,
      },
      'gauge',
    ),
    logFailures: new Tally({
      name: 'switchyard_log_failures_total',
      help: 'Ends of calls that could not be made durable before the gateway stopped; their callers got no answer.',
      registry,
    }),
    ...limitMetrics(registry),
    ...counterMetrics(registry),
    ...streamMetrics(registry),
    ...answerMetrics(registry),
    ...contentMetrics(registry),
    ...cacheMetrics(registry),
    ...tokenMetrics(registry),
    expose: () => registry.metrics(),
    read: async () => (await registry.getMetricsAsJSON()) as unknown as MetricFigures[],
    contentType: registry.contentType,
  }
}

function answerMetrics(registry: Registry): Pick<Metrics, 'idempotentReplays' | 'unknownStopReasons'> {
  return {
    idempotentReplays: new Tally({
      name: 'switchyard_idempotent_replays_total',
      help: 'Requests that got the answer of an earlier one with the same Idempotency-Key; they have no row of their own.',
      registry,
    }),
    unknownStopReasons: new Tally({
      name: 'switchyard_unknown_stop_reasons_total',
      help: 'Answers whose stop reason the gateway does not know; passed on as "stop".',
      labels: ['provider'],
      registry,
    }),
  }
}

function limitMetrics(
  registry: Registry,
): Pick<Metrics, 'limitRefusals' | 'budgetWarnings' | 'sheds' | 'logFullRefusals' | 'bufferRefusals' | 'loopDelay'> {
  return {
    loopDelay: new Distribution({
      name: 'switchyard_event_loop_delay_seconds',
      help: 'How late a timer that is due every 20 ms comes: the time for which the event loop was held.',
      bounds: LOOP_SECONDS,
      registry,
    }),
    sheds: new Tally({
      name: 'switchyard_sheds_total',
      help: 'Chat completion requests turned away with `overloaded` before they were read; they have no row in the log.',
      registry,
    }),
    logFullRefusals: new Tally({
      name: 'switchyard_log_full_refusals_total',
      help: 'Chat completion requests turned away with `log_full` because the spool or its disk is full; they have no row in the log.',
      registry,
    }),
    bufferRefusals: new Tally({
      name: 'switchyard_buffer_refusals_total',
      help: 'Requests refused because of the bytes of bodies that are held, by scope: gateway (503) or key (429).',
      labels: ['scope'],
      registry,
    }),
    limitRefusals: new Tally({
      name: 'switchyard_limit_refusals_total',
      help: 'Calls refused by a limit, by scope (key or workspace) and kind (budget, rpm, tpm or max_parallel).',
      labels: ['scope', 'kind'],
      registry,
    }),
    budgetWarnings: new Tally({
      name: 'switchyard_budget_warnings_total',
      help: 'Calls served beyond a soft budget, by scope (key or workspace).',
      labels: ['scope'],
      registry,
    }),
  }
}

function counterMetrics(registry: Registry): Pick<Metrics, 'limitsUnchecked' | 'limitsRefused' | 'counterSeconds'> {
  return {
    limitsUnchecked: new Tally({
      name: 'switchyard_limits_unchecked_total',
      help: 'Calls served although their limit could not be checked.',
      registry,
    }),
    limitsRefused: new Tally({
      name: 'switchyard_limits_refused_total',
      help: 'Calls refused with `limits_unavailable` because a limit could not be checked.',
      registry,
    }),
    counterSeconds: new Distribution({
      name: 'switchyard_counters_seconds',
      help: 'How long calls waited for the shared counters, where what the gateway had leased did not suffice.',
      bounds: COUNTER_SECONDS,
      registry,
    }),
  }
}

function observe(registry: Registry, observed: Observed): void {
  new Gauge({
    name: 'switchyard_circuit_state',
    help: 'Circuit of each provider and model in use: 0 closed, 1 half-open, 2 open.',
    labelNames: ['provider', 'model'],
    // Of several threads the one that is worst off.
    aggregator: 'max',
    registers: [registry],
    collect() {
      this.reset()
      for (const { provider, model, state } of observed.circuits()) this.set({ provider, model }, CIRCUIT_VALUE[state])
    },
  })
  const gauge: AddGauge = (name, help, read, aggregator = 'sum') =>
    new Gauge({
      name,
      help,
      aggregator,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  const { log, control } = observed
  gauge('switchyard_log_spool_rows', 'Rows in the files of the spool, folded or not.', () => log().spoolRows)
  gauge(
    'switchyard_log_spool_max_rows',
    'Rows that may wait for the database before calls are refused.',
    () => log().maxRows,
  )
  gauge(
    'switchyard_log_lag_rows',
    'Durable rows that have not reached the request log tables yet.',
    () => log().lagRows,
  )
  gauge(
    'switchyard_log_writable',
    'Whether the disk takes rows: 1, or 0 while calls are refused because it does not.',
    () => (log().diskError === null ? 1 : 0),
    'min',
  )
  gauge('switchyard_log_lag_seconds', 'Age of the oldest of them.', () => log().lagSeconds, 'max')
  const behind = () => {
    const { behindSince } = control()
    return behindSince === null ? 0 : (Date.now() - behindSince) / 1000
  }
  const behindHelp = 'For how long changes made on other nodes have been unknown here.'
  gauge('switchyard_control_behind_seconds', behindHelp, behind, 'max')
  gauge('switchyard_connections', 'Open connections of clients.', observed.connections)
  const { bodies } = observed
  gauge('switchyard_buffered_bytes', 'Bytes of request bodies that are held now.', () => bodies().held)
  gauge(
    'switchyard_buffered_max_bytes',
    'Bytes of request bodies that may be held before requests are refused.',
    () => bodies().bounds.bytes,
  )
  observeLimits(gauge, observed.limits)
  if (observed.budgets !== undefined) observeBudgets(registry, observed.budgets)
}

/** `aggregator`: what the figure of several threads is. */
type AddGauge = (name: string, help: string, read: () => number, aggregator?: Aggregator) => unknown

function observeLimits(gauge: AddGauge, limits: () => LimitsState) {
  const up = () => {
    const state = limits()
    if (state.kind === 'memory') return 1
    return (state.kind === 'lone' ? state.enforces : state.up) ? 1 : 0
  }
  gauge('switchyard_counters_up', 'Whether this gateway can check limits now: 1 or 0.', up, 'min')
}
