import { Client } from 'undici'
import type { SentCall } from './judge.ts'
import type { PlannedCall } from './plan.ts'

export interface Clients {
  /** Resolves with the first answer that any of them got. */
  firstAnswer: Promise<void>
  /** Everything they sent, once the gateway is dead and each of them has noticed. */
  done: Promise<SentCall[]>
}

/** Clients with a kept-alive connection each, who send one call after the other until the connection dies. */
export function startClients(options: { url: string; key: string; concurrency: number; next(): PlannedCall }): Clients {
  const first = Promise.withResolvers<void>()
  const clients = Array.from({ length: options.concurrency }, () => runClient(options, first.resolve))
  return { firstAnswer: first.promise, done: Promise.all(clients).then((all) => all.flat()) }
}

async function runClient(
  options: { url: string; key: string; next(): PlannedCall },
  onAnswer: () => void,
): Promise<SentCall[]> {
  const client = new Client(options.url)
  const headers = { authorization: `Bearer ${options.key}`, 'content-type': 'application/json' }
  const sent: SentCall[] = []
  for (;;) {
    const call = options.next()
    const answer = await send(client, headers, call).catch(() => null)
    sent.push({ ...call, answer })
    if (answer === null) break
    onAnswer()
  }
  await client.destroy()
  return sent
}

/** Resolves only with a complete answer; a cut one rejects. */
async function send(
  client: Client,
  headers: Record<string, string>,
  { model, token }: PlannedCall,
): Promise<{ id: string; status: number }> {
  const response = await client.request({
    method: 'POST',
    path: '/v1/chat/completions',
    headers,
    body: JSON.stringify({ model, messages: [{ role: 'user', content: `Who are you, #${token}` }] }),
  })
  const body = (await response.body.json()) as { id?: string }
  const id = String(response.headers['x-gateway-request-id'])
  if (response.statusCode === 200 && body.id !== id) throw new Error(`the answer to ${token} has two ids`)
  return { id, status: response.statusCode }
}
