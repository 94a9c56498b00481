import { HOP, OURS } from './contestants.ts'
import type { LatencyRow } from './latency.ts'
import type { LatencyTogetherRow } from './latency-together.ts'
import type { StageResult } from './open-loop.ts'
import type { BenchResult } from './result.ts'
import type { SaturationRow } from './saturation.ts'
import type { Family } from './scene.ts'
import type { TogetherRow } from './together.ts'

/** A result in which every target holds, for tests of what is made of one. */
export function exampleResult(): BenchResult {
  return {
    startedAt: '2026-11-15T10:00:00.000Z',
    node: 'v24.0.0',
    processor: 'An example',
    cores: 2,
    notPinned: null,
    quick: false,
    dist: false,
    rounds: 5,
    sliceSeconds: 3,
    problems: [],
    start: { milliseconds: 900, firstMilliseconds: 1_200 },
    together: [
      shared(HOP, 'openai', 100),
      shared(OURS, 'openai', 130),
      shared(OURS, 'anthropic', 150),
      shared('Portkey', 'openai', 700),
    ],
    saturation: [
      saturated(HOP, 'openai', 100),
      saturated(OURS, 'openai', 130),
      saturated(OURS, 'anthropic', 150),
      saturated('Portkey', 'openai', 700),
    ],
    latency: [added(HOP, 0.3, 1.5), added(OURS, 0.4, 1.8), added('Portkey', 1.4, 47)],
    latencyTogether: [addedTogether(HOP, 0.3, 1), addedTogether(OURS, 0.4, 1.3)],
    memory: [{ name: OURS, family: 'openai', rssIdleBytes: 110e6, rssInFlightBytes: 200e6, failed: 0 }],
    bodies: [
      {
        name: OURS,
        family: 'openai',
        body: '1m',
        slices: { used: 5, all: 7 },
        requestsPerSecond: 500,
        cpuMicroseconds: 2_000,
        hopRatio: 0.2,
        copyRatio: 1.8,
        longestHoldMs: 3,
        errors: 0,
      },
    ],
    eventLoop: [
      {
        what: 'calls alone',
        longest: { ms: 6, measuredMs: 12, slowdown: 2, clockMs: 13, cpuMs: 11, collectingMs: 3, atMs: 0 },
        worstMs: 9,
        worstMeasuredMs: 15,
        over10ms: 0,
        p50Ms: 50.4,
        p99Ms: 52,
        failed: 0,
      },
    ],
    overload: {
      saturationRate: 5_000,
      before: stage(2_500, 5_000, 0),
      during: stage(10_000, 30_000, 30_000),
      after: stage(2_500, 10_000, 0),
      recoveryMs: 100,
      missingFromLog: 0,
      rssPeakBytes: 200e6,
    },
    admission: { total: 10, ledger: 5, translation: 5 },
  }
}

function shared(name: string, family: Family, cpuMicroseconds: number): TogetherRow {
  return {
    name,
    family,
    requests: 10_000,
    shed: 0,
    errors: 0,
    cpuMicroseconds,
    servingMicroseconds: cpuMicroseconds * 0.8,
    hopRatio: cpuMicroseconds / 100,
    hopRatioSpan: [cpuMicroseconds / 110, cpuMicroseconds / 90],
    eachRound: [cpuMicroseconds, cpuMicroseconds],
  }
}

function saturated(name: string, family: Family, cpuMicroseconds: number): SaturationRow {
  return {
    name,
    family,
    slices: { used: 8, all: 15 },
    requests: 10_000,
    shed: 0,
    errors: 0,
    requestsPerSecond: 1e6 / cpuMicroseconds,
    p50Ms: 3,
    p99Ms: 6,
    cpuMicroseconds,
    servingMicroseconds: cpuMicroseconds * 0.8,
    cpuMicrosecondsOfAll: cpuMicroseconds * 1.2,
    coreShare: 0.98,
    rssIdleBytes: 110e6,
    rssLoadBytes: 150e6,
  }
}

function added(name: string, p50Ms: number, p99Ms: number): LatencyRow {
  const whole = { p50Ms: 50 + p50Ms, p99Ms: 51 + p99Ms, allP99Ms: 53 + p99Ms, allP999Ms: 54 + p99Ms }
  return {
    name,
    family: 'openai',
    rate: 500,
    slices: { used: 12, all: 21 },
    ...whole,
    added: { p50Ms, p99Ms, allP99Ms: p99Ms + 1, allP999Ms: p99Ms + 2 },
    failed: 0,
    lateP99Ms: 0.3,
  }
}

function addedTogether(name: string, p50Ms: number, ratio: number): LatencyTogetherRow {
  return {
    name,
    family: 'openai',
    rate: 500,
    added: { p50Ms, p99Ms: 5 * p50Ms },
    hopRatio: { p50: ratio, p99: ratio },
    calls: 10_000,
    counted: 8_000,
    rounds: 10,
  }
}

function stage(rate: number, ok: number, shed: number): StageResult {
  const percentiles = { p50: 2, p90: 3, p99: 8, p999: 9, max: 10 }
  return {
    rate,
    due: ok + shed,
    ok,
    shed,
    failed: 0,
    firstError: null,
    unsent: 0,
    unanswered: 0,
    okMs: percentiles,
    okEachMs: [],
    okDueMs: [],
    shedMs: percentiles,
    lateMs: percentiles,
    mostConnections: 100,
    window: { fromMs: 0, toMs: 1_000 },
  }
}
