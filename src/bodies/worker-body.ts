import type { Translation } from '../providers/family.ts'
import type { Connection } from './connection.ts'
import type { Destination, OpenedRequest, Tasks } from './protocol.ts'

/** A body in the worker. */
export class WorkerBody {
  readonly opened: OpenedRequest
  readonly #body: number
  readonly #connection: Connection
  #written: Uint8Array | null = null

  private constructor(connection: Connection, body: number, opened: OpenedRequest) {
    this.#connection = connection
    this.#body = body
    this.opened = opened
  }

  /** Throws the error that the caller gets for a bad body. */
  static async open(connection: Connection, input: Tasks['open']['input']): Promise<WorkerBody> {
    return new WorkerBody(connection, input.body, await connection.ask('open', input, input.chunks))
  }

  async translate(destinations: readonly Destination[], isFinal: boolean): Promise<Translation[]> {
    const input = { body: this.#body, destinations: [...destinations], isFinal }
    const { translations, written } = await this.#connection.ask('translate', input)
    this.#written = written
    return translations
  }

  async write(position: number): Promise<Uint8Array> {
    const written = this.#written
    this.#written = null
    return written ?? (await this.#connection.ask('write', { body: this.#body, position }))
  }

  release(): void {
    this.#connection.release(this.#body)
  }
}
