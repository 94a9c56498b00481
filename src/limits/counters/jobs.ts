/** Background work: one job of a kind at a time. Starting it again retries what failed. */
export class Jobs {
  readonly #onFailed: (job: string, error: string) => void
  readonly #running = new Map<string, Promise<void>>()
  readonly #problems = new Map<string, string>()
  #isStopped = false

  /** `onFailed` is called once per problem, until the job succeeds or fails differently. */
  constructor(onFailed: (job: string, error: string) => void) {
    this.#onFailed = onFailed
  }

  start(name: string, work: () => Promise<void>): void {
    if (this.#running.has(name) || this.#isStopped) return
    const job = work()
      .then(() => void this.#problems.delete(name))
      .catch((error: unknown) => {
        const problem = error instanceof Error ? error.message : String(error)
        if (this.#problems.get(name) === problem) return
        this.#problems.set(name, problem)
        this.#onFailed(name, problem)
      })
      .finally(() => this.#running.delete(name))
    this.#running.set(name, job)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#running.values())
  }
}
