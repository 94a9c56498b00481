import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { requireDebianPackage } from '../debian-package.ts'
import { readManifest } from './manifest.ts'

const FILE = 'deploy/prometheus-rules.yaml'
const RULES = resolve(FILE)
const run = promisify(execFile)

interface Scenario {
  /** Series → values, one a minute, in promtool's notation: `0+5x10` begins at 0 and adds 5 ten times; `_`: not there. */
  series: Record<string, string>
  /** Minutes. */
  at: number
  labels: Record<string, string>
  summary: string
}

const ONE = 'instance="a"'
const SERVED = 'endpoint="chat",route="fast",provider="p",model="m"'
const MODEL = 'provider="p",model="m"'
const BUDGET = { scope: 'key', workspace: 'default', name: 'ci', per: 'month' }
const budget = (instance: string) =>
  `switchyard_budget_used_ratio{instance="${instance}",scope="key",workspace="default",name="ci",per="month"}`
/** Observations of a histogram: `few` up to the first bound, `all` up to the second. */
const histogram = (name: string, labels: string, bounds: [string, string], few: string, all: string) => ({
  [`${name}_bucket{${labels},le="${bounds[0]}"}`]: few,
  [`${name}_bucket{${labels},le="${bounds[1]}"}`]: all,
  [`${name}_bucket{${labels},le="+Inf"}`]: all,
})
/** Minutes for the usual level; a whole week of them takes promtool a minute. */
const USUAL = 600

