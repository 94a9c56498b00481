import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, test } from 'node:test'
import { admissionText, measureAdmission } from './admission.ts'
import { COPY, DIRECT, HOP, OURS } from './contestants.ts'
import { measureEventLoop } from './event-loop.ts'
import { label } from './label.ts'
import { measureLatency } from './latency.ts'
import { measureLatencyTogether } from './latency-together.ts'
import { measureOverload } from './overload.ts'
import { QUICK, type RunOptions } from './plan.ts'
import { measureSaturation } from './saturation.ts'
import { measureTogether } from './together.ts'
import { takeTurn } from './turn.ts'

// The budget's test measures at the same time, and what it measures must not be slowed by this.
const turn = await takeTurn(100_000)
after(() => turn[Symbol.dispose]())

const isLinux = existsSync('/proc/self/stat')

function shortRun(): RunOptions & { said: string[] } {
  const said: string[] = []
  const plan = {
    ...QUICK,
    rounds: 1,
    sliceSeconds: 0.3,
    warmupSeconds: 0.1,
    together: { rounds: 2, seconds: 0.3, warmupSeconds: 0.1 },
    rates: [{ rate: 100, rounds: 1 }],
    latencySeconds: 0.5,
    latencyTogether: { rounds: 1, seconds: 0.5 },
  }
  const short = { ...plan, loopSeconds: 0.5, overloadSeconds: 0.5 }
  return { plan: short, peers: [], dist: false, progress: (text) => said.push(text), said }
}

/** Never a time: a machine that runs tests measures nothing. */
test('every target is measured as busy as it can be', { timeout: 120_000 }, async () => {
  const run = shortRun()
  const rows = await measureSaturation(run)
  const names = [DIRECT, HOP, COPY, `${OURS}, OpenAI family`, `${OURS}, Anthropic family`]
  assert.deepEqual(rows.map(label), names)
  assert.equal(run.said.length, 2 * names.length)
  for (const row of rows) {
    assert.equal(row.errors, 0, `${label(row)} had errors`)
    assert.ok(row.requests > 0 && row.p50Ms > 0 && row.p50Ms <= row.p99Ms, JSON.stringify(row))
    assert.equal(typeof row.cpuMicroseconds, isLinux && row.name !== DIRECT ? 'number' : 'object')
  }
})

test('all are busy at the same time, each with a process of its own', { timeout: 120_000 }, async () => {
  const run = shortRun()
  const rows = await measureTogether(run)
  assert.deepEqual(rows.map(label), [HOP, `${OURS}, OpenAI family`, `${OURS}, Anthropic family`])
  assert.equal(run.said.length, 4)
  for (const row of rows) {
    assert.deepEqual([row.errors, row.eachRound.length], [0, 2], JSON.stringify(row))
    assert.ok(row.requests > 0, `${label(row)} had no requests`)
    assert.equal(typeof row.hopRatio, isLinux ? 'number' : 'object')
  }
  assert.equal(rows[0]?.hopRatio, isLinux ? 1 : null)
})

test('calls at a constant rate are all answered, none before its provider', { timeout: 120_000 }, async () => {
  const rows = await measureLatency(shortRun())
  assert.deepEqual(rows.map(label), [DIRECT, HOP, `${OURS}, OpenAI family`, `${OURS}, Anthropic family`])
  for (const row of rows) assert.deepEqual([row.failed, row.p50Ms >= 50], [0, true], JSON.stringify(row))
  assert.deepEqual(rows[0]?.added, { p50Ms: 0, p99Ms: 0, allP99Ms: 0, allP999Ms: 0 })
})

test('direct calls, the bare proxy and ours are called at the same time', { timeout: 120_000 }, async () => {
  const rows = await measureLatencyTogether(shortRun())
  assert.deepEqual(rows.map(label), [DIRECT, HOP, `${OURS}, OpenAI family`])
  for (const row of rows) assert.deepEqual([row.rate, row.calls, row.rounds], [100, 50, 1], JSON.stringify(row))
})

test('the event loop is watched in every phase', { timeout: 120_000, skip: !isLinux }, async () => {
  const rows = await measureEventLoop(shortRun())
  assert.equal(rows.length, 5)
  for (const row of rows) {
    assert.equal(row.failed, 0, JSON.stringify(row))
    assert.ok(row.longest.ms > 0, JSON.stringify(row))
  }
})

test('every 200 of an overload is in the log', { timeout: 120_000 }, async () => {
  const { before, during, missingFromLog } = await measureOverload(shortRun(), 200)
  assert.deepEqual([before.due, during.due, missingFromLog], [100, 200, 0])
  // A crowded machine may have to turn calls away; it must answer them all.
  for (const stage of [before, during])
    assert.deepEqual([stage.failed, stage.unanswered], [0, 0], JSON.stringify(stage))
})

test('what a call pays for its limits is measured and reported', () => {
  const cost = measureAdmission(500)
  assert.ok(cost.ledger > 0 && cost.translation > 0)
  assert.match(admissionText(cost), /Limits, in CPU a call: -?[\d.]+ µs/)
})
