import type { BilledCall } from '../../simulator/bill.ts'
import type { LoggedCall } from '../bench.ts'
import { billOf, picodollars, usdOf } from '../prices.ts'
import type { Proof } from '../proof.ts'
import { type Target, until } from '../target.ts'

const EVENTS = 20
const AT_ONCE = 'leftatonce'

/** A caller who leaves after each event of a stream: the provider bills the whole answer. */
export const hangUp: Proof = {
  id: 'hang-up',
  name: 'callers who leave',
  promise: 'What a provider may bill for a caller who left is in the log, as cost or as unconfirmed spend.',
  refutedBy: 'A call whose row allows for less than its provider has billed.',
  async run(bench) {
    const { id, value } = await bench.newKey()
    const places = await leaveAll(bench, value)
    let rows: LoggedCall[] = []
    await until(async () => {
      rows = await bench.rows(id)
      return rows.length === places.length + 1 && rows.every(({ state }) => state === 'closed')
    }, 'every call that was left has its row')
    const problems: string[] = []
    const bySession = new Map(rows.map((row) => [row.session, row]))
    for (const [marker, calls] of grouped(bench.simulator.bill)) {
      const row = bySession.get(marker)
      const allowed = picodollars(row?.cost_usd ?? null) + picodollars(row?.unconfirmed_most_usd ?? null)
      if (allowed >= billOf(calls)) continue
      problems.push(`${row?.id ?? marker}: ${usdOf(allowed)} USD in the log, ${usdOf(billOf(calls))} billed`)
    }
    for (const { id: call, session, cost_usd: cost } of rows) {
      if (session === AT_ONCE || picodollars(cost) > 0n) continue
      problems.push(`${call} costs nothing, although its caller has seen a part of the answer`)
    }
    const sum = (field: 'cost_usd' | 'unconfirmed_most_usd') =>
      rows.reduce((total, row) => total + picodollars(row[field]), 0n)
    return {
      figures: {
        'calls left': rows.length,
        'billed (USD)': usdOf(billOf(bench.simulator.bill)),
        'logged as cost (USD)': usdOf(sum('cost_usd')),
        'unconfirmed at most (USD)': usdOf(sum('unconfirmed_most_usd')),
      },
      problems,
    }
  },
  at: async (target) => {
    const key = await target.newKey()
    const places = await leaveAll(target, key.value)
    const billed = () => billOf(target.simulator.bill)
    const spent = await target.spent(key, (sum) => sum >= billed())
    const problems = spent < billed() ? [`${usdOf(spent)} USD in the log, ${usdOf(billed())} billed`] : []
    if (billed() === 0n) problems.push('it has served none of the calls')
    return {
      figures: { 'calls left': places.length + 1, 'billed (USD)': usdOf(billed()), 'logged (USD)': usdOf(spent) },
      problems,
    }
  },
}

/** After each event of a stream, or some of them, and once before any. */
async function leaveAll(target: Target, key: string): Promise<number[]> {
  const step = target.isQuick ? 5 : 1
  const places = Array.from({ length: EVENTS / step }, (_, place) => place * step)
  await Promise.all([leaveAtOnce(target, key), ...places.map((events) => leaveAfter(target, key, events))])
  return places
}

function grouped(bill: readonly BilledCall[]): Map<string, BilledCall[]> {
  const calls = new Map<string, BilledCall[]>()
  for (const call of bill) calls.set(call.marker ?? '', [...(calls.get(call.marker ?? '') ?? []), call])
  return calls
}

/** While the provider is at work, and before anything of the answer is there. */
async function leaveAtOnce({ ask, simulator }: Target, key: string): Promise<void> {
  const leaving = new AbortController()
  const messages = [{ role: 'user', content: `Who are you, #${AT_ONCE}` }]
  const left = ask(
    key,
    { model: 'slow', max_tokens: 100, messages },
    { headers: { 'x-gateway-session': AT_ONCE }, signal: leaving.signal },
  )
  await until(() => simulator.calls.some(({ marker }) => marker === AT_ONCE), 'the provider has the call')
  leaving.abort()
  await left
}

async function leaveAfter(target: Target, key: string, events: number): Promise<void> {
  const marker = `left${String(events).padStart(4, '0')}`
  const leaving = new AbortController()
  const response = await fetch(`${target.url()}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-gateway-session': marker },
    body: JSON.stringify({
      ...{ model: target.modelOf('events'), stream: true, max_tokens: 100 },
      messages: [{ role: 'user', content: `Who are you, #${marker}` }],
    }),
    signal: leaving.signal,
  })
  let seen = 0
  try {
    for await (const chunk of response.body ?? []) {
      seen += Buffer.from(chunk).toString().split('\n\n').length - 1
      if (seen > events) break
    }
  } finally {
    leaving.abort()
  }
}