/** What each alert is for, as Prometheus sees it. */
const SCENARIOS: Record<string, Scenario | Scenario[]> = {
  SwitchyardNodeDown: {
    series: { [`up{job="switchyard",${ONE}}`]: '1x2 0x5' },
    at: 5,
    labels: { job: 'switchyard', instance: 'a' },
    summary: 'a does not answer',
  },
  SwitchyardDatabaseAway: {
    series: { [`switchyard_control_behind_seconds{${ONE}}`]: '0 45' },
    at: 1,
    labels: { instance: 'a' },
    summary: 'a has not reached PostgreSQL for 45s; revoked keys still work there',
  },
  SwitchyardLogLate: {
    series: { [`switchyard_log_lag_seconds{${ONE}}`]: '0 90x5' },
    at: 4,
    labels: { instance: 'a' },
    summary: 'a delivers calls to the log 1m 30s late',
  },
  SwitchyardSpoolFilling: {
    series: {
      [`switchyard_log_lag_rows{${ONE}}`]: '0 700000',
      [`switchyard_log_spool_max_rows{${ONE}}`]: '2000000x2',
    },
    at: 1,
    labels: { instance: 'a' },
    summary: 'the spool of a is 35% full; when it is full, calls are refused',
  },
  SwitchyardSpoolFull: {
    series: { [`switchyard_log_full_refusals_total{${ONE}}`]: '0 3' },
    at: 1,
    labels: { instance: 'a' },
    summary: 'a refuses calls: its spool is full',
  },
  SwitchyardRowsNotWritten: [
    {
      series: { [`switchyard_log_writable{${ONE}}`]: '1 0' },
      at: 1,
      labels: { instance: 'a' },
      summary: 'a cannot write its spool (disk full?); calls are refused with 503',
    },
    {
      series: { [`switchyard_log_writable{${ONE}}`]: '1x2', [`switchyard_log_failures_total{${ONE}}`]: '0 1' },
      at: 1,
      labels: { instance: 'a' },
      summary: 'a cannot write its spool (disk full?); calls are refused with 503',
    },
  ],
  SwitchyardCountersAway: {
    series: { [`switchyard_counters_up{${ONE}}`]: '1 0x3' },
    at: 3,
    labels: { instance: 'a' },
    summary: 'a cannot check limits: Valkey is away, or not set up',
  },
  SwitchyardLimitsUnavailable: {
    series: { [`switchyard_limits_refused_total{${ONE}}`]: '0 1' },
    at: 1,
    labels: { instance: 'a' },
    summary: 'a refuses calls because limits cannot be checked',
  },
  SwitchyardLimitsUnchecked: {
    series: { [`switchyard_limits_unchecked_total{${ONE}}`]: '0+1x10' },
    at: 8,
    labels: { instance: 'a' },
    summary: 'a serves calls without checking their limits',
  },
  SwitchyardCountersSlow: {
    series: histogram('switchyard_counters_seconds', ONE, ['0.05', '0.1'], '0+50x20', '0+100x20'),
    at: 15,
    labels: { instance: 'a' },
    summary: 'a waits 99ms for the shared counters',
  },
  SwitchyardProviderAccount: {
    // The series begins with its first error, and there is no second.
    series: { [`switchyard_requests_total{${ONE},${SERVED},code="provider_auth_error"}`]: '_x3 1x5' },
    at: 4,
    labels: { provider: 'p' },
    summary: 'p rejects our key, or our account has no credit',
  },
  SwitchyardErrors: {
    series: {
      [`switchyard_requests_total{${ONE},${SERVED},code="ok"}`]: '0+90x20',
      [`switchyard_requests_total{${ONE},${SERVED},code="upstream_timeout"}`]: '0+10x20',
    },
    at: 12,
    labels: {},
    summary: '10% of all calls fail although their callers did nothing wrong',
  },
  SwitchyardCircuitOpen: {
    series: {
      [`switchyard_circuit_state{${ONE},${MODEL}}`]: '0 2x8',
      [`switchyard_circuit_state{instance="b",${MODEL}}`]: '0x9',
    },
    at: 7,
    labels: { provider: 'p', model: 'm' },
    summary: 'p m keeps failing and is skipped',
  },
  SwitchyardFallbacks: {
    series: {
      [`switchyard_fallbacks_total{${ONE},route="fast"}`]: '0+30x40',
      [`switchyard_requests_total{${ONE},${SERVED},code="ok"}`]: '0+100x40',
    },
    at: 35,
    labels: { route: 'fast' },
    summary: '30% of route fast is not served by its first entry',
  },
  SwitchyardShedding: {
    series: { [`switchyard_sheds_total{${ONE}}`]: '0+5x10' },
    at: 5,
    labels: {},
    summary: 'more calls come than the nodes can serve: start another one',
  },
  SwitchyardEventLoop: {
    series: histogram('switchyard_event_loop_delay_seconds', ONE, ['0.1', '0.2'], '0+50x20', '0+100x20'),
    at: 15,
    labels: { instance: 'a' },
    summary: 'a is close to its limit: one turn in a hundred takes more than 198ms',
  },
  SwitchyardUnknownPrice: {
    series: { [`switchyard_unknown_prices_total{${ONE},${MODEL}}`]: '_x3 1x5' },
    at: 5,
    labels: { provider: 'p', model: 'm' },
    summary: 'p m has no price: its calls are logged without a cost',
  },
  SwitchyardBudgetNear: {
    series: { [budget('a')]: '0.5 0.85', [budget('b')]: '0.5 0.8' },
    at: 1,
    labels: BUDGET,
    summary: 'the key ci in default has spent 85% of its budget (month)',
  },
  SwitchyardBudgetSpent: {
    series: { [budget('a')]: '0.9 1.02' },
    at: 1,
    labels: BUDGET,
    summary: 'the key ci in default has spent its budget (month)',
  },
  SwitchyardBudgetRefuses: {
    series: { [`switchyard_limit_refusals_total{${ONE},scope="key",kind="budget"}`]: '_x3 1x5' },
    at: 4,
    labels: { scope: 'key' },
    summary: 'calls are refused because the budget of a key does not cover them',
  },
  SwitchyardSlow: {
    series: {
      // First all within a second, then everything takes longer.
      ...histogram(
        'switchyard_attempt_seconds',
        `${ONE},${MODEL},outcome="ok"`,
        ['1', '4'],
        `0+10x${USUAL} ${10 * USUAL}x30`,
        `0+10x${USUAL + 30}`,
      ),
      [`switchyard_requests_total{${ONE},${SERVED},code="ok"}`]: `0+10x${USUAL + 30}`,
    },
    at: USUAL + 17,
    labels: { provider: 'p', model: 'm' },
    summary: 'p m is slow: 95 % of answers within 3.85s, twice the usual',
  },
}

