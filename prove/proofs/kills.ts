import type { Bench } from '../bench.ts'
import { billOf, picodollars, usdOf } from '../prices.ts'
import type { Proof } from '../proof.ts'
import { type Answer, type Key, until } from '../target.ts'

const CALLERS = 16
const MODELS = ['slow', 'dearer', 'plain', 'refused', 'plain']

/** The process dies under load, again and again: SIGKILL, so that it cannot do anything about it. */
export const kills: Proof = {
  id: 'kills',
  name: 'kill -9',
  promise: 'No answered call is missing from the log, and no budget is exceeded, however often the gateway is killed.',
  refutedBy: 'A caller has an answer, or a provider a call, that the log does not know; or a cost that changed.',
  at: 'another process is not killed',
  async run(bench) {
    const rounds = bench.isQuick ? 2 : 8
    const limit = 50_000_000_000n
    const limited = await bench.newKey({ budget: { usd: usdOf(limit), per: 'total', mode: 'hard' } })
    const free = await bench.newKey()
    const problems: string[] = []
    const answers: Answer[] = []
    let sent = 0
    for (let round = 0; round < rounds; round++) {
      const load = startLoad(bench, [limited, free], answers, () => `call${String(++sent).padStart(6, '0')}`)
      const wanted = answers.length + CALLERS
      await until(() => answers.length >= wanted, 'calls are answered')
      await new Promise((resolve) => setTimeout(resolve, bench.random() * 150))
      await bench.gateway.kill()
      await load.stop()
      await bench.gateway.start()
    }
    const rows = new Map(
      [...(await bench.rows(limited.id)), ...(await bench.rows(free.id))].map((row) => [row.id, row]),
    )
    for (const { id, status, costUsd } of answers) {
      const row = rows.get(id ?? '')
      if (row === undefined) problems.push(`${id} was answered ${status} and is not in the log`)
      else if (row.status !== status || picodollars(row.cost_usd) !== picodollars(costUsd)) {
        problems.push(`${id} was answered ${status} for ${costUsd}, the log says ${row.status} and ${row.cost_usd}`)
      }
    }
    const sessions = new Set([...rows.values()].map(({ session }) => session))
    const unknown = bench.simulator.bill.filter(({ marker }) => !sessions.has(marker))
    if (unknown.length > 0) problems.push(`the providers have ${unknown.length} calls that the log does not know`)
    const ofLimited = new Set((await bench.rows(limited.id)).map(({ session }) => session))
    const billed = billOf(bench.simulator.bill.filter(({ marker }) => ofLimited.has(marker)))
    if (billed > limit) problems.push(`${usdOf(billed)} USD were billed of a budget of ${usdOf(limit)}`)
    const open = [...rows.values()].filter(({ state }) => state !== 'closed').length
    if (open > 0) problems.push(`${open} calls of dead processes are still open`)
    const interrupted = [...rows.values()].filter(({ code }) => code === 'interrupted').length
    return {
      figures: { kills: rounds, 'calls sent': sent, answered: answers.length, 'in the log': rows.size, interrupted },
      problems,
    }
  },
}

function startLoad({ ask }: Bench, keys: readonly Key[], answers: Answer[], nextMarker: () => string) {
  let isRunning = true
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    const key = keys[caller % keys.length]?.value ?? ''
    while (isRunning) {
      const marker = nextMarker()
      const model = MODELS[caller % MODELS.length] ?? 'plain'
      const messages = [{ role: 'user', content: `Who are you, #${marker}` }]
      const headers = { 'x-gateway-session': marker }
      const answer = await ask(key, { model, max_tokens: 50, messages }, { headers })
      if (answer.status === 0) break
      answers.push(answer)
    }
  })
  return {
    async stop() {
      isRunning = false
      await Promise.all(callers)
    },
  }
}
