import type { Worker } from 'node:worker_threads'
import { WorkerConnection } from './worker-connection.ts'

export type StartWorker = () => Worker

export interface WorkerBounds {
  /** Workers at a time. */
  most: number
  /** How long one that is not needed stays. */
  idleMs: number
}

/** Workers for `shares` serving threads: cores that serve nothing, one at least, and no more than pay off. */
export function workersFor(cores: number, shares: number): number {
  return Math.max(1, Math.min(4, Math.floor((cores - shares) / shares)))
}

/** The workers of one serving thread. They start when the others are busy; all but one end when they are idle. */
export class BodyWorkers {
  readonly #start: StartWorker
  readonly #onDeath: (error: unknown) => void
  readonly #bounds: WorkerBounds
  #workers: WorkerConnection[] = []

  constructor(start: StartWorker, onDeath: (error: unknown) => void, bounds: WorkerBounds) {
    this.#start = start
    this.#onDeath = onDeath
    this.#bounds = bounds
  }

  /** For the next body. */
  least(): WorkerConnection {
    this.#workers = this.#workers.filter(({ failure }) => failure === null)
    let [least] = this.#workers
    for (const each of this.#workers) if (least === undefined || each.load < least.load) least = each
    if (least !== undefined && (least.load === 0 || this.#workers.length >= this.#bounds.most)) return least
    const worker = new WorkerConnection(this.#start(), this.#onDeath, () => this.#endLater(worker))
    this.#workers.push(worker)
    return worker
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()))
  }

  #endLater(worker: WorkerConnection): void {
    if (this.#workers.length < 2) return
    const end = () => {
      if (!worker.isIdle || worker.failure !== null || this.#workers.length < 2) return
      this.#workers = this.#workers.filter((each) => each !== worker)
      void worker.close()
    }
    setTimeout(end, this.#bounds.idleMs).unref()
  }
}
