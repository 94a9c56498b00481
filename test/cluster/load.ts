import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom, type Random } from '../../simulator/random.ts'
import { hasOurId, requestIn } from '../crash/formats.ts'
import { seeStream } from '../crash/see-stream.ts'
import { FRONT_HEADER, NODE_HEADER } from './front.ts'
import { type ChaosKey, CLIENTS, formatOf, isStreamed, KEYS, keyValue } from './workload.ts'

/** How a call ended for the client that made it. */
export type Ending =
  | {
      kind: 'answered'
      node: number
      status: number
      /** Of the error, also of one that ended a stream. */
      code: string | null
      id: string
      /** How a stream ended, which its client has read to its end or to an error; null: the answer came whole. */
      ended: 'finished' | 'failed_mid_stream' | null
      /** Of the header, or of the end of a stream; null without one. */
      costUsd: string | null
      /** The gateway said that it let the call pass without asking the counters. */
      unchecked: boolean
    }
  /** The front answered 502: a node had taken the call and its connection broke. Or a stream broke off. */
  | { kind: 'cut'; node: number; sawContent: boolean }
  /** The front answered 503: no node took the connection. */
  | { kind: 'no-node' }
  | { kind: 'unanswered'; error: string }

export interface SentCall {
  /** In the text of the request, where the provider sees it. No two calls have the same. */
  token: string
  key: ChaosKey
  /** In the row of the request log; with the key it names the call as well. */
  alias: string
  sentAt: number
  endedAt: number
  ending: Ending
}

export interface Load {
  calls: readonly SentCall[]
  /** One more call for this key, now. */
  once(key: ChaosKey): Promise<SentCall>
  /** Lets calls in flight finish. */
  stop(): Promise<void>
}

export interface LoadOptions {
  url: string
  seed: number
  /** Aliases there are for each key: a call of a key takes the next one. */
  aliases: readonly string[]
  /** Between two calls of one client, on average. */
  pauseMs: number
}

/** Clients leave so many aliases of each key to calls that are made one by one. */
const KEPT_FOR_ONCE = 20
/** Longer than any documented wait: a call that takes this long is one that the cluster has forgotten. */
const ANSWER_WITHIN_MS = 60_000

/** Clients of several keys that call one after the other, with pauses, until `stop`. */
export function startLoad({ url, seed, aliases, pauseMs }: LoadOptions): Load {
  const calls: SentCall[] = []
  const stopping = new AbortController()
  const taken = new Map<ChaosKey, number>()

  /** Null when the key has only `kept` aliases left. */
  function nextAlias(key: ChaosKey, kept: number): string | null {
    const number = taken.get(key) ?? 0
    if (number >= aliases.length - kept) return null
    taken.set(key, number + 1)
    return aliases[number] ?? null
  }

  async function call(key: ChaosKey, alias: string): Promise<SentCall> {
    const token = `${key}-${alias}`
    const sentAt = Date.now()
    const ending = await send(url, key, alias, token)
    const sent = { token, key, alias, sentAt, endedAt: Date.now(), ending }
    calls.push(sent)
    return sent
  }

  async function runClient(key: ChaosKey, random: Random): Promise<void> {
    while (!stopping.signal.aborted) {
      await sleep(pauseMs * (0.5 + random()), null, { signal: stopping.signal }).catch(() => {})
      const alias = stopping.signal.aborted ? null : nextAlias(key, KEPT_FOR_ONCE)
      if (alias === null) return
      await call(key, alias)
    }
  }

  const clients = KEYS.flatMap((key, place) =>
    Array.from({ length: CLIENTS }, (_, number) => runClient(key, createRandom(seed + place * CLIENTS + number))),
  )
  return {
    calls,
    async once(key) {
      const alias = nextAlias(key, 0)
      if (alias === null) throw new Error(`the key ${key} has no alias left`)
      return await call(key, alias)
    },
    async stop() {
      stopping.abort()
      await Promise.all(clients)
    },
  }
}

async function send(url: string, key: ChaosKey, alias: string, token: string): Promise<Ending> {
  const format = formatOf(alias)
  const { path, body } = requestIn(format, alias, token, isStreamed(alias))
  try {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${keyValue(key)}`, 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    return isStream ? await streamEnding(response) : ending(response, await response.text(), hasOurId(format))
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? ` (${error.cause})` : ''
    return { kind: 'unanswered', error: `${error}${cause}` }
  }
}

function ending(response: Response, text: string, hasOurId: boolean): Ending {
  const front = response.headers.get(FRONT_HEADER)
  const said = headOf(response)
  if (front === 'cut') return { kind: 'cut', node: said.node, sawContent: false }
  if (front === 'no-node') return { kind: 'no-node' }
  const { id, error } = JSON.parse(text) as { id?: string; error?: { code?: string } }
  if (said.status === 200 && hasOurId && id !== said.id)
    return { kind: 'unanswered', error: `two ids: ${said.id} and ${id}` }
  const costUsd = response.headers.get('x-gateway-cost-usd')
  return { ...said, code: error?.code ?? null, ended: null, costUsd }
}

async function streamEnding(response: Response): Promise<Ending> {
  const { content, ended, code, costUsd } = await seeStream(response.body as unknown as AsyncIterable<Uint8Array>)
  const said = headOf(response)
  return ended === null ? { kind: 'cut', node: said.node, sawContent: content } : { ...said, code, ended, costUsd }
}

function headOf({ status, headers }: Response) {
  const node = Number(headers.get(NODE_HEADER))
  const id = String(headers.get('x-gateway-request-id'))
  return { kind: 'answered', node, status, id, unchecked: headers.get('x-gateway-limits') === 'unchecked' } as const
}
