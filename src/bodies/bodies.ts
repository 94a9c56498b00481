import { Worker } from 'node:worker_threads'
import { joined } from '../domain/byte-pieces.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { LargeBody, ownedBuffers } from './large-body.ts'
import type { ReadAnswer, ReplyToRead } from './protocol.ts'
import type { RequestBody } from './request-body.ts'
import { SmallBody } from './small-body.ts'
import { WorkerConnection } from './worker-connection.ts'

/**
 * From this size on a body is worked on in the worker thread. Below it the serving thread is held for a few milliseconds
 * at most by nearly any content (docs/decisions/0010-large-bodies.md).
 */
export const LARGE_BYTES = 128 * 1024

export interface Bodies {
  /**
   * Takes the chunks: they cannot be used any more. Throws the error that the caller gets for a bad body. `withHash`: the
   * hash of its bytes is needed.
   */
  open(chunks: readonly Buffer[], endpoint: Endpoint, withHash: boolean): RequestBody | Promise<RequestBody>
  /** Takes the chunks of a large answer of a provider. */
  readLarge(chunks: readonly Uint8Array[], reply: ReplyToRead): Promise<ReadAnswer>
  close(): Promise<void>
}

export type StartWorker = () => Worker

/**
 * A monster of a body must not take the process down: at this limit the worker ends, the calls in it fail with
 * internal_error, and the next large body finds a new one.
 */
const HEAP_MEGABYTES = 2_048

export function startWorker(): Worker {
  // Beside this file as it runs: TypeScript in the repository, JavaScript in the built package.
  const file = import.meta.url.endsWith('.ts') ? './body-worker.ts' : './body-worker.js'
  return new Worker(new URL(file, import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES } })
}

/** The worker starts with the first body that needs it and stays. `onDeath` is called when it ends by itself. */
export function createBodies(onDeath: (error: unknown) => void, start: StartWorker = startWorker): Bodies {
  let worker: WorkerConnection | null = null

  function connected(): WorkerConnection {
    if (worker === null || worker.failure !== null) worker = new WorkerConnection(start(), onDeath)
    return worker
  }

  return {
    open(chunks, endpoint, withHash) {
      const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
      if (length < LARGE_BYTES) return SmallBody.read(joined(chunks), endpoint, withHash)
      return LargeBody.open(chunks, endpoint, withHash, connected())
    },
    readLarge(chunks, reply) {
      const owned = ownedBuffers(chunks)
      return connected().ask('read', { ...reply, chunks: owned }, owned)
    },
    async close() {
      await worker?.close()
    },
  }
}