/** Everything there is, on a good day. */
const QUIET = {
  [`up{job="switchyard",${ONE}}`]: '1x90',
  [`switchyard_control_behind_seconds{${ONE}}`]: '1x90',
  [`switchyard_log_lag_seconds{${ONE}}`]: '1x90',
  [`switchyard_log_lag_rows{${ONE}}`]: '100x90',
  [`switchyard_log_spool_max_rows{${ONE}}`]: '2000000x90',
  [`switchyard_log_writable{${ONE}}`]: '1x90',
  [`switchyard_counters_up{${ONE}}`]: '1x90',
  ...Object.fromEntries(
    ['log_full_refusals', 'log_failures', 'limits_refused', 'limits_unchecked', 'sheds'].map((name) => [
      `switchyard_${name}_total{${ONE}}`,
      '0x90',
    ]),
  ),
  ...histogram('switchyard_counters_seconds', ONE, ['0.05', '0.1'], '0+100x90', '0+100x90'),
  ...histogram('switchyard_event_loop_delay_seconds', ONE, ['0.1', '0.2'], '0+100x90', '0+100x90'),
  ...histogram('switchyard_attempt_seconds', `${ONE},${MODEL},outcome="ok"`, ['1', '4'], '0+100x90', '0+100x90'),
  [`switchyard_requests_total{${ONE},${SERVED},code="ok"}`]: '0+100x90',
  [`switchyard_requests_total{${ONE},${SERVED},code="upstream_error"}`]: '0+1x90',
  // Long ago.
  [`switchyard_requests_total{${ONE},${SERVED},code="provider_auth_error"}`]: '3x90',
  [`switchyard_unknown_prices_total{${ONE},${MODEL}}`]: '3x90',
  [`switchyard_limit_refusals_total{${ONE},scope="key",kind="budget"}`]: '3x90',
  [`switchyard_fallbacks_total{${ONE},route="fast"}`]: '0+1x90',
  [`switchyard_circuit_state{${ONE},${MODEL}}`]: '0x90',
  [budget('a')]: '0.5x90',
}

const rules: { alert: string; labels: { severity: string }; annotations: object }[] =
  readManifest(FILE)[0].groups[0].rules
const seriesOf = (series: Record<string, string>) =>
  Object.entries(series).map(([name, values]) => ({ series: name, values }))

/** What Prometheus' own tool says of it; '' where all is as expected. */
async function tested(tests: object[]): Promise<string> {
  requireDebianPackage('prometheus', () => existsSync('/usr/bin/promtool'))
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-promtool-'))
  try {
    const file = join(folder, 'tests.yaml')
    writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }))
    await run('promtool', ['test', 'rules', file])
    return ''
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    return stdout + stderr
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

describe('the alerts for Prometheus, evaluated by its own tool', () => {
  for (const { alert, labels: given, annotations } of rules) {
    test(`${alert} fires when it should`, async () => {
      const scenarios = [SCENARIOS[alert] ?? []].flat()
      assert.ok(scenarios.length > 0, 'say in SCENARIOS what it is for')
      const tests = scenarios.map(({ series, at, labels, summary }) => ({
        interval: '1m',
        input_series: seriesOf(series),
        alert_rule_test: [
          {
            eval_time: `${at}m`,
            alertname: alert,
            exp_alerts: [
              { exp_labels: { ...labels, severity: given.severity }, exp_annotations: { ...annotations, summary } },
            ],
          },
        ],
      }))
      assert.equal(await tested(tests), '')
    })
  }

  test('none fires on a good day', async () => {
    const silent = rules.map(({ alert }) => ({ eval_time: '80m', alertname: alert, exp_alerts: [] }))
    assert.equal(await tested([{ interval: '1m', input_series: seriesOf(QUIET), alert_rule_test: silent }]), '')
  })
})
