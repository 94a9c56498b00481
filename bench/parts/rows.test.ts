import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClosedLoopResult } from '../load/closed-loop.ts'
import type { StageResult } from '../load/open-loop.ts'
import { DIRECT, HOP } from '../run/contestants.ts'
import { OURS } from '../run/gateway.ts'
import { latencyRows, undisturbed } from './latency.ts'
import { saturationRow } from './saturation.ts'
import { togetherRows } from './together.ts'

function load(cpuMicroseconds: number): ClosedLoopResult {
  return {
    requests: 10,
    shed: 0,
    errors: 0,
    firstError: null,
    seconds: 1,
    latencyMs: { p50: 1, p99: 2 },
    usage: { cpuMicroseconds, servingMicroseconds: cpuMicroseconds / 2, rssBytes: 50e6 },
  }
}

test('saturation is the median of the slices; calls are counted in all', () => {
  const row = saturationRow({ name: OURS, family: 'openai' }, [load(1_000), load(8_000), load(2_000)])
  assert.deepEqual([row.cpuMicroseconds, row.requests], [200, 30])
  assert.deepEqual([row.requestsPerSecond, row.requestsPerSecondSpread], [10, [10, 10]])
})

test('CPU per call is compared with the bare proxy of the same round', () => {
  const share = (name: string, cpuMicroseconds: number) => ({
    name,
    family: 'openai' as const,
    load: load(cpuMicroseconds),
  })
  const rounds = [1, 3, 2].map((slowness) => [share(HOP, 1_000 * slowness), share(OURS, 1_200 * slowness)])
  const [bare, ours] = togetherRows([...rounds, [share(HOP, 1_000), share(OURS, 2_000)]])
  assert.deepEqual([bare?.hopRatio, ours?.hopRatio, ours?.hopRatioSpread], [1, 1.2, [1.2, 1.2]])
  assert.deepEqual([ours?.eachRound, ours?.cpuMicroseconds], [[120, 360, 240, 200], 220])
  assert.deepEqual([ours?.servingMicroseconds, ours?.requests, ours?.errors], [110, 40, 0])
})

test('calls around a late direct call do not count, however long they took', () => {
  const zero = { p50: 0, p99: 0 }
  const calls = (name: string, ms: number[]) => ({
    name,
    family: 'openai' as const,
    stage: {
      ...{ rate: 500, due: ms.length, ok: ms.length, shed: 0, failed: 0, firstError: null, unanswered: 0 },
      ...{ okMs: zero, lateMs: zero, okEachMs: ms, okDueMs: ms.map((_, index) => index * 100) },
    } satisfies StageResult,
  })
  // The host paused during the third call; the fifth was slow on its own.
  const round = [
    calls(DIRECT, [50, 50, 80, 50, 50.5]),
    calls(HOP, [51, 51, 90, 51, 53]),
    calls(OURS, [51.5, 51.5, 70, 51.5, 56]),
  ]
  assert.deepEqual(undisturbed(round[2]!.stage, round[0]!.stage), [51.5, 51.5, 51.5, 56])
  const [direct, hop, ours] = latencyRows([round, round], 500)
  assert.deepEqual([direct?.added.p99Ms, direct?.hopRatio], [0, { p50: null, p99: null }])
  assert.deepEqual(hop?.hopRatio, { p50: 1, p99: 1 })
  assert.deepEqual(
    [ours?.added, ours?.hopRatio],
    [
      { p50Ms: 1.5, p99Ms: 5.5 },
      { p50: 1.5, p99: 2.2 },
    ],
  )
  assert.deepEqual([ours?.calls, ours?.counted, ours?.rounds], [10, 8, 2])
  const withEvents = (name: string, ms: number) => {
    const events = { count: 10, joined: 1, delayMs: { p50: ms, p99: ms * 2 } }
    return { ...calls(name, [50]), stage: { ...calls(name, [50]).stage, events } }
  }
  const [, streams] = latencyRows([[withEvents(DIRECT, 1), withEvents(OURS, 3)]], 300)
  assert.deepEqual(streams?.events, { addedP50Ms: 2, addedP99Ms: 4, joined: 1, count: 10 })
  const [, starved] = latencyRows([[calls(DIRECT, [50]), calls(OURS, [])]], 500)
  assert.deepEqual([starved?.added, starved?.counted], [{ p50Ms: null, p99Ms: null }, 0])
})
