import { hash } from 'node:crypto'
import type { JsonObject } from '../domain/chat.ts'
import { promptTokensBound } from '../limits/hold.ts'
import { FAMILIES } from '../providers/families.ts'
import type { Translation } from '../providers/family.ts'
import { cutsOf, spliced } from '../providers/wire-body.ts'
import type { BodyBytes } from './body-bytes.ts'
import { outlineOf, wireOutlineOf } from './outline.ts'
import type { Destination, OpenedRequest, Translated } from './protocol.ts'
import { type ReadRequest, readExactly, readRequest } from './read-request.ts'

/** A request in the words of a family. */
interface Wire extends ReadRequest {
  body: JsonObject
}

/** A body and, for as long as there is room, what was made of it. */
interface OpenBody {
  bytes: BodyBytes
  read: ReadRequest | null
  destinations: Map<number, Destination>
  wires: Map<number, Wire>
  /** The last position that can be asked for. */
  lastPosition: number
}

/** What is read may take twenty times the bytes, so no more is kept than one body of the largest size comes to. */
const READ_BYTES = 32 * 1024 * 1024

/**
 * The requests whose bodies are too large for the serving thread, from their arrival until the last entry of their chain
 * has been written for, or their call has ended. The bytes stay that long; what was read of them is dropped once it was
 * written, and read again in the rare case that it is needed again.
 */
export class OpenBodies {
  readonly #bodies = new Map<number, OpenBody>()
  /** Those that are read, the one used last at the end. */
  readonly #read = new Set<OpenBody>()
  readonly #readBytes: number

  constructor(readBytes = READ_BYTES) {
    this.#readBytes = readBytes
  }

  get size(): number {
    return this.#bodies.size
  }

  get readCount(): number {
    return this.#read.size
  }

  open(id: number, bytes: BodyBytes, withHash: boolean): OpenedRequest {
    const body: OpenBody = { bytes, read: null, destinations: new Map(), wires: new Map(), lastPosition: -1 }
    const { request } = this.#readOf(body, false)
    this.#bodies.set(id, body)
    return {
      outline: outlineOf(request),
      promptTokens: promptTokensBound(request, bytes.whole.length),
      bodyHash: withHash ? hash('sha256', bytes.whole, 'hex') : null,
    }
  }

  translate(id: number, destinations: readonly Destination[], isFinal = true): Translated {
    const body = this.#find(id)
    const translations = destinations.map((destination): Translation => {
      const { position } = destination
      body.destinations.set(position, destination)
      const translation = this.#translated(body, destination, false)
      if (translation.kind !== 'wire') return translation
      body.lastPosition = Math.max(body.lastPosition, position)
      return { ...translation, body: wireOutlineOf(translation.body) }
    })
    const [only, ...others] = body.wires.keys()
    const isWritten = isFinal && only !== undefined && others.length === 0
    return { translations, written: isWritten ? this.write(id, only) : null }
  }

  write(id: number, position: number): Uint8Array<ArrayBuffer> {
    const body = this.#find(id)
    const written = this.#written(body, position)
    this.#drop(body)
    if (position >= body.lastPosition) this.release(id)
    return written
  }

  release(id: number): void {
    const body = this.#bodies.get(id)
    if (body === undefined) return
    this.#drop(body)
    body.bytes.free()
    this.#bodies.delete(id)
  }

  #find(id: number): OpenBody {
    const body = this.#bodies.get(id)
    if (body === undefined) throw new Error('this body is not open')
    return body
  }

  #written(body: OpenBody, position: number): Uint8Array<ArrayBuffer> {
    const { bytes } = body
    const wire = body.wires.get(position) ?? this.#wireOf(body, position, false)
    const cuts = cutsOf(wire.body, wire.request, bytes.whole)
    if (cuts !== null) {
      const taken = position >= body.lastPosition ? bytes.takeSpliced(cuts) : null
      return taken ?? ownBuffer(spliced(bytes.whole, cuts))
    }
    const exact = wire.isExact ? wire : this.#wireOf(body, position, true)
    return ownBuffer(Buffer.from(JSON.stringify(exact.body)))
  }

  #wireOf(body: OpenBody, position: number, mustBeExact: boolean): Wire {
    const destination = body.destinations.get(position)
    if (destination !== undefined) this.#translated(body, destination, mustBeExact)
    const wire = body.wires.get(position)
    if (wire === undefined) throw new Error(`there is nothing to write for position ${position}`)
    return wire
  }

  #translated(body: OpenBody, { position, family, ...target }: Destination, mustBeExact: boolean): Translation {
    const translator = FAMILIES.get(family)
    if (translator === undefined) throw new Error(`there is no family '${family}'`)
    const read = this.#readOf(body, mustBeExact || !translator.isVerbatim)
    const translation = translator.toWire(read.request, target)
    if (translation.kind === 'wire') body.wires.set(position, { ...read, body: translation.body })
    return translation
  }

  #readOf(body: OpenBody, mustBeExact: boolean): ReadRequest {
    this.#read.delete(body)
    if (body.read === null || (mustBeExact && !body.read.isExact)) {
      const source = body.bytes.whole
      this.#makeRoom(source.length)
      body.read = mustBeExact ? readExactly(source) : readRequest(source)
    }
    this.#read.add(body)
    return body.read
  }

  #makeRoom(bytes: number): void {
    let taken = bytes
    for (const each of this.#read) taken += each.bytes.whole.length
    for (const oldest of this.#read) {
      if (taken <= this.#readBytes) break
      taken -= oldest.bytes.whole.length
      this.#drop(oldest)
    }
  }

  #drop(body: OpenBody): void {
    body.read = null
    body.wires.clear()
    this.#read.delete(body)
  }
}

/** Node cuts small buffers out of a larger one, which cannot be given away. */
function ownBuffer(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes
  return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.length
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes)
}
