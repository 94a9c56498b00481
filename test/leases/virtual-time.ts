/** Time that passes only from one event to the next: a minute of a hundred nodes takes seconds. */
export class VirtualTime {
  /** Milliseconds. */
  now = 0
  readonly #events = new Map<number, { at: number; run(): void }>()
  readonly #order: { at: number; id: number }[] = []
  #lastId = 0
  /** Work outside of this time, such as an answer of the real server; time is frozen for it. */
  readonly #outside = new Set<Promise<unknown>>()

  at(at: number, run: () => void): number {
    const id = ++this.#lastId
    this.#events.set(id, { at, run })
    push(this.#order, { at, id })
    return id
  }

  after(ms: number, run: () => void): number {
    return this.at(this.now + ms, run)
  }

  cancel(id: number): void {
    this.#events.delete(id)
  }

  async outside<Result>(work: Promise<Result>): Promise<Result> {
    const noted = work.finally(() => this.#outside.delete(noted))
    this.#outside.add(noted)
    return await noted
  }

  async runUntil(isOver: () => boolean): Promise<void> {
    for (;;) {
      // What follows from the last event follows at the same time.
      do {
        await Promise.allSettled(this.#outside)
        await new Promise((resolve) => setImmediate(resolve))
      } while (this.#outside.size > 0)
      if (isOver()) return
      const next = pop(this.#order)
      if (next === undefined) return
      const event = this.#events.get(next.id)
      if (event === undefined) continue
      this.#events.delete(next.id)
      this.now = event.at
      event.run()
    }
  }

  /** Timers and the monotonic clock of this process follow this time until it is disposed of. */
  install(): Disposable {
    const real = { setTimeout, clearTimeout, now: performance.now.bind(performance) }
    const timeout = (run: () => void, ms = 0) => ({ id: this.after(ms, run), unref() {}, ref() {} })
    Object.assign(globalThis, {
      setTimeout: timeout,
      clearTimeout: (timer: { id: number } | null | undefined) => timer && this.cancel(timer.id),
    })
    performance.now = () => this.now
    return {
      [Symbol.dispose]() {
        Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout })
        performance.now = real.now
      },
    }
  }
}

interface Entry {
  at: number
  id: number
}

const isBefore = (one: Entry, other: Entry) => one.at < other.at || (one.at === other.at && one.id < other.id)

/** A binary heap, the earliest first; of equal times the one that was planned first. */
function push(heap: Entry[], entry: Entry): void {
  let place = heap.push(entry) - 1
  for (let parent = (place - 1) >> 1; place > 0; parent = (place - 1) >> 1) {
    const above = heap[parent] as Entry
    if (!isBefore(entry, above)) break
    heap[place] = above
    place = parent
  }
  heap[place] = entry
}

function pop(heap: Entry[]): Entry | undefined {
  const first = heap[0]
  const last = heap.pop()
  if (first === undefined || last === undefined || heap.length === 0) return first
  let place = 0
  for (;;) {
    let child = 2 * place + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && isBefore(heap[child + 1] as Entry, heap[child] as Entry)) child += 1
    if (!isBefore(heap[child] as Entry, last)) break
    heap[place] = heap[child] as Entry
    place = child
  }
  heap[place] = last
  return first
}
