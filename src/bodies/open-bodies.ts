import { hash } from 'node:crypto'
import { NO_ATTRIBUTION } from '../domain/attribution.ts'
import { GatewayError } from '../domain/errors.ts'
import type { Form } from '../domain/form/form.ts'
import { formHash } from '../domain/form/write-form.ts'
import { toolMarks } from '../domain/loops/tool-marks.ts'
import { type PromptSegments, promptSegments } from '../domain/prompt-cache/segments.ts'
import type { CallRequest, JsonObject } from '../domain/request/call-request.ts'
import { bytesWithout } from '../domain/request/json-cuts.ts'
import { worded } from '../domain/wording/worded.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { readBody, readFormBody } from '../endpoints/read-body.ts'
import type { Translation } from '../providers/family.ts'
import { wireBytes } from '../providers/wire-body.ts'
import type { BodyBytes } from './body-bytes.ts'
import { type Destination, isVerbatim, omittedFrom, translated } from './destination.ts'
import { writtenForm } from './form-bytes.ts'
import { outlineFor, outlineOf } from './outline.ts'
import type { OpenedRequest, Translated } from './protocol.ts'
import type { ReadOptions } from './request-body.ts'

/** A body and, while there is room, its parsed form. */
interface OpenBody {
  bytes: BodyBytes
  endpoint: Endpoint
  allowsStream: boolean
  contentType: string
  request: CallRequest | null
  /** Of an endpoint with forms: its parts, in these bytes. */
  form: Form | null
  isAsReceived: boolean
  destinations: Map<number, Destination>
  wires: Map<number, JsonObject>
  /** The last position that can be requested. */
  lastPosition: number
  /** Of this thread's CPU. */
  spentMs: number
}

/** Parsed requests take a multiple of their bytes, so no more is kept than one body of the largest size. */
const READ_BYTES = 32 * 1024 * 1024

/** Of CPU, for one body: others wait for it. The bounds on its shape leave the worst known one at a fifth of this. */
const MOST_MS = 5_000

const threadCpuMs = () => process.threadCpuUsage().user / 1_000

/**
 * The requests whose bodies are too large for the serving thread, from arrival until the last entry of their chain was
 * written or the call ended. The bytes stay that long; the parsed form is dropped after writing, and parsed again in
 * the rare case that it is needed.
 */
export class OpenBodies {
  readonly #bodies = new Map<number, OpenBody>()
  /** Parsed requests, least recently used first. */
  readonly #read = new Set<OpenBody>()
  readonly #readBytes: number
  readonly #cpuMs: () => number

  constructor(readBytes = READ_BYTES, cpuMs = threadCpuMs) {
    this.#readBytes = readBytes
    this.#cpuMs = cpuMs
  }

  get size(): number {
    return this.#bodies.size
  }

  get readCount(): number {
    return this.#read.size
  }

  open(
    id: number,
    bytes: BodyBytes,
    endpoint: Endpoint,
    { withHash, allowsStream, contentType = '', toolSalt }: ReadOptions,
  ): OpenedRequest {
    const body: OpenBody = {
      bytes,
      endpoint,
      allowsStream,
      contentType,
      request: null,
      form: null,
      isAsReceived: true,
      destinations: new Map(),
      wires: new Map(),
      lastPosition: -1,
      spentMs: 0,
    }
    const began = this.#cpuMs()
    const request = this.#requestOf(body)
    const opened = {
      outline: outlineFor(endpoint, request),
      promptTokens: endpoint.promptTokens(request, bytes.whole.length),
      attribution: endpoint.attribution?.(request) ?? NO_ATTRIBUTION,
      effects: endpoint.effects?.(request) ?? 'none',
      hash: withHash ? (body.form === null ? hash('sha256', bytes.whole, 'hex') : formHash(body.form)) : null,
      ...(toolSalt !== undefined && { toolMarks: toolMarks(endpoint.toolUses?.(request), toolSalt) }),
    }
    this.#spend(body, began)
    this.#bodies.set(id, body)
    return opened
  }

