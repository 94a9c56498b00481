import { crc32 } from 'node:zlib'
import type { HeaderOf, ThreadRouting } from './forward-to-thread.ts'

/**
 * Calls with the same `Idempotency-Key` are served by the same thread, wherever they arrive, so that one of them can join
 * another in its memory. What a serving thread does not know, such as the management API, the main thread serves.
 */
export function threadRouting(thread: number, sockets: readonly string[]): ThreadRouting {
  const threads = sockets.length - 1
  const threadFor = (header: HeaderOf): string | null => {
    const key = header('idempotency-key')
    if (key === undefined) return null
    const owner = 1 + (crc32(key) % threads)
    return owner === thread ? null : (sockets[owner] ?? null)
  }
  return { threadFor, pathFor: (route, header) => (route === '' ? (sockets[0] ?? null) : threadFor(header)) }
}
