import { GatewayError } from '../../domain/errors.ts'
import type { Call } from '../../http/call.ts'
import { type PathWords, withModel } from './with-model.ts'

export const KEY_HEADER = 'x-goog-api-key'
const QUERY_KEY = 'key'

/**
 * A call whose model is in its path, as the steps of a call know it: the model in the body, and a key of the query in a
 * header. The query itself goes no further.
 */
export class ModelPathCall implements Call {
  readonly id: string
  readonly method: string
  readonly params: Call['params']
  readonly presence: Call['presence']
  /** The head says all that the key depends on. */
  readonly kept: Call['kept']
  readonly openStream: Call['openStream']
  readonly receivedAt: number
  readonly remoteAddress: string | undefined
  readonly #call: Call
  readonly #words: PathWords | null
  readonly #queryKey: string | undefined

  /** `words`: null where there is no body. */
  constructor(call: Call, words: PathWords | null) {
    this.#call = call
    this.#words = words
    this.#queryKey = queryKeyOf(call)
    this.id = call.id
    this.method = call.method
    this.params = call.params
    this.presence = call.presence
    this.kept = call.kept
    this.openStream = call.openStream
    this.receivedAt = call.receivedAt
    this.remoteAddress = call.remoteAddress
  }

  query(): Readonly<Record<string, string>> {
    if (this.#queryKey === undefined) return this.#call.query()
    const { [QUERY_KEY]: _, ...rest } = this.#call.query()
    return rest
  }

  header(name: string): string | undefined {
    const own = this.#call.header(name)
    return name === KEY_HEADER ? (own ?? this.#queryKey) : own
  }

  headers(): Iterable<readonly [string, string]> {
    return this.#call.headers()
  }

  readBody(limitBytes: number, owner?: string): Buffer[] | Promise<Buffer[]> {
    const words = this.#words
    const read = this.#call.readBody(limitBytes, owner)
    if (words === null) return read
    return read instanceof Promise ? read.then((chunks) => withModel(chunks, words)) : withModel(read, words)
  }
}

/** Which of two keys is meant cannot be known, and a call under the wrong one is charged to the wrong one. */
function queryKeyOf(call: Call): string | undefined {
  const key = call.query()[QUERY_KEY]?.trim()
  if (key === undefined || key === '') return undefined
  const bearer = /^Bearer +(\S+) *$/i.exec(call.header('authorization') ?? '')?.[1]
  for (const [name, value] of [
    [KEY_HEADER, call.header(KEY_HEADER)?.trim()],
    ['authorization', bearer],
  ]) {
    if (value !== undefined && value !== '' && value !== key) {
      throw new GatewayError('invalid_request', `The query (key) and the header ${name} hold different keys: send one.`)
    }
  }
  return key
}
