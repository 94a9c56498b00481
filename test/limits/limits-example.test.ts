import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { periodBounds } from '../../src/domain/budgets/budget-period.ts'
import { asPicodollars, exactUsd, picodollarsOfUsd } from '../../src/domain/pricing/price.ts'
import type { HeldCall } from '../../src/limits/admission.ts'
import { limitError } from '../../src/limits/errors.ts'
import { openLedger } from './open-slots.ts'

const page = readFileSync('docs/limits.md', 'utf8')
const rows = [...page.matchAll(/^\| (\d) \| (.*?) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$/gm)]

test('the worked example of docs/limits.md is what the ledger does, row by row', () => {
  const now = Date.UTC(2026, 10, 15)
  const scope = { kind: 'key', id: 'k' } as const
  const none = asPicodollars(0n)
  const spentBefore = picodollarsOfUsd('0.98')
  const spent = { day: none, week: none, month: spentBefore, total: spentBefore }
  const ledger = openLedger(() => now, [{ scope, spent, seconds: [], inFlight: 0, held: spent }])
  const budget = { usd: '1', per: 'month', mode: 'hard' } as const
  const payer = { key: { id: 'k', limits: { budget } }, workspace: { name: 'w', limits: null } }
  const calls = new Map<string, HeldCall>()

  assert.equal(rows.length, 6)
  for (const [, , text = '', spentUsd, heldUsd, leftUsd] of rows) {
    const name = /call ([ABC])/.exec(text)?.[1] ?? ''
    if (/arrives|comes again/.test(text)) {
      const decision = ledger.admit(payer, { picodollars: picodollarsOfUsd('0.007'), tokens: 3_000 }, 'call')
      assert.equal(decision.kind, text.endsWith('held') ? 'admitted' : 'refused', text)
      if (decision.kind === 'admitted') calls.set(name, decision.call)
    } else if (text !== 'before') {
      const call = calls.get(name)
      assert.ok(call)
      const cost = /costs ([\d.]+)/.exec(text)?.[1]
      ledger.settle(call, { picodollars: cost === undefined ? null : picodollarsOfUsd(cost), tokens: 0 })
    }
    const { month } = ledger.look(scope).periods
    const left = asPicodollars(picodollarsOfUsd('1') - month.spent - month.held)
    assert.deepEqual([month.spent, month.held, left].map(exactUsd), [spentUsd, heldUsd, leftUsd], text)
    assert.equal(month.resetsAt, periodBounds('month', now).resetsAt)
  }
})

test('what call C sees in docs/limits.md is what a refused call sees', () => {
  const shown = JSON.parse(/```json\n(.*?)```/s.exec(page)?.[1] ?? 'null').error
  const error = limitError(
    {
      kind: 'budget',
      scope: { kind: 'key', id: shown.details.scope_id },
      per: 'month',
      limit: picodollarsOfUsd('1'),
      spent: picodollarsOfUsd('0.98'),
      held: picodollarsOfUsd('0.014'),
      resetsAt: Date.UTC(2026, 11, 1),
    },
    {
      picodollars: picodollarsOfUsd('0.007'),
      tokens: 3_000,
      terms: [
        {
          entry: {
            provider: 'p',
            model: 'm',
            timeoutMs: 1,
            idleTimeoutMs: null,
            retries: 0,
            maxOutputTokens: null,
            hedgeAfterMs: null,
            defaults: null,
          },
          position: 0,
          terms: {
            promptTokens: 2_000,
            outputTokens: 1_000,
            answers: 1,
            prices: { prompt: picodollarsOfUsd('0.002'), perOutputToken: picodollarsOfUsd('0.000005') },
          },
        },
      ],
    },
    { name: "key 'batch'", workspace: 'default' },
  )
  assert.deepEqual([error.code, error.message, error.details], [shown.code, shown.message, shown.details])
})
