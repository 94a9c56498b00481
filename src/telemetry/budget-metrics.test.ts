import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { type BudgetGauge, observeBudgets } from './budget-metrics.ts'

const budget = (name: string, spentUsd: number, limitUsd = 10): BudgetGauge => ({
  ...{ scope: 'key', workspace: 'default', name, per: 'month', spentUsd, limitUsd },
})

function exposed(budgets: readonly BudgetGauge[]): Promise<string> {
  const registry = new Registry()
  observeBudgets(registry, () => budgets)
  return registry.metrics()
}

test('a budget has its spent money, its limit and the share', async () => {
  const text = await exposed([budget('ci', 8)])
  const labels = '{scope="key",workspace="default",name="ci",per="month"}'
  for (const [name, value] of [
    ['spent_usd', 8],
    ['limit_usd', 10],
    ['used_ratio', 0.8],
  ]) {
    assert.ok(text.includes(`switchyard_budget_${name}${labels} ${value}\n`), `${name} in ${text}`)
  }
})

test('however many there are, those that are used most are shown', async () => {
  const text = await exposed(Array.from({ length: 2_000 }, (_, place) => budget(`key-${place}`, place, 2_000)))
  assert.equal(text.match(/^switchyard_budget_used_ratio\{/gm)?.length, 500)
  assert.ok(text.includes('name="key-1999"') && text.includes('name="key-1500"') && !text.includes('name="key-1499"'))
})

test('of two with one name the one that is used more is shown, whole', async () => {
  const text = await exposed([budget('twin', 1), budget('twin', 9, 12)])
  assert.match(text, /spent_usd\{.*name="twin".*\} 9\n/)
  assert.match(text, /limit_usd\{.*name="twin".*\} 12\n/)
})

test('a budget that is gone has no series any more', async () => {
  const registry = new Registry()
  let budgets = [budget('ci', 1)]
  observeBudgets(registry, () => budgets)
  assert.match(await registry.metrics(), /name="ci"/)
  budgets = []
  assert.doesNotMatch(await registry.metrics(), /name="ci"/)
})
