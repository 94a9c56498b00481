import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runChaos } from './chaos.ts'
import { isServed } from './judge.ts'
import type { Ending } from './load.ts'
import { KEYS } from './workload.ts'

test('three gateways, PostgreSQL and Valkey killed by a schedule under load keep every promise', async (t) => {
  // Few calls: the other tests want the processor too. At length: npm run test:chaos.
  const report = await runChaos({
    seed: 7,
    durationMs: 60_000,
    pauseMs: 1_200,
    // All that is asserted below.
    isEnough: (calls) => {
      const served = calls.filter(({ ending }) => isServed(ending))
      const streamed = served.filter(({ ending }) => ending.kind === 'answered' && ending.ended === 'finished')
      const isMet = (met: (ending: Ending) => boolean) => calls.some(({ ending }) => met(ending))
      return (
        served.length > 40 &&
        streamed.length > 5 &&
        KEYS.every((key) => served.some((call) => call.key === key)) &&
        isMet((ending) => ending.kind === 'answered' && ending.code === 'budget_exceeded') &&
        isMet((ending) => ending.kind === 'cut' && ending.sawContent)
      )
    },
    say: (line) => t.diagnostic(line),
  })
  const { problems, budgets, ...counts } = report
  t.diagnostic(JSON.stringify(counts))
  assert.deepEqual(problems, [])
  assert.deepEqual([counts.lost, counts.unknown, counts.open], [0, 0, 0])
  // A run in which nothing happened proves nothing.
  assert.ok(counts.served > 20 && counts.cut > 0 && counts.upstreamCalls >= counts.served, JSON.stringify(counts))
  assert.ok((counts.answers['402 budget_exceeded'] ?? 0) > 0, JSON.stringify(counts))
  assert.ok(counts.streamed > 5 && counts.cutStreams > 0, JSON.stringify(counts))
  assert.ok(budgets.every(({ samples, spent }) => samples > 10 && spent > 0n))
  assert.ok(budgets.some(({ covered }) => covered > 0))
})
