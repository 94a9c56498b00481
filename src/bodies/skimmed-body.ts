import { hash } from 'node:crypto'
import type { JsonObject } from '../domain/chat.ts'
import { promptTokensBound } from '../limits/hold.ts'
import { FAMILIES } from '../providers/families.ts'
import type { Translation } from '../providers/family.ts'
import { type Cut, cutsOf, spliced } from '../providers/wire-body.ts'
import type { BodyBytes } from './body-bytes.ts'
import { outlineOf, wireOutlineOf } from './outline.ts'
import type { Destination, OpenedRequest } from './protocol.ts'
import { type SkimmedRequest, skimRequest } from './read-request.ts'
import { placeInSource } from './skeleton.ts'

/** Up to here a body is skimmed on the serving thread: that holds it for 1 to 2 ms, for 4 where texts are all escapes. */
export const SKIMMED_BYTES = 2 * 1024 * 1024
/** Of those, no more may be left to be read than of a body that is not large. */
const MOST_READ_BYTES = 64 * 1024

/**
 * A large body that need not be read to be sent on, as a conversation: its texts were only looked over, on the serving
 * thread. That is less work than to change threads twice.
 */
export class SkimmedBody {
  readonly opened: OpenedRequest
  readonly #read: SkimmedRequest
  readonly #bytes: BodyBytes
  readonly #cuts = new Map<number, readonly Cut[]>()
  /** The last position that can be asked for. */
  #lastPosition = -1

  constructor(bytes: BodyBytes, read: SkimmedRequest, withHash: boolean) {
    const { whole } = bytes
    const { request } = read
    this.#bytes = bytes
    this.#read = read
    this.opened = {
      outline: outlineOf(request),
      promptTokens: promptTokensBound(request, whole.length),
      bodyHash: withHash ? hash('sha256', whole, 'hex') : null,
    }
  }

  /** Null where one of the destinations gets more than the bytes as they came with another model. */
  translate(destinations: readonly Destination[]): Translation[] | null {
    const { request } = this.#read
    const translations: Translation[] = []
    for (const { position, family, ...target } of destinations) {
      const translator = FAMILIES.get(family)
      if (translator?.isVerbatim !== true) return null
      const translation = translator.toWire(request, target)
      if (translation.kind !== 'wire') translations.push(translation)
      else {
        const cuts = this.#cutsOf(translation.body)
        if (cuts === null) return null
        this.#cuts.set(position, cuts)
        this.#lastPosition = Math.max(this.#lastPosition, position)
        translations.push({ ...translation, body: wireOutlineOf(translation.body) })
      }
    }
    return translations
  }

  /** Names stand in the skeleton as they do in the body, and it is much shorter. */
  #cutsOf(wire: JsonObject): Cut[] | null {
    const { request, skeleton } = this.#read
    const cuts = cutsOf(wire, request, Buffer.from(skeleton.text, 'latin1'))
    if (cuts === null) return null
    return cuts.map(({ from, to, by }) => ({
      from: placeInSource(skeleton, from),
      to: placeInSource(skeleton, to),
      by,
    }))
  }

  /** What goes to the provider at this position; for the last one the bytes are given away. */
  write(position: number): Uint8Array {
    const cuts = this.#cuts.get(position)
    if (cuts === undefined) throw new Error(`there is nothing to write for position ${position}`)
    if (position < this.#lastPosition) return spliced(this.#bytes.whole, cuts)
    this.#cuts.clear()
    return this.#bytes.takeSpliced(cuts) ?? spliced(this.#bytes.whole, cuts)
  }

  /** The buffer, to be given away: the body is gone then. */
  take(): ArrayBuffer {
    return this.#bytes.take()
  }

  release(): void {
    this.#bytes.free()
  }
}

/** Null where more of the body must be read than the serving thread has time for. */
export function skim(bytes: BodyBytes, withHash: boolean): SkimmedBody | null {
  const read = skimRequest(bytes.whole, MOST_READ_BYTES)
  return read === null ? null : new SkimmedBody(bytes, read, withHash)
}
