import { billOf, dearestCall, usdOf } from '../prices.ts'
import type { Finding, Proof } from '../proof.ts'
import type { Target } from '../target.ts'

const ANSWER_TOKENS = 100
const FITTING = 37n

/**
 * Calls at once, more than ten times what the budget can pay; two entries of different prices, of which the dearer one
 * answers in full length; a new key on the way.
 */
export const budget: Proof = {
  id: 'budget',
  name: 'hard budget',
  promise: 'A hard budget is never exceeded, however many calls run at once, fall back or follow a key rotation.',
  refutedBy: 'The providers bill more than the budget, or the log says another sum than they do.',
  run: tried,
  at: tried,
}

async function tried(bench: Target): Promise<Finding> {
  const { simulator } = bench
  const request = {
    ...{ model: 'dearer', max_tokens: ANSWER_TOKENS },
    messages: [{ role: 'user', content: 'What does this call cost at most?' }],
  }
  const limit = dearestCall(request, ANSWER_TOKENS) * FITTING
  const made = await bench.newKey({ budget: { usd: usdOf(limit), per: 'total', mode: 'hard' } })
  let key = made.value
  const calls = bench.isQuick ? 150 : 500
  const problems: string[] = []
  const statuses: number[] = []
  const others: number[] = []
  let refused = 0
  const check = (when: string) => {
    const billed = billOf(simulator.bill)
    if (billed > limit && problems.length === 0)
      problems.push(`${when} the providers had billed ${usdOf(billed)} USD of ${usdOf(limit)}`)
  }
  const one = async () => {
    const answer = await bench.ask(key, request)
    const { status } = answer
    statuses.push(status)
    if (bench.isRefusal(answer)) refused += 1
    else if (status !== 200) others.push(status)
    check(`after ${statuses.length} calls`)
    return status
  }
  const first = Array.from({ length: calls / 2 }, one)
  key = (await bench.rotate(made)) ?? key
  await Promise.all([...first, ...Array.from({ length: calls / 2 }, one)])
  // On until the last that fits is served, some at once to the end.
  let isServing = true
  while (isServing && problems.length === 0) {
    isServing = (await Promise.all(Array.from({ length: 8 }, one))).includes(200)
  }
  const logged = await bench.spent(made, (sum) => sum === billOf(simulator.bill))
  const billed = billOf(simulator.bill)
  if (logged !== billed) problems.push(`the log says ${usdOf(logged)} USD, the providers ${usdOf(billed)}`)
  if (others.length > 0) problems.push(`${others.length} calls were answered ${[...new Set(others)].join(', ')}`)
  const served = statuses.filter((status) => status === 200).length
  const least = Number(FITTING)
  if (served < least) problems.push(`only ${served} calls were served, although ${least} always fit`)
  return {
    figures: {
      calls: statuses.length,
      served,
      refused,
      'budget (USD)': usdOf(limit),
      'billed (USD)': usdOf(billed),
      'logged (USD)': usdOf(logged),
    },
    problems,
  }
}
