import type { Finding, Proof } from '../proof.ts'
import { type Target, until } from '../target.ts'

const MEBIBYTE = 1024 * 1024
/**
 * What is remembered of callers is bounded: 64 MiB of answers for repeats, names, and what the heap has not yet given
 * back. 400 MB are sent.
 */
const MOST_GROWTH = 250 * MEBIBYTE
const TOGETHER = 32

/** One key names another session, user, tag, agent and model with every call, and sends a long text each time. */
export const memory: Proof = {
  id: 'memory',
  name: 'memory',
  promise: 'One key cannot fill the memory, whatever names it invents.',
  refutedBy: `Memory that grows by more than ${MOST_GROWTH / MEBIBYTE} MiB after a first thousand calls.`,
  run: tried,
  at: tried,
}

async function tried(bench: Target): Promise<Finding> {
  const calls = bench.isQuick ? 2_000 : 20_000
  const { value } = await bench.newKey({ budgets: [{ each: 'session', usd: '1', per: 'total', mode: 'hard' }] })
  await flood(bench, value, 1_000, 'first')
  const before = await bench.memory()
  await flood(bench, value, calls, 'then')
  let after = await bench.memory()
  // What is waiting to be collected is not remembered.
  await until(
    async () => {
      after = await bench.memory()
      return before === null || after === null || after - before < MOST_GROWTH
    },
    'memory is freed',
    10_000,
  ).catch(() => {})
  if (before === null || after === null) return { figures: { 'not measured': 'no ps on this machine' }, problems: [] }
  const mebibytes = (bytes: number) => Math.round(bytes / MEBIBYTE)
  const grown = after - before
  return {
    figures: { calls, 'before (MiB)': mebibytes(before), 'after (MiB)': mebibytes(after) },
    problems: grown > MOST_GROWTH ? [`the memory grew by ${mebibytes(grown)} MiB`] : [],
  }
}

async function flood({ ask }: Target, key: string, calls: number, name: string): Promise<void> {
  let next = 0
  const filler = 'x'.repeat(20_000)
  await Promise.all(
    Array.from({ length: TOGETHER }, async () => {
      while (next < calls) {
        const each = `${name}-${next++}`
        const headers = {
          ...{ 'x-gateway-session': each, 'x-gateway-agent': each, 'x-gateway-project': each, 'idempotency-key': each },
        }
        // Every other one names a model that does not exist.
        const model = next % 2 === 0 ? 'plain' : `nothing/${each}`
        const names = { user: each, metadata: { t: each } }
        const messages = [{ role: 'user', content: filler + each }]
        await ask(key, { model, max_tokens: 5, messages, ...names }, { headers })
      }
    }),
  )
}
