import type { Worker } from 'node:worker_threads'

/** Requests and notifications of one side, by name. Everything sent must be cloneable. */
export type Tasks = Record<string, (input: never) => unknown>

type Input<T extends Tasks, K extends keyof T> = Parameters<T[K]>[0]
type Output<T extends Tasks, K extends keyof T> = Awaited<ReturnType<T[K]>>

/** A worker seen from outside, or its parent seen from inside. */
interface Side {
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void
  on(event: string, listener: (value: unknown) => void): unknown
}

type Message =
  | { kind: 'tell'; task: string; input: unknown }
  | { kind: 'ask'; id: number; task: string; input: unknown }
  | { kind: 'answer'; id: number; output: unknown }
  | { kind: 'failed'; id: number; error: unknown }

export interface ConversationOptions {
  /** The other side, in the message that it has ended. */
  name?: string
  /** The other side has ended, and `fail` was not called before. */
  onEnd?(error: unknown): void
  /** Bytes of an answer that change hands instead of being copied. */
  transfer?(output: never): ArrayBuffer[]
  /** Cloning keeps message and stack of an error, but neither its class nor its fields: for errors that need them. */
  pack?(error: unknown): unknown
  unpack?(packed: never): unknown
}

const NOTHING: readonly ArrayBuffer[] = []

/** Requests and notifications between two threads over one channel; requests are answered in any order. */
export class Conversation<Theirs extends Tasks> {
  /** Why no request can be made; null while it can. */
  failure: unknown = null
  readonly #side: Side
  readonly #own: Tasks
  readonly #options: ConversationOptions
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #lastId = 0

  /** `own`: what the other side may call. When a worker ends, its pending requests fail. */
  constructor(side: Side, own: Tasks, options: ConversationOptions = {}) {
    this.#side = side
    this.#own = own
    this.#options = options
    const end = (error: unknown) => {
      if (this.failure === null) options.onEnd?.(error)
      this.fail(error)
    }
    side.on('message', (message) => this.#receive(message as Message))
    side.on('error', end)
    side.on('exit', (code) => end(new Error(`${options.name ?? 'the worker'} has ended with ${code}`)))
  }

  ask<K extends keyof Theirs & string>(
    task: K,
    input: Input<Theirs, K>,
    transfer = NOTHING,
  ): Promise<Output<Theirs, K>> {
    const waiting = Promise.withResolvers<unknown>()
    const id = ++this.#lastId
    try {
      if (this.failure !== null) throw this.failure
      this.#post({ kind: 'ask', id, task, input }, transfer)
      this.#waiting.set(id, waiting)
    } catch (error) {
      waiting.reject(error)
    }
    return waiting.promise as Promise<Output<Theirs, K>>
  }

  /** Without an answer. */
  tell<K extends keyof Theirs & string>(task: K, input: Input<Theirs, K>, transfer = NOTHING): void {
    if (this.failure === null) this.#post({ kind: 'tell', task, input }, transfer)
  }

  /** Nothing more is asked, and nothing answered. */
  fail(error: unknown): void {
    this.failure ??= error
    for (const { reject } of this.#waiting.values()) reject(this.failure)
    this.#waiting.clear()
  }

  #post(message: Message, transfer: readonly ArrayBuffer[]): void {
    this.#side.postMessage(message, transfer)
  }

  #receive(message: Message): void {
    if (message.kind === 'tell') {
      this.#own[message.task]?.(message.input as never)
      return
    }
    if (message.kind === 'ask') {
      this.#answer(message)
      return
    }
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if (message.kind === 'answer') waiting?.resolve(message.output)
    else waiting?.reject(this.#options.unpack?.(message.error as never) ?? message.error)
  }

  /** What is there at once is answered at once: the next question finds the thread free. */
  #answer({ id, task, input }: Extract<Message, { kind: 'ask' }>): void {
    const refuse = (error: unknown) => this.#refuse(id, error)
    try {
      const output = this.#own[task]?.(input as never)
      if (output instanceof Promise) output.then((value) => this.#reply(id, value)).catch(refuse)
      else this.#reply(id, output)
    } catch (error) {
      refuse(error)
    }
  }

  #reply(id: number, output: unknown): void {
    this.#post({ kind: 'answer', id, output }, this.#options.transfer?.(output as never) ?? NOTHING)
  }

  #refuse(id: number, error: unknown): void {
    try {
      this.#post({ kind: 'failed', id, error: this.#options.pack?.(error) ?? error }, NOTHING)
    } catch {
      // Its cause, or what was thrown, cannot be cloned.
      this.#post({ kind: 'failed', id, error: new Error(String(error)) }, NOTHING)
    }
  }
}

/** Where the worker's program is, beside the file that starts it: TypeScript here, JavaScript in the built package. */
export function workerProgram(beside: string, name: string): URL {
  return new URL(`./${name}.${beside.endsWith('.ts') ? 'ts' : 'js'}`, beside)
}

/** Resolves when a worker that was asked to stop has ended; after `withinMs` it is terminated. */
export async function ended(worker: Worker, withinMs: number): Promise<void> {
  const late = setTimeout(() => void worker.terminate(), withinMs)
  await new Promise((resolve) => worker.once('exit', resolve))
  clearTimeout(late)
}
