import { asPicodollars, exactUsd } from '../src/domain/pricing/price.ts'
import { sumsForReconciliation } from '../src/request-log/reconcile/our-sums.ts'
import { DEMO_ADMIN_KEY } from './config.ts'

type Reads = Parameters<typeof sumsForReconciliation>[0]

const DAY_MS = 86_400_000
const FIRST_DAY = 9
/** Settled by now. */
const LAST_DAY = 3
const PROVIDER = 'openai'
const HEADER = 'date,time_zone,model,account,class,quantity,unit,amount,currency'

/** A week of the simulated provider's bill, for the page that compares it: it has searches, and calls of a stranger. */
export async function importDemoReport(gateway: { url: string; reads: Reads }, now: number): Promise<void> {
  const today = now - (now % DAY_MS)
  const lines: string[] = []
  for (let ago = FIRST_DAY; ago >= LAST_DAY; ago--) {
    lines.push(...(await billOf(gateway.reads, today - ago * DAY_MS, ago)))
  }
  if (lines.length === 0) return
  const body = {
    source: 'csv',
    provider: PROVIDER,
    file_name: 'simulated-bill.csv',
    text: [HEADER, ...lines, ''].join('\n'),
  }
  const response = await fetch(`${gateway.url}/reports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${DEMO_ADMIN_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`the demo's report: ${await response.text()}`)
}

async function billOf(reads: Reads, day: number, ago: number): Promise<string[]> {
  const totals = new Map<string, { quantity: bigint; amount: bigint }>()
  const add = (place: string, quantity: bigint, amount: bigint) => {
    const before = totals.get(place) ?? { quantity: 0n, amount: 0n }
    totals.set(place, { quantity: before.quantity + quantity, amount: before.amount + amount })
  }
  const workspaces = await reads.selectFrom('workspaces').select('name').execute()
  for (const { name: workspace } of workspaces) {
    const sums = await sumsForReconciliation(reads, { workspace, from: day, to: day + DAY_MS, width: DAY_MS })
    for (const { provider, model, tokens, amounts, prices } of sums) {
      if (provider !== PROVIDER || prices === null) continue
      for (const [name, count] of tokens) add(`${model},project-1,${name}`, count, amounts.get(name) ?? 0n)
      const strangers = ago === FIRST_DAY - 2 && !totals.has('stranger')
      if (!strangers) continue
      totals.set('stranger', { quantity: 0n, amount: 0n })
      for (const [name, count] of [
        ['input', 240_000n],
        ['output', 18_000n],
      ] as const) {
        add(`${model},project-1,${name}`, count, count * (prices.get(name) ?? 0n))
      }
    }
  }
  totals.delete('stranger')
  if (ago === FIRST_DAY - 4) totals.set(',project-1,tool:web_search', { quantity: 40n, amount: 400_000_000_000n })
  const date = new Date(day).toISOString().slice(0, 10)
  return [...totals].map(
    ([place, { quantity, amount }]) => `${date},UTC,${place},${quantity},,${exactUsd(asPicodollars(amount))},USD`,
  )
}
