import type { Worker } from 'node:worker_threads'
import { GatewayError } from '../domain/errors.ts'
import type { Release, Task, TaskName, TaskReply, Tasks } from './protocol.ts'

interface Waiting {
  resolve(output: unknown): void
  reject(error: unknown): void
}

/** One worker, from start to end. */
export class WorkerConnection {
  failure: unknown = null
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #lastBody = 0

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

  /** The number under which the worker keeps a body. */
  newBodyId(): number {
    this.#lastBody += 1
    return this.#lastBody
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
    // An idle worker must not keep the process alive.
    if (this.#waiting.size === 0) this.#worker.unref()
    if ('output' in reply) caller?.resolve(reply.output)
    else if ('fault' in reply) caller?.reject(reply.fault)
    else {
      const { code, worded, refused } = reply.refusal
      caller?.reject(new GatewayError(code, worded, { refused }))
    }
  }
}
