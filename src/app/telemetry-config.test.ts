import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ConfigError, readSettings } from './config.ts'
import { exportPlan } from './telemetry-config.ts'

const planOf = (environment: Record<string, string>) =>
  exportPlan(readSettings(environment), { 'service.name': 'ours' })
const RECEIVER = 'http://collector:4318'

describe('OpenTelemetry is off', () => {
  for (const environment of [
    {},
    { OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' },
    { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: RECEIVER },
    { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: RECEIVER },
  ] as Record<string, string>[]) {
    test(`with ${JSON.stringify(environment)}`, () => assert.equal(planOf(environment), null))
  }
})

describe('OpenTelemetry is on', () => {
  const urlsOf = (environment: Record<string, string>) => {
    const plan = planOf(environment)
    return [plan?.traces?.url ?? null, plan?.metrics?.url ?? null]
  }

  test('where an address is set, for each kind under its own path', () => {
    const all = { OTEL_EXPORTER_OTLP_ENDPOINT: RECEIVER, OTEL_METRICS_EXPORTER: 'otlp' }
    const both = [`${RECEIVER}/v1/traces`, `${RECEIVER}/v1/metrics`]
    assert.deepEqual(urlsOf(all), both)
    assert.deepEqual(urlsOf({ ...all, OTEL_EXPORTER_OTLP_ENDPOINT: `${RECEIVER}/` }), both)
  })

  test('for spans alone where metrics are not asked for', () => {
    assert.deepEqual(urlsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: RECEIVER }), [`${RECEIVER}/v1/traces`, null])
  })

  test('for one kind, at the address as it is', () => {
    assert.deepEqual(urlsOf({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${RECEIVER}/here` }), [`${RECEIVER}/here`, null])
    const without = { OTEL_EXPORTER_OTLP_ENDPOINT: RECEIVER, OTEL_METRICS_EXPORTER: 'prometheus' }
    assert.deepEqual(urlsOf(without), [`${RECEIVER}/v1/traces`, null])
  })

  test('at the usual address where an exporter is named', () => {
    assert.deepEqual(urlsOf({ OTEL_TRACES_EXPORTER: 'otlp' }), ['http://localhost:4318/v1/traces', null])
  })

  test('with headers and attributes decoded, those of the kind before those of all', () => {
    const plan = planOf({
      OTEL_EXPORTER_OTLP_ENDPOINT: RECEIVER,
      OTEL_METRICS_EXPORTER: 'otlp',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc=, x-team=a',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-team=b',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=theirs,k=v',
    })
    assert.deepEqual(plan?.traces?.headers, { authorization: 'Basic abc=', 'x-team': 'b' })
    assert.deepEqual(plan?.metrics?.headers, { authorization: 'Basic abc=', 'x-team': 'a' })
    assert.deepEqual(plan?.resource, { 'service.name': 'theirs', k: 'v' })
  })

  test('with the sampler that is named', () => {
    const samplerOf = (name: string) =>
      planOf({ OTEL_TRACES_EXPORTER: 'otlp', OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: '0.25' })?.sampler
    assert.deepEqual(samplerOf('always_on'), { isParentBased: false, ratio: 1 })
    assert.deepEqual(samplerOf('parentbased_always_off'), { isParentBased: true, ratio: 0 })
    assert.deepEqual(samplerOf('traceidratio'), { isParentBased: false, ratio: 0.25 })
    assert.deepEqual(planOf({ OTEL_TRACES_EXPORTER: 'otlp' })?.sampler, { isParentBased: true, ratio: 1 })
  })
})

test('what cannot be followed stops the start, and its value is not repeated', () => {
  for (const [name, value] of [
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
    ['OTEL_TRACES_EXPORTER', 'console'],
    ['OTEL_TRACES_SAMPLER_ARG', '10'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'Zq7secret'],
  ] as const) {
    assert.throws(
      () => readSettings({ [name]: value }),
      (error: unknown) =>
        error instanceof ConfigError && error.message.includes(name) && !error.message.includes('Zq7'),
    )
  }
})
