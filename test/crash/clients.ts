import { Client } from 'undici'
import { FORMATS, hasOurId, requestIn } from './formats.ts'
import type { SentCall } from './judge.ts'
import { KEY_VALUES, type PlannedCall } from './plan.ts'
import { seeStream } from './see-stream.ts'

export interface Clients {
  /** Resolves with the first answer that any of them got. */
  firstAnswer: Promise<void>
  /** Resolves when they have seen a stream to its end, one not to its end, a refusal, a hedged answer and all formats. */
  allSeen: Promise<void>
  /** What they wait for now. */
  open: ReadonlySet<PlannedCall>
  /** Everything they sent, once the gateway is dead and each of them has noticed. */
  done: Promise<SentCall[]>
}

interface ClientOptions {
  url: string
  next(): PlannedCall
}

/** Clients with a kept-alive connection each, who send one call after the other until the connection dies. */
export function startClients(options: ClientOptions & { concurrency: number }): Clients {
  const first = Promise.withResolvers<void>()
  const all = Promise.withResolvers<void>()
  const unseen = new Set<string>(['finished', 'caller_left', 'refused', 'hedged', ...FORMATS])
  const onAnswer = (call: SentCall) => {
    first.resolve()
    unseen.delete(call.answer?.status === 402 ? 'refused' : hasLeft(call) ? 'caller_left' : (call.answer?.ended ?? ''))
    if (call.isHedged && call.key === 'free') unseen.delete('hedged')
    if (call.answer !== null) unseen.delete(call.format)
    if (unseen.size === 0) all.resolve()
  }
  const open = new Set<PlannedCall>()
  const clients = Array.from({ length: options.concurrency }, () => runClient(options, open, onAnswer))
  const done = Promise.all(clients).then((calls) => calls.flat())
  return { firstAnswer: first.promise, allSeen: all.promise, open, done }
}

async function runClient(
  options: ClientOptions,
  open: Set<PlannedCall>,
  onAnswer: (call: SentCall) => void,
): Promise<SentCall[]> {
  const client = new Client(options.url)
  const sent: SentCall[] = []
  for (;;) {
    const call = options.next()
    open.add(call)
    const seen = await send(client, KEY_VALUES[call.key], call).catch(() => NOTHING_SEEN)
    open.delete(call)
    const made = { ...call, ...seen }
    sent.push(made)
    if (seen.answer === null && !hasLeft(made)) break
    onAnswer(made)
  }
  await client.destroy()
  return sent
}

/** By its own will, as planned. */
export function hasLeft({ ended, answer, sawContent }: SentCall): boolean {
  return ended === 'caller_left' && answer === null && sawContent
}

type Seen = Pick<SentCall, 'answer' | 'sawContent'>
const NOTHING_SEEN: Seen = { answer: null, sawContent: false }

/** Only a complete answer is one; a cut one rejects, or is a stream without an end. */
async function send(client: Client, key: string, { format, model, token, ended }: PlannedCall): Promise<Seen> {
  const response = await client.request({
    method: 'POST',
    ...requestIn(format, model, token, ended !== null),
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
  })
  const { statusCode: status, headers } = response
  const id = String(headers['x-gateway-request-id'])
  if (ended !== null && status === 200) {
    const seen = await seeStream(response.body, ended === 'caller_left')
    const answer = seen.ended === null ? null : { id, status, ended: seen.ended, costUsd: seen.costUsd }
    return { answer, sawContent: seen.content }
  }
  const answer = (await response.body.json()) as { id?: string }
  if (status === 200 && hasOurId(format) && answer.id !== id) throw new Error(`the answer to ${token} has two ids`)
  const cost = headers['x-gateway-cost-usd']
  return { answer: { id, status, ended: null, costUsd: cost === undefined ? null : String(cost) }, sawContent: false }
}
