/** What one side can be asked for, by name. Everything that is said must be cloneable. */
export type Tasks = Record<string, (input: never) => unknown>

type Input<T extends Tasks, K extends keyof T> = Parameters<T[K]>[0]
type Output<T extends Tasks, K extends keyof T> = Awaited<ReturnType<T[K]>>

/** A worker seen from outside, or its parent seen from inside. */
interface Side {
  postMessage(message: unknown): void
  on(event: 'message', listener: (message: Message) => void): unknown
}

type Message =
  | { kind: 'ask'; id: number; task: string; input: unknown }
  | { kind: 'answer'; id: number; output: unknown }
  | { kind: 'failed'; id: number; message: string }

/** Two threads that ask each other over one channel; questions are answered in any order. */
export class Conversation<Theirs extends Tasks> {
  readonly #side: Side
  readonly #own: Tasks
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>()
  #lastId = 0

  /** `own`: what the other side may ask here. */
  constructor(side: Side, own: Tasks) {
    this.#side = side
    this.#own = own
    side.on('message', (message) => this.#receive(message))
  }

  ask<K extends keyof Theirs & string>(task: K, input: Input<Theirs, K>): Promise<Output<Theirs, K>> {
    this.#lastId += 1
    const waiting = Promise.withResolvers<unknown>()
    this.#waiting.set(this.#lastId, waiting)
    this.#side.postMessage({ kind: 'ask', id: this.#lastId, task, input } satisfies Message)
    return waiting.promise as Promise<Output<Theirs, K>>
  }

  /** The other side is gone. */
  fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }

  #receive(message: Message): void {
    if (message.kind === 'ask') {
      void this.#answer(message)
      return
    }
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if (message.kind === 'answer') waiting?.resolve(message.output)
    else waiting?.reject(new Error(message.message))
  }

  async #answer({ id, task, input }: Extract<Message, { kind: 'ask' }>): Promise<void> {
    let answer: Message
    try {
      answer = { kind: 'answer', id, output: await this.#own[task]?.(input as never) }
    } catch (error) {
      answer = { kind: 'failed', id, message: error instanceof Error ? error.message : String(error) }
    }
    this.#side.postMessage(answer)
  }
}
