import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Translation } from '../providers/family.ts'
import { BodyBytes } from './body-bytes.ts'
import { Connection } from './connection.ts'
import type { Destination, OpenedRequest, ReadAnswer, ReplyToRead } from './protocol.ts'
import { SKIMMED_BYTES, type SkimmedBody, skim } from './skimmed-body.ts'
import { WorkerBody } from './worker-body.ts'

/**
 * From this size on a body is skimmed, or worked on in the worker thread. Below it the serving thread is held for less than
 * 5 ms by nearly any content (an object of thousands of names takes that long); going to the worker costs about 0.2 ms
 * (`node bench/large-bodies.ts`).
 */
export const LARGE_BYTES = 128 * 1024

/** A request that was skimmed, or whose body is in the worker. */
export class LargeRequest {
  /** Of its body, in bytes. */
  readonly length: number
  readonly opened: OpenedRequest
  readonly #openInWorker: OpenInWorker
  #body: SkimmedBody | WorkerBody

  constructor(length: number, body: SkimmedBody | WorkerBody, openInWorker: OpenInWorker) {
    this.length = length
    this.opened = body.opened
    this.#body = body
    this.#openInWorker = openInWorker
  }

  /**
   * In the order of the destinations; of a wire there is only an outline. `isFinal`: it will not be translated once more
   * with other bounds.
   */
  async translate(destinations: readonly Destination[], isFinal = true): Promise<Translation[]> {
    const body = this.#body
    if (body instanceof WorkerBody) return body.translate(destinations, isFinal)
    return body.translate(destinations) ?? (await this.#move(body)).translate(destinations, isFinal)
  }

  /** What goes to the provider at this position, which must have been translated. */
  async write(position: number): Promise<Uint8Array> {
    return this.#body.write(position)
  }

  /** To be called when the call has ended, however it ended. */
  release(): void {
    this.#body.release()
  }

  async #move(skimmed: SkimmedBody): Promise<WorkerBody> {
    const moved = await this.#openInWorker([skimmed.take()], this.length, false)
    this.#body = moved
    return moved
  }
}

type OpenInWorker = (chunks: ArrayBuffer[], length: number, hash: boolean) => Promise<WorkerBody>

export interface LargeBodies {
  /** Takes the chunks: they cannot be used any more. Throws the error that the caller gets for a bad body. */
  open(chunks: readonly Uint8Array[], hash: boolean): Promise<LargeRequest>
  /** Takes the chunks of an upstream answer. */
  read(chunks: readonly Uint8Array[], reply: ReplyToRead): Promise<ReadAnswer>
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

/** The worker starts with the first body that needs it and stays. `onDeath` is told when it ends by itself. */
export function createLargeBodies(onDeath: (error: unknown) => void, start: StartWorker = startWorker): LargeBodies {
  let connection: Connection | null = null
  let lastBody = 0

  function connected(): Connection {
    if (connection === null || connection.failure !== null) connection = new Connection(start(), onDeath)
    return connection
  }

  function openInWorker(chunks: ArrayBuffer[], length: number, hash: boolean): Promise<WorkerBody> {
    lastBody += 1
    return WorkerBody.open(connected(), { body: lastBody, chunks, length, hash })
  }

  return {
    async open(chunks, hash) {
      const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
      let owned = ownedBuffers(chunks)
      if (length <= SKIMMED_BYTES) {
        const bytes = new BodyBytes(owned)
        const skimmed = skim(bytes, hash)
        // It was received just before, and may be sent at once: not all in one turn of the loop.
        await nextTurn()
        if (skimmed !== null) return new LargeRequest(length, skimmed, openInWorker)
        owned = [bytes.take()]
      }
      return new LargeRequest(length, await openInWorker(owned, length, hash), openInWorker)
    },
    read(chunks, reply) {
      const owned = ownedBuffers(chunks)
      return connected().ask('read', { ...reply, chunks: owned }, owned)
    },
    async close() {
      await connection?.close()
    },
  }
}

/**
 * Gives back the memory of a body that was written and has left. Left to the garbage collector, every ten megabytes
 * make it look through the whole heap: of 11 ms CPU for a call of a megabyte that was 4.
 */
export function freeBytes(body: Uint8Array | string | null): void {
  if (body instanceof Uint8Array && body.buffer instanceof ArrayBuffer) body.buffer.transfer(0)
}

/** Bytes that fill their buffer change hands as they are; others share it with strangers and are copied. */
function ownedBuffers(chunks: readonly Uint8Array[]): ArrayBuffer[] {
  return chunks.map((chunk) => {
    const { buffer } = chunk
    const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength
    return isWhole ? buffer : new Uint8Array(chunk).buffer
  })
}
