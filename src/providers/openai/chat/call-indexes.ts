import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'

/** Clients take no larger index. */
const MOST_CALLS = 128

/**
 * The tool calls of one choice. Some servers omit the index or give every call the same one, and clients would merge
 * such calls or reject them. A unique index stays as it is.
 */
export class CallIndexes {
  readonly #byId = new Map<string, number>()
  /** By the index that the server uses. */
  readonly #byWireIndex = new Map<unknown, number>()
  readonly #taken = new Set<number>()
  #last: number | undefined

  /** Corrects the calls of a delta. True: something has changed. */
  correct(calls: unknown): boolean {
    if (!Array.isArray(calls)) return false
    let isChanged = false
    for (const call of calls) {
      if (!isJsonObject(call)) continue
      const index = this.#indexOf(call)
      if (call['index'] === index) continue
      call['index'] = index
      isChanged = true
    }
    return isChanged
  }

  #indexOf(call: JsonObject): number {
    const { index: wireIndex, id } = call
    const name = typeof id === 'string' ? id : ''
    const hasIndex = typeof wireIndex === 'number'
    const current = this.#byId.get(name) ?? (hasIndex ? this.#byWireIndex.get(wireIndex) : this.#last)
    const begins = hasName(call) && !this.#byId.has(name) && (name !== '' || !hasIndex)
    const index = current === undefined || begins ? this.#take(wireIndex) : current
    if (name !== '') this.#byId.set(name, index)
    if (hasIndex) this.#byWireIndex.set(wireIndex, index)
    this.#last = index
    return index
  }

  #take(wanted: unknown): number {
    let index = isIndex(wanted) && !this.#taken.has(wanted) ? wanted : 0
    while (this.#taken.has(index)) index += 1
    this.#taken.add(index)
    return index
  }
}

/** Usually only the first delta of a call has one. */
function hasName({ function: called, custom }: JsonObject): boolean {
  return [called, custom].some((each) => isJsonObject(each) && typeof each['name'] === 'string' && each['name'] !== '')
}

function isIndex(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < MOST_CALLS
}
