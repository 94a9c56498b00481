import { hash } from 'node:crypto'
import type { ChatRequest, JsonObject } from '../domain/chat.ts'
import { promptTokensBound } from '../domain/hold.ts'
import { parseRequest } from '../domain/parse-request.ts'
import { FAMILIES } from '../providers/families.ts'
import type { Translation } from '../providers/family.ts'
import { wireBody } from '../providers/wire-body.ts'
import { outlineOf, wireOutlineOf } from './outline.ts'
import type { Destination, OpenedRequest } from './protocol.ts'

/** A body and, for as long as there is room, what was made of it. */
interface OpenBody {
  source: Buffer
  request: ChatRequest | null
  destinations: Map<number, Destination>
  wires: Map<number, JsonObject>
}

/** What is parsed may take twenty times the bytes, so no more is kept than one body of the largest size comes to. */
const PARSED_BYTES = 32 * 1024 * 1024

/**
 * The requests whose bodies are too large for the serving thread, from their arrival to the end of their call. The bytes
 * stay, for another entry of the chain may need them; what was parsed is dropped once it was written, and parsed again
 * in the rare case that it is needed again.
 */
export class OpenBodies {
  readonly #bodies = new Map<number, OpenBody>()
  /** Those that are parsed, the one used last at the end. */
  readonly #parsed = new Set<OpenBody>()
  readonly #parsedBytes: number

  constructor(parsedBytes = PARSED_BYTES) {
    this.#parsedBytes = parsedBytes
  }

  get size(): number {
    return this.#bodies.size
  }

  get parsedCount(): number {
    return this.#parsed.size
  }

  open(id: number, source: Buffer, withHash: boolean): OpenedRequest {
    const body: OpenBody = { source, request: null, destinations: new Map(), wires: new Map() }
    const request = this.#requestOf(body)
    this.#bodies.set(id, body)
    return {
      outline: outlineOf(request),
      promptTokens: promptTokensBound(request, source.length),
      bodyHash: withHash ? hash('sha256', source, 'hex') : null,
    }
  }

  translate(id: number, destinations: readonly Destination[]): Translation[] {
    const body = this.#find(id)
    return destinations.map((destination) => {
      body.destinations.set(destination.position, destination)
      const translation = this.#translated(body, destination)
      return translation.kind === 'wire' ? { ...translation, body: wireOutlineOf(translation.body) } : translation
    })
  }

  write(id: number, position: number): Uint8Array<ArrayBuffer> {
    const body = this.#find(id)
    const wire = this.#wireOf(body, position)
    const written = wireBody(wire, this.#requestOf(body), body.source)
    this.#drop(body)
    return typeof written === 'string' ? Buffer.from(written) : new Uint8Array(written)
  }

  release(id: number): void {
    const body = this.#bodies.get(id)
    if (body !== undefined) this.#drop(body)
    this.#bodies.delete(id)
  }

  #find(id: number): OpenBody {
    const body = this.#bodies.get(id)
    if (body === undefined) throw new Error('this body is not open')
    return body
  }

  #translated(body: OpenBody, { position, family, model, traits }: Destination): Translation {
    const translator = FAMILIES.get(family)
    if (translator === undefined) throw new Error(`there is no family '${family}'`)
    const translation = translator.toWire(this.#requestOf(body), { model, traits })
    if (translation.kind === 'wire') body.wires.set(position, translation.body)
    return translation
  }

  #wireOf(body: OpenBody, position: number): JsonObject {
    const wire = body.wires.get(position)
    if (wire !== undefined) return wire
    const destination = body.destinations.get(position)
    if (destination === undefined) throw new Error(`nothing was translated for position ${position}`)
    const translation = this.#translated(body, destination)
    if (translation.kind !== 'wire') throw new Error(`position ${position} cannot express the request`)
    return translation.body
  }

  #requestOf(body: OpenBody): ChatRequest {
    this.#parsed.delete(body)
    if (body.request === null) {
      this.#makeRoom(body.source.length)
      body.request = parseRequest(body.source)
    }
    this.#parsed.add(body)
    return body.request
  }

  #makeRoom(bytes: number): void {
    let taken = bytes
    for (const each of this.#parsed) taken += each.source.length
    for (const oldest of this.#parsed) {
      if (taken <= this.#parsedBytes) break
      taken -= oldest.source.length
      this.#drop(oldest)
    }
  }

  #drop(body: OpenBody): void {
    body.request = null
    body.wires.clear()
    this.#parsed.delete(body)
  }
}
