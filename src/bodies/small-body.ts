import { hash } from 'node:crypto'
import { type Attribution, NO_ATTRIBUTION } from '../domain/attribution.ts'
import type { Effects } from '../domain/cache/route-cache.ts'
import type { PromptTokens } from '../domain/request/bounds.ts'
import type { CallRequest, JsonObject } from '../domain/request/call-request.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { readBody } from '../endpoints/read-body.ts'
import type { Translation } from '../providers/family.ts'
import { renamed } from '../providers/rename.ts'
import { wireBody } from '../providers/wire-body.ts'
import { type Destination, isVerbatim, translatorOf } from './destination.ts'
import type { ReadOptions, RequestBody, Rewrite, Sent, WireBytes } from './request-body.ts'

/** A body that the serving thread processes itself. */
export class SmallBody implements RequestBody {
  readonly length: number | null
  readonly request: CallRequest
  readonly promptTokens: PromptTokens
  readonly attribution: Attribution
  readonly hash: string | null
  readonly #endpoint: Endpoint
  /** Null: the request was not read from these bytes as they are. */
  readonly #source: Buffer | null
  #written: { destination: Destination; wire: JsonObject }[] = []

  /** `source`: the bytes that the request was read from; null when it did not arrive as bytes. */
  constructor(
    request: CallRequest,
    endpoint: Endpoint,
    source: Buffer | null = null,
    withHash = false,
    isAsReceived = true,
  ) {
    this.request = request
    this.length = source?.length ?? null
    this.promptTokens = endpoint.promptTokens(request, this.length)
    this.attribution = endpoint.attribution?.(request) ?? NO_ATTRIBUTION
    this.hash = withHash && source !== null ? hash('sha256', source, 'hex') : null
    this.#endpoint = endpoint
    this.#source = isAsReceived ? source : null
  }

  /** Throws the caller's error for a bad body. */
  static read(source: Buffer, endpoint: Endpoint, { withHash, allowsStream }: ReadOptions): SmallBody {
    const { request, isAsReceived } = readBody(source, endpoint, allowsStream)
    return new SmallBody(request, endpoint, source, withHash, isAsReceived)
  }

  get effects(): Effects {
    return this.#endpoint.effects?.(this.request) ?? 'none'
  }

  translate(destinations: readonly Destination[]): Translation[] {
    this.#written = []
    return destinations.map((destination) => {
      const translation = translatorOf(destination, this.#endpoint).toWire(this.request, destination)
      if (translation.kind === 'wire') this.#written.push({ destination, wire: translation.body })
      return translation
    })
  }

  write(position: number): WireBytes {
    const found = this.#written.find(({ destination }) => destination.position === position)
    if (found === undefined) throw new Error(`there is nothing to write for position ${position}`)
    return this.#bytesOf(found.wire, found.destination)
  }

  rewrite(rewrite: Rewrite, { wire, destination }: Sent): WireBytes {
    return this.#bytesOf(rewritten(wire, rewrite), destination)
  }

  #bytesOf(wire: JsonObject, destination: Destination): WireBytes {
    return wireBody(wire, this.request, isVerbatim(destination, this.#endpoint) ? this.#source : null)
  }

  discard(): void {}

  release(): void {}
}

function rewritten(wire: JsonObject, rewrite: Rewrite): JsonObject {
  if (rewrite.kind === 'rename') return renamed(wire, [rewrite.rename]).body
  if (rewrite.kind === 'without') {
    const { field, values } = rewrite
    const listed = wire[field]
    const left = Array.isArray(listed) ? listed.filter((each) => !values.includes(each)) : []
    if (left.length > 0) return { ...wire, [field]: left }
    const { [field]: _, ...rest } = wire
    return rest
  }
  return Object.fromEntries(Object.entries(wire).filter(([name]) => !rewrite.fields.has(name)))
}
