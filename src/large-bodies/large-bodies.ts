import { Worker } from 'node:worker_threads'
import { GatewayError } from '../domain/errors.ts'
import type { Translation } from '../providers/family.ts'
import type {
  Destination,
  OpenedRequest,
  ReadAnswer,
  Release,
  ReplyToRead,
  Task,
  TaskName,
  TaskReply,
  Tasks,
} from './protocol.ts'

/**
 * From this size on a body is worked on in the worker thread. Below it the serving thread is held for less than 5 ms by
 * nearly any content (an object of thousands of names takes that long); going to the worker costs about 0.2 ms
 * (`node bench/large-bodies.ts`).
 */
export const LARGE_BYTES = 128 * 1024

/** A request whose body is in the worker. */
export class LargeRequest {
  /** Of its body, in bytes. */
  readonly length: number
  readonly opened: OpenedRequest
  readonly #body: number
  readonly #connection: Connection
  #written: Uint8Array | null = null

  constructor(connection: Connection, body: number, length: number, opened: OpenedRequest) {
    this.#connection = connection
    this.#body = body
    this.length = length
    this.opened = opened
  }

  /** In the order of the destinations; of a wire there is only an outline. */
  async translate(destinations: readonly Destination[]): Promise<Translation[]> {
    const input = { body: this.#body, destinations: [...destinations] }
    const { translations, written } = await this.#connection.ask('translate', input)
    this.#written = written
    return translations
  }

  /** What goes to the provider at this position, which must have been translated. */
  async write(position: number): Promise<Uint8Array> {
    const written = this.#written
    this.#written = null
    return written ?? (await this.#connection.ask('write', { body: this.#body, position }))
  }

  /** To be called when the call has ended, however it ended. */
  release(): void {
    this.#connection.release(this.#body)
  }
}

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

/** The worker starts with the first large body and stays. `onDeath` is told when it ends by itself. */
export function createLargeBodies(onDeath: (error: unknown) => void, start: StartWorker = startWorker): LargeBodies {
  let connection: Connection | null = null
  let lastBody = 0

  function connected(): Connection {
    if (connection === null || connection.failure !== null) connection = new Connection(start(), onDeath)
    return connection
  }

  return {
    async open(chunks, hash) {
      const used = connected()
      lastBody += 1
      const body = lastBody
      const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
      const owned = ownedBuffers(chunks)
      return new LargeRequest(used, body, length, await used.ask('open', { body, chunks: owned, hash }, owned))
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

interface Waiting {
  resolve(output: unknown): void
  reject(error: unknown): void
}

/** One worker, from its start to its end. */
class Connection {
  failure: unknown = null
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0

  constructor(worker: Worker, onDeath: (error: unknown) => void) {
    this.#worker = worker
    const die = (error: unknown) => {
      if (this.failure === null) onDeath(error)
      this.#fail(error)
    }
    worker.on('message', (reply: TaskReply) => this.#settle(reply))
    worker.on('error', die)
    worker.on('exit', () => die(new Error('the worker for large bodies has ended')))
  }

  ask<K extends TaskName>(
    task: K,
    input: Tasks[K]['input'],
    transfer: ArrayBuffer[] = [],
  ): Promise<Tasks[K]['output']> {
    if (this.failure !== null) return Promise.reject(this.failure)
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as Waiting['resolve'], reject })
      this.#worker.ref()
      this.#worker.postMessage({ id, task, input } as Task, transfer)
    })
  }

  release(body: number): void {
    if (this.failure === null) this.#worker.postMessage({ task: 'release', body } satisfies Release)
  }

  async close(): Promise<void> {
    this.#fail(new Error('the worker for large bodies is closed'))
    await this.#worker.terminate()
  }

  #fail(error: unknown): void {
    this.failure ??= error
    for (const caller of this.#waiting.values()) caller.reject(this.failure)
    this.#waiting.clear()
  }

  #settle(reply: TaskReply): void {
    const caller = this.#waiting.get(reply.id)
    this.#waiting.delete(reply.id)
    // Idle, it must not keep the process from ending.
    if (this.#waiting.size === 0) this.#worker.unref()
    if ('output' in reply) caller?.resolve(reply.output)
    else if ('fault' in reply) caller?.reject(reply.fault)
    else caller?.reject(new GatewayError(reply.refusal.code, reply.refusal.message))
  }
}
