import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { after, test } from 'node:test'
import '../../test/built-program.ts'
import { againstText, measureAgainst, OTHER } from '../against.ts'
import { QUICK, type RunOptions } from '../plan.ts'
import { DIRECT, HOP, PIPE } from '../run/contestants.ts'
import { builtProgram, OURS } from '../run/gateway.ts'
import { label } from '../run/scene.ts'
import { takeTurn } from '../run/turn.ts'
import { measureLatency } from './latency.ts'
import { measureSaturation } from './saturation.ts'
import { measureStreamMemory } from './stream-memory.ts'
import { measureFirstContent, measureStreams, WHOLE } from './streams.ts'

// The budget's test must not be slowed by this one.
const turn = await takeTurn(100_000)
after(() => turn[Symbol.dispose]())

const isLinux = existsSync('/proc/self/stat')
const BOTH_FAMILIES = [`${OURS}, OpenAI family`, `${OURS}, Anthropic family`]

function shortRun(): RunOptions {
  const plan = {
    ...QUICK,
    against: { rounds: 2, seconds: 0.1, warmupSeconds: 0.01, starts: 1 },
    warmupSeconds: 0.01,
    saturation: { rounds: 1, seconds: 0.1 },
    latency: { rates: [{ rate: 100, rounds: 1 }], seconds: 0.3 },
    streams: { rounds: 1, seconds: 0.1, warmupSeconds: 0.01, paces: ['paced' as const] },
    firstContent: { rates: [{ rate: 20, rounds: 1 }], seconds: 0.5 },
    streamMemory: { open: 20, streams: 20, calmMs: 100 },
  }
  return { plan, peers: [], build: builtProgram(), progress() {} }
}

/** No assertion on times: a machine that runs tests is busy. */
test('every target is measured as busy as it can be', { timeout: 400_000 }, async () => {
  const rows = await measureSaturation(shortRun())
  assert.deepEqual(rows.map(label), [DIRECT, HOP, ...BOTH_FAMILIES])
  for (const row of rows) {
    assert.equal(row.errors, 0, `${label(row)} had errors`)
    assert.ok(row.requests > 0 && row.p50Ms > 0 && row.p50Ms <= row.p99Ms, JSON.stringify(row))
    assert.equal(typeof row.cpuMicroseconds, isLinux && row.name !== DIRECT ? 'number' : 'object')
  }
})

test('two builds are compared by CPU per call', { timeout: 400_000, skip: !isLinux }, async () => {
  const rows = await measureAgainst(shortRun(), builtProgram(OTHER))
  assert.deepEqual(
    rows.map(({ name, rounds, errors }) => [name, rounds, errors]),
    [
      ['openai', 2, 0],
      ['anthropic', 2, 0],
    ],
  )
  for (const { ratio } of rows) assert.ok(ratio !== null && ratio > 0)
  assert.match(againstText(rows), /^openai +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+ to [\d.]+ +2 +\d+ +0$/m)
})

test('calls are made at a constant rate, and answered', { timeout: 400_000 }, async () => {
  const rows = await measureLatency(shortRun())
  assert.deepEqual(rows.map(label), [DIRECT, HOP, ...BOTH_FAMILIES])
  for (const row of rows) {
    assert.deepEqual([row.rate, row.calls], [100, 30], JSON.stringify(row))
    // A busy machine may have to shed some.
    assert.ok(row.failed < row.calls, JSON.stringify(row))
  }
  // Null where a busy machine delayed every call.
  const { p50Ms, p99Ms } = rows[0]?.added ?? assert.fail()
  assert.deepEqual([p50Ms ?? 0, p99Ms ?? 0], [0, 0])
})

test('streams are measured beside a proxy that only pipes', { timeout: 400_000 }, async () => {
  const rows = await measureStreams(shortRun())
  assert.deepEqual(rows.map(label), [PIPE, ...BOTH_FAMILIES, `${WHOLE}, OpenAI family`])
  for (const row of rows) assert.deepEqual([row.errors, row.requests > 0], [0, true], JSON.stringify(row))
})

test('every event of a stream is timed', { timeout: 400_000 }, async () => {
  const rows = await measureFirstContent(shortRun())
  assert.deepEqual(rows.map(label), [DIRECT, PIPE, ...BOTH_FAMILIES])
  for (const row of rows)
    assert.deepEqual([row.failed, row.calls, row.events?.count], [0, 10, 100], JSON.stringify(row))
})

test('open and cut streams are counted', { timeout: 400_000, skip: !isLinux }, async () => {
  const { open, failed, leftRunning, growth } = await measureStreamMemory(shortRun())
  assert.deepEqual([open, failed, leftRunning, growth.length], [20, 0, 0, 3])
})
