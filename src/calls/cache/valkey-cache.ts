import type { AnswerCache } from './answer-cache.ts'
import { answerSealing } from './sealed-answer.ts'

export interface ValkeyCacheOptions {
  url: string
  prefix: string
  /** The same on all gateways that share it. */
  secret: Uint8Array
  onProblem(problem: string): void
}

/** A call waits no longer for a stored answer; after one that did, the others do not ask for a while. */
const WAIT_MS = 2_000
const REST_MS = 5_000
const LATE = Symbol('late')

/** On Valkey or Redis, for all gateways and threads that have the same secret. While it is down, nothing is stored. */
export function openValkeyCache({ url, prefix, secret, onProblem }: ValkeyCacheOptions): AnswerCache {
  const sealing = answerSealing(secret)
  const placeOf = (key: string) => `${prefix}answer:${sealing.nameOf(key)}`
  const connecting = connected(url, onProblem)
  let restsUntil = 0
  return {
    async find(key) {
      if (performance.now() < restsUntil) return null
      const client = await connecting
      const found = await Promise.race([client.get(placeOf(key)).catch(() => null), late()])
      if (found === LATE) restsUntil = performance.now() + REST_MS
      return typeof found === 'string' ? sealing.unseal(key, found) : null
    },
    keep(key, answer, ttlMs) {
      const sealed = sealing.seal(key, answer)
      void connecting.then((client) => client.set(placeOf(key), sealed, { PX: ttlMs })).catch(() => {})
    },
    async close() {
      const client = await connecting
      if (client.isOpen) client.destroy()
    },
  }
}

/** An answer may have arrived while this thread was busy, so it is read first. */
function late(): Promise<typeof LATE> {
  return new Promise((resolve) => {
    setTimeout(() => setImmediate(() => setImmediate(() => resolve(LATE))), WAIT_MS).unref()
  })
}

/** Loaded on demand, like the client of the counters. Commands fail at once while there is no connection. */
async function connected(url: string, onProblem: ValkeyCacheOptions['onProblem']) {
  const { newReconnectingClient } = await import('../../limits/counters/redis-client.ts')
  const client = newReconnectingClient(url)
  let isUp = true
  client.on('ready', () => {
    isUp = true
  })
  client.on('error', (error: Error) => {
    if (isUp) onProblem(error.message)
    isUp = false
  })
  void client.connect().catch(() => {})
  return client
}
