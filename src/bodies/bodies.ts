import { Worker } from 'node:worker_threads'
import { joined } from '../domain/byte-pieces.ts'
import { hiddenEverywhere } from '../domain/provider.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { workerProgram } from '../threads/conversation.ts'
import { BodyWorkers, type StartWorker, type WorkerBounds } from './body-workers.ts'
import { LargeBody, ownedBuffers } from './large-body.ts'
import type { ReadAnswer, ReplyToRead, WorkerData } from './protocol.ts'
import type { OpenOptions, RequestBody } from './request-body.ts'
import { SmallBody } from './small-body.ts'

/**
 * Bodies of at least this size are processed in the worker thread. Smaller ones block the serving thread only briefly
 * (docs/decisions/0010-bodies.md).
 */
export const LARGE_BYTES = 128 * 1024

export interface Bodies {
  /**
   * Takes ownership of the chunks. Throws the caller's error for a bad body.
   */
  open(chunks: readonly Buffer[], endpoint: Endpoint, options: OpenOptions): RequestBody | Promise<RequestBody>
  /** Takes ownership of the chunks of a provider's large answer. */
  readLarge(chunks: readonly Uint8Array[], reply: ReplyToRead, owner: string): Promise<ReadAnswer>
  close(): Promise<void>
}

/**
 * A huge body must not take the process down: at this limit the worker ends, its calls fail with internal_error, and
 * the next large body starts a new one.
 */
const HEAP_MEGABYTES = 2_048

/** A worker that is not needed costs memory, and starting one costs a tenth of a second. */
export const IDLE_MS = 30_000

export function startWorker(): Worker {
  return new Worker(workerProgram(import.meta.url, 'body-worker'), {
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
    workerData: { hidden: hiddenEverywhere() } satisfies WorkerData,
  })
}

/** `onDeath` is called when a worker ends unexpectedly. */
export function createBodies(
  onDeath: (error: unknown) => void,
  start: StartWorker = startWorker,
  bounds: WorkerBounds = { most: 1, idleMs: IDLE_MS },
): Bodies {
  const workers = new BodyWorkers(start, onDeath, bounds)
  return {
    open(chunks, endpoint, options) {
      const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
      if (length < LARGE_BYTES) return SmallBody.read(joined(chunks), endpoint, options)
      return LargeBody.open(chunks, endpoint, options, workers.least())
    },
    readLarge(chunks, reply, owner) {
      const owned = ownedBuffers(chunks)
      return workers.least().ask(owner, 'read', { ...reply, chunks: owned }, owned)
    },
    close: () => workers.close(),
  }
}
