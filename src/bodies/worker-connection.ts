import type { Worker } from 'node:worker_threads'
import { GatewayError } from '../domain/errors.ts'
import { FairQueue } from './fair-queue.ts'
import type { Release, Task, TaskName, TaskReply, Tasks } from './protocol.ts'

interface Waiting {
  task: Task
  transfer: ArrayBuffer[]
  resolve(output: unknown): void
  reject(error: unknown): void
}

/** One worker, from start to end. It gets one task at a time, in turns by owner. */
export class WorkerConnection {
  static #lastBody = 0
  failure: unknown = null
  readonly #worker: Worker
  readonly #queue = new FairQueue<Waiting>()
  #running: Waiting | null = null
  /** Bodies that the worker keeps. */
  readonly #bodies = new Set<number>()
  readonly #onIdle: () => void
  #lastId = 0

  /** `onIdle`: it has nothing to do and keeps nothing. */
  constructor(worker: Worker, onDeath: (error: unknown) => void, onIdle: () => void) {
    this.#worker = worker
    this.#onIdle = onIdle
    const die = (error: unknown) => {
      if (this.failure === null) onDeath(error)
      this.#fail(error)
    }
    worker.on('message', (reply: TaskReply) => this.#settle(reply))
    worker.on('error', die)
    worker.on('exit', () => die(new Error('the worker for large bodies has ended')))
  }

  /** Tasks that wait or run. */
  get load(): number {
    return this.#queue.size + (this.#running === null ? 0 : 1)
  }

  get isIdle(): boolean {
    return this.load === 0 && this.#bodies.size === 0
  }

  ask<K extends TaskName>(
    owner: string,
    task: K,
    input: Tasks[K]['input'],
    transfer: ArrayBuffer[] = [],
  ): Promise<Tasks[K]['output']> {
    if (this.failure !== null) return Promise.reject(this.failure)
    this.#lastId += 1
    const asked = { id: this.#lastId, task, input } as Task
    return new Promise((resolve, reject) => {
      this.#queue.add(owner, { task: asked, transfer, resolve: resolve as Waiting['resolve'], reject })
      this.#next()
    })
  }

  /** The number under which the worker keeps a body. */
  newBodyId(): number {
    WorkerConnection.#lastBody += 1
    this.#bodies.add(WorkerConnection.#lastBody)
    return WorkerConnection.#lastBody
  }

  /** The worker refused to keep it. */
  forget(body: number): void {
    this.#bodies.delete(body)
    if (this.isIdle) this.#onIdle()
  }

  release(body: number): void {
    if (this.failure === null) this.#worker.postMessage({ task: 'release', body } satisfies Release)
    this.forget(body)
  }

  async close(): Promise<void> {
    this.#fail(new Error('the worker for large bodies is closed'))
    await this.#worker.terminate()
  }

  #fail(error: unknown): void {
    this.failure ??= error
    for (let caller = this.#running; caller !== null; caller = this.#queue.take()) caller.reject(this.failure)
    this.#running = null
  }

  #next(): void {
    while (this.#running === null) {
      const next = this.#queue.take()
      if (next === null) {
        // An idle worker must not keep the process alive.
        this.#worker.unref()
        return
      }
      this.#worker.ref()
      try {
        this.#worker.postMessage(next.task, next.transfer)
        this.#running = next
      } catch (error) {
        next.reject(error)
      }
    }
  }

  #settle(reply: TaskReply): void {
    const caller = this.#running
    if (caller === null || caller.task.id !== reply.id) return
    this.#running = null
    this.#next()
    if ('output' in reply) caller.resolve(reply.output)
    else if ('fault' in reply) caller.reject(reply.fault)
    else {
      const { code, worded, refused } = reply.refusal
      caller.reject(new GatewayError(code, worded, { refused }))
    }
    if (this.isIdle) this.#onIdle()
  }
}
