import type { Random } from '../simulator/random.ts'
import type { Simulator } from '../simulator/simulator.ts'

/** What a proof may ask of any gateway, over HTTP alone. */
export interface Target {
  random: Random
  isQuick: boolean
  simulator: Simulator
  url(): string
  /** As its callers name a model of `prices.ts`. */
  modelOf(name: string): string
  ask(key: string, request: object, options?: AskOptions): Promise<Answer>
  newKey(limits?: Limits): Promise<Key>
  /** A new value of a key, beside the old one; null: this gateway has no such thing. */
  rotate(key: Key): Promise<string | null>
  /** Of all its keys. */
  keyIds(): Promise<string[]>
  /** What only an administrator may read. */
  adminPath: string
  /** A refusal of what a budget does not cover. */
  isRefusal(answer: Answer): boolean
  /** What it says a key has spent, in picodollars: when it is enough, or when nothing more is expected. */
  spent(key: Key, isEnough: (sum: bigint) => boolean): Promise<bigint>
  /** Calls of a key in its log; null: it is not asked. */
  calls(key: Key): Promise<number | null>
  /** Bytes that it has in memory; null where that is not known. */
  memory(): Promise<number | null>
}

/** Of a key. */
export interface Limits {
  budget?: { usd: string; per: 'total'; mode: 'hard' }
  budgets?: readonly { each: 'session'; usd: string; per: 'total'; mode: 'hard' }[]
}

export interface AskOptions {
  path?: string
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal
}

export interface Key {
  id: string
  value: string
}

export interface Answer {
  /** 0: the connection broke before the answer was there. */
  status: number
  id: string | null
  /** As its header says. */
  costUsd: string | null
  text: string
}

export async function ask(url: string, key: string, request: object, options: AskOptions = {}): Promise<Answer> {
  const { path = '/v1/chat/completions', headers = {}, signal } = options
  try {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(request),
      ...(signal === undefined ? {} : { signal }),
    })
    const text = await response.text()
    const { headers: given } = response
    const id = given.get('x-gateway-request-id')
    return { status: response.status, id, costUsd: given.get('x-gateway-cost-usd'), text }
  } catch {
    return { status: 0, id: null, costUsd: null, text: '' }
  }
}

/** Resolves once it is so; rejects after a while, with the words. */
export async function until(isSo: () => Promise<boolean> | boolean, what: string, withinMs = 30_000): Promise<void> {
  const end = performance.now() + withinMs
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error(`this did not happen in time: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
