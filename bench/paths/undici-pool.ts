import { type Dispatcher, Pool } from 'undici'
import type { ConnectionUser, UpstreamConnection } from '../../src/upstream/connection.ts'
import type { ResponseHead } from '../../src/upstream/response-head.ts'

/** In place of src/upstream/connection-pool.ts: deadlines and the rest of the client stay, undici does the HTTP. */
export class ConnectionPool {
  readonly #pool: Pool

  constructor(origin: URL) {
    this.#pool = new Pool(origin.origin, { connections: null, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 })
  }

  take(): UpstreamConnection {
    return new UndiciCall(this.#pool) as unknown as UpstreamConnection
  }

  destroy(): void {
    void this.#pool.destroy()
  }
}

type Head = Pick<Dispatcher.RequestOptions, 'path' | 'method'> & { headers: string[] }
const heads = new Map<string, Head>()

/** Heads of a run are few: parsing them again would be charged to undici. */
function parsed(head: string): Head {
  const known = heads.get(head)
  if (known !== undefined) return known
  const [first = '', ...lines] = head.trimEnd().split('\r\n')
  const [method, path = ''] = first.split(' ')
  const fields = lines.map((line) => /^([^:]+): *(.*)$/.exec(line)?.slice(1) ?? [])
  const headers = fields.filter(([name]) => !/^(host|connection)$/i.test(name ?? '')).flat()
  const made = { path, method: method as Dispatcher.HttpMethod, headers }
  heads.set(head, made)
  return made
}

class UndiciCall implements Dispatcher.DispatchHandler {
  isConnected = true
  used = false
  hasResponseBegun = false
  isFullyWritten = true
  readonly #pool: Pool
  #user: ConnectionUser | null = null
  #controller: Dispatcher.DispatchController | null = null
  #head: ResponseHead | null = null

  constructor(pool: Pool) {
    this.#pool = pool
  }

  send(user: ConnectionUser): void {
    this.#user = user
    const { head, body } = user.request
    this.#pool.dispatch({ ...parsed(head), body }, this)
    user.onSent()
  }

  limitSilence(): void {}

  resume(): void {
    if (this.#controller?.paused === true) this.#controller.resume()
  }

  destroy(): void {
    this.#user = null
    this.#controller?.abort(new Error('left'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#user === null) controller.abort(new Error('left'))
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, string | string[]>): void {
    this.hasResponseBegun = true
    const get = (name: string) => (Array.isArray(headers[name]) ? headers[name].join(', ') : headers[name])
    this.#head = { status, get } as unknown as ResponseHead
    this.#user?.onArrived(this.#head)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#user?.body.add(chunk)
    if (this.#head !== null && this.#user?.onArrived(this.#head) === false) controller.pause()
  }

  onResponseEnd(): void {
    if (this.#head !== null) this.#user?.onEnd(this.#head, true)
    this.#user = null
  }

  onResponseError(_: unknown, error: Error): void {
    this.#user?.onBroken('code' in error ? String(error.code) : error.name, error, this.hasResponseBegun)
    this.#user = null
  }
}