  segments(id: number, salt: string): PromptSegments | null {
    const body = this.#find(id)
    const began = this.#cpuMs()
    const source = body.endpoint.promptSource?.(this.#requestOf(body)) ?? null
    const segments = source === null ? null : promptSegments(source, salt)
    body.spentMs += this.#cpuMs() - began
    return segments
  }

  translate(id: number, destinations: readonly Destination[], isFinal = true): Translated {
    const body = this.#find(id)
    const translations = destinations.map((destination): Translation => {
      const { position } = destination
      body.destinations.set(position, destination)
      const began = this.#cpuMs()
      const translation = this.#translated(body, destination)
      this.#spend(body, began)
      if (translation.kind !== 'wire') return translation
      body.lastPosition = Math.max(body.lastPosition, position)
      return { ...translation, body: outlineOf(translation.body) }
    })
    const [only, ...others] = body.wires.keys()
    // A call with tools of the provider may be asked for again with fewer of them.
    const isLast = isFinal && translations.every((each) => each.kind !== 'wire' || each.bounds.tools === undefined)
    const isWritten = isLast && only !== undefined && others.length === 0
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

  /** Not while it is written: then the call is paid for. */
  #spend(body: OpenBody, began: number): void {
    body.spentMs += this.#cpuMs() - began
    if (body.spentMs <= MOST_MS) return
    this.#drop(body)
    const what = worded`The body takes more than ${MOST_MS / 1_000} seconds to read and translate.`
    throw new GatewayError('invalid_request', what)
  }

  #find(id: number): OpenBody {
    const body = this.#bodies.get(id)
    if (body === undefined) throw new Error('this body is not open')
    return body
  }

  #written(body: OpenBody, position: number): Uint8Array<ArrayBuffer> {
    const { bytes, endpoint } = body
    const destination = body.destinations.get(position)
    if (destination === undefined) throw new Error(`there is nothing to write for position ${position}`)
    const wire = body.wires.get(position) ?? this.#wireOf(body, destination)
    if (endpoint.form !== undefined) {
      const request = this.#requestOf(body)
      return writtenForm({ form: body.form ?? [], request }, wire, destination)
    }
    const isEdited = body.isAsReceived && isVerbatim(destination, endpoint)
    const json = isEdited ? wireBytes(wire, this.#requestOf(body), bytes.whole) : Buffer.from(JSON.stringify(wire))
    const omitted = omittedFrom(wire, destination)
    return ownBuffer(omitted === null ? json : (bytesWithout(json, omitted) ?? json))
  }

  #wireOf(body: OpenBody, destination: Destination): JsonObject {
    const translation = this.#translated(body, destination)
    if (translation.kind !== 'wire') throw new Error(`there is nothing to write for position ${destination.position}`)
    return translation.body
  }

  #translated(body: OpenBody, destination: Destination): Translation {
    const translation = translated(this.#requestOf(body), destination, body.endpoint)
    if (translation.kind === 'wire') body.wires.set(destination.position, translation.body)
    return translation
  }

  #requestOf(body: OpenBody): CallRequest {
    this.#read.delete(body)
    if (body.request === null) {
      const source = body.bytes.whole
      this.#makeRoom(source.length)
      this.#parse(body, source)
    }
    this.#read.add(body)
    return body.request as CallRequest
  }

  #parse(body: OpenBody, source: Buffer): void {
    const { endpoint, contentType, allowsStream } = body
    const { form: format } = endpoint
    if (format !== undefined) {
      const read = readFormBody(source, contentType, { ...endpoint, form: format }, allowsStream)
      body.request = read.request
      body.form = read.form
      return
    }
    const { request, isAsReceived } = readBody(source, endpoint, allowsStream)
    body.request = request
    body.isAsReceived = isAsReceived
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
    body.request = null
    body.form = null
    body.wires.clear()
    this.#read.delete(body)
  }
}

/** Node cuts small buffers out of a shared one, which cannot be transferred. */
function ownBuffer(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes
  return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.length
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes)
}
