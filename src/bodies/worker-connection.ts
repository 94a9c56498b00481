import type { Worker } from 'node:worker_threads'
import { GatewayError } from '../domain/errors.ts'
import { Conversation } from '../threads/conversation.ts'
import { FairQueue } from './fair-queue.ts'
import type { BodyTasks, Refusal, TaskInput, TaskName, TaskOutput } from './protocol.ts'

interface QueuedTask {
  task: TaskName
  input: TaskInput<TaskName>
  transfer: readonly ArrayBuffer[]
  resolve(output: unknown): void
  reject(error: unknown): void
}

/** One worker, from start to end. It gets one task at a time, in turns by owner. */
export class WorkerConnection {
  static #lastBody = 0
  readonly #worker: Worker
  readonly #conversation: Conversation<BodyTasks>
  readonly #queue = new FairQueue<QueuedTask>()
  #isBusy = false
  /** Bodies that the worker keeps. */
  readonly #bodies = new Set<number>()
  readonly #onIdle: () => void

  /** `onIdle`: it has nothing to do and keeps nothing. */
  constructor(worker: Worker, onDeath: (error: unknown) => void, onIdle: () => void) {
    this.#worker = worker
    this.#onIdle = onIdle
    const name = 'the worker for large bodies'
    this.#conversation = new Conversation(worker, {}, { name, onEnd: onDeath, unpack: errorOf })
  }

  get failure(): unknown {
    return this.#conversation.failure
  }

  /** Tasks that wait or run. */
  get load(): number {
    return this.#queue.size + (this.#isBusy ? 1 : 0)
  }

  get isIdle(): boolean {
    return this.load === 0 && this.#bodies.size === 0
  }

  ask<K extends TaskName>(
    owner: string,
    task: K,
    input: TaskInput<K>,
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<TaskOutput<K>> {
    return new Promise((resolve, reject) => {
      this.#queue.add(owner, { task, input, transfer, resolve: resolve as QueuedTask['resolve'], reject })
      if (!this.#isBusy) void this.#work()
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
    this.#conversation.tell('release', body)
    this.forget(body)
  }

  async close(): Promise<void> {
    this.#conversation.fail(new Error('the worker for large bodies is closed'))
    await this.#worker.terminate()
  }

  /** Until the queue is empty. */
  async #work(): Promise<void> {
    this.#isBusy = true
    this.#worker.ref()
    for (let next = this.#queue.take(); next !== null; next = this.#queue.take()) {
      const { task, input, transfer, resolve, reject } = next
      await this.#conversation.ask(task, input as never, transfer).then(resolve, reject)
    }
    this.#isBusy = false
    // An idle worker must not keep the process alive.
    this.#worker.unref()
    if (this.isIdle) this.#onIdle()
  }
}

function errorOf(packed: unknown): unknown {
  if (packed === null || typeof packed !== 'object' || !('refusal' in packed)) return packed
  const { code, worded, refused } = (packed as Refusal).refusal
  return new GatewayError(code, worded, { refused })
}
