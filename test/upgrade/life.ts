import { ADMIN_KEY, KEY } from '../harness.ts'

/** What an installation must still know after an upgrade. */
export interface Witness {
  /** Answered calls, by the id of their row. */
  answers: readonly { id: string; status: number; costUsd: string | null }[]
  /** A key whose hard budget is used up; it must stay so. */
  spent: { value: string; name: string }
  /** A model whose price is the operator's own. */
  ownPrice: { provider: string; model: string; inputUsd: string }
}

const MODEL = 'gpt-4o-mini'
const OWN = { provider: 'openai', model: 'gpt-sim-echo', inputUsd: '3' }
/** Never answers: the call is open when the gateway is killed. */
const HANGS = 'gpt-sim-hang'
const FIRST = 12
const LAST = 20

/** Lives a while with a gateway of any version, through what every version has: keys, routes, prices, budgets, calls. */
export async function live(url: string, delivered: (ids: readonly string[]) => Promise<void>): Promise<Witness> {
  const manage = async (method: string, path: string, body: unknown) => {
    const response = await fetch(url + path, { method, headers: headersOf(ADMIN_KEY), body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as { value: string }
  }
  const answers: { id: string; status: number; costUsd: string | null }[] = []
  const call = async (key: string, model: string, text: string) => {
    const messages = [{ role: 'user', content: text }]
    const body = JSON.stringify({ model, messages, max_tokens: 20 })
    const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers: headersOf(key), body })
    await response.arrayBuffer()
    const id = response.headers.get('x-gateway-request-id') ?? ''
    answers.push({ id, status: response.status, costUsd: response.headers.get('x-gateway-cost-usd') })
    return response.status
  }

  await manage('PUT', `/registry/${OWN.provider}/${OWN.model}`, { input_per_mtok: OWN.inputUsd, output_per_mtok: '9' })
  const failing = { provider: 'openai', model: 'gpt-sim-503' }
  await manage('PUT', '/routes/steady', { chain: [failing, { provider: 'openai', model: MODEL }] })
  const budget = { usd: '0.0001', per: 'total' }
  const { value } = await manage('POST', '/keys', { name: 'spent', limits: { budget } })

  for (let each = 0; each < FIRST; each++) await call(KEY, each % 2 === 0 ? MODEL : 'steady', `first ${each}`)
  await call(KEY, OWN.model, 'at our own price')
  while ((await call(value, MODEL, 'until nothing is left')) !== 402);
  await delivered(answers.map(({ id }) => id))
  // These are in the spool only when the gateway is killed, and one is still open.
  const headers = headersOf(KEY)
  const hanging = JSON.stringify({ model: HANGS, messages: [{ role: 'user', content: 'left open' }], max_tokens: 20 })
  fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: hanging }).catch(() => undefined)
  await Promise.all(Array.from({ length: LAST }, (_, each) => call(KEY, MODEL, `last ${each}`)))
  return { answers, spent: { value, name: 'spent' }, ownPrice: OWN }
}

export function headersOf(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
}
