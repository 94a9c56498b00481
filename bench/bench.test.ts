import assert from 'node:assert/strict'
import { test } from 'node:test'
import { admissionText, measureAdmission } from './admission.ts'
import { reportText } from './report.ts'
import { BARE_PROXY, runBench } from './run.ts'

/** Never a time: a machine that runs tests measures nothing. */
test('a short run measures every target and reports it', { timeout: 180_000 }, async () => {
  const slices: string[] = []
  const result = await runBench({
    rounds: 1,
    secondsPerSlice: 1,
    warmupSeconds: 0.3,
    connections: 4,
    onSlice: (text) => slices.push(text),
  })
  const names = result.measurements.map((row) => row.name)
  assert.deepEqual(names, ['direct to upstream', BARE_PROXY, 'gateway, OpenAI family', 'gateway, Anthropic family'])
  assert.equal(slices.length, names.length)
  for (const row of result.measurements) {
    assert.equal(row.errors, 0, `${row.name} had errors`)
    assert.ok(row.requests > 0 && row.p50Ms > 0 && row.p50Ms <= row.p99Ms, JSON.stringify(row))
    const measured = row.name !== 'direct to upstream' && process.platform === 'linux'
    assert.equal(typeof row.cpuMicroseconds, measured ? 'number' : 'object')
    assert.equal(typeof row.rssIdleBytes, measured ? 'number' : 'object')
  }
  assert.equal(result.measurements[1]?.cpuRatio, process.platform === 'linux' ? 1 : null)
  const text = reportText(result)
  for (const name of names) assert.ok(text.includes(name), text)
  assert.match(text, /× bare proxy/)
})

test('what a call pays for its limits is measured and reported', () => {
  const cost = measureAdmission(500)
  assert.ok(cost.ledger > 0 && cost.translation > 0)
  assert.match(admissionText(cost), /Limits, in CPU a call: -?[\d.]+ µs/)
})
