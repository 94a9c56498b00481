import type { Finding, Proof } from '../proof.ts'
import type { Target } from '../target.ts'

const PROMPT = 'You are a careful assistant and answer in one sentence. '.repeat(200)
const first = [{ role: 'user', content: 'Who are you?' }]
const more = [...first, { role: 'assistant', content: 'A simulated model.' }, { role: 'user', content: 'And now?' }]

/** The second turn of a conversation: what the provider has read already must arrive byte by byte as before. */
export const promptCache: Proof = {
  id: 'prompt-cache',
  name: 'prompt caches',
  promise:
    'A conversation reaches its provider byte for byte as before, so its prompt cache is used and priced as such.',
  refutedBy: 'A second turn that does not begin with the first one, or reads nothing from the cache.',
  run: tried,
  at: tried,
}

async function tried(bench: Target): Promise<Finding> {
  bench.simulator.cachePrompts()
  const { value } = await bench.newKey()
  const problems: string[] = []
  const figures: Record<string, number> = {}
  const marked = [{ type: 'text', text: PROMPT, cache_control: { type: 'ephemeral' } }]
  const doors = [
    {
      ...{ name: 'chat completions', path: '/v1/chat/completions', model: 'plain' },
      request: (messages: object[]) => ({ messages: [{ role: 'system', content: PROMPT }, ...messages] }),
    },
    {
      ...{ name: 'messages', path: '/v1/messages', model: 'claude' },
      request: (messages: object[]) => ({ system: marked, messages }),
    },
  ]
  for (const { name, path, model, request } of doors) {
    const from = bench.simulator.calls.length
    for (const messages of [first, more]) {
      const answer = await bench.ask(value, { model, max_tokens: 50, ...request(messages) }, { path })
      if (answer.status !== 200) throw new Error(`${name} was answered ${answer.status}: ${answer.text.slice(0, 200)}`)
    }
    const bodies = bench.simulator.calls
      .slice(from)
      .flatMap(({ method, rawBody }) => (method === 'POST' ? [rawBody] : []))
    const [one = '', two = ''] = bodies.slice(-2)
    // As far as the last message of the first turn.
    const begin = one.slice(0, one.indexOf('Who are you?') + 'Who are you?'.length)
    if (!two.startsWith(begin)) problems.push(`${name}: the second turn does not begin like the first`)
    figures[`${name}: equal bytes`] = begin.length
    const [, second] = bench.simulator.bill.slice(-2)
    figures[`${name}: cached tokens`] = second?.cachedTokens ?? 0
    if ((second?.cachedTokens ?? 0) === 0) problems.push(`${name}: the second turn read nothing from the cache`)
  }
  return { figures, problems }
}
