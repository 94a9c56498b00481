import { hash } from 'node:crypto'
import { type Attribution, NO_ATTRIBUTION } from '../domain/attribution.ts'
import type { Effects } from '../domain/cache/route-cache.ts'
import type { Form } from '../domain/form/form.ts'
import { formHash } from '../domain/form/write-form.ts'
import { type ToolMarks, toolMarks } from '../domain/loops/tool-marks.ts'
import { type PromptSegments, promptSegments } from '../domain/prompt-cache/segments.ts'
import type { PromptTokens } from '../domain/request/bounds.ts'
import type { CallRequest, JsonObject } from '../domain/request/call-request.ts'
import { textWithout } from '../domain/request/json-cuts.ts'
import { topLevelFields } from '../domain/request/json-text.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { readBody, readFormBody } from '../endpoints/read-body.ts'
import type { Translation } from '../providers/family.ts'
import { type Rename, renamed } from '../providers/rename.ts'
import { wireBody } from '../providers/wire-body.ts'
import { type Destination, isVerbatim, omittedFrom, translated } from './destination.ts'
import { writtenForm } from './form-bytes.ts'
import type { ReadOptions, RequestBody, Retranslated, Rewrite, Sent, WireBytes } from './request-body.ts'

/** A body that the serving thread processes itself. */
export class SmallBody implements RequestBody {
  readonly length: number | null
  readonly request: CallRequest
  readonly promptTokens: PromptTokens
  readonly attribution: Attribution
  hash: string | null
  readonly #endpoint: Endpoint
  /** As received; null: the request is not what this text says. */
  readonly #source: string | null
  /** Of an endpoint with forms. */
  #form: Form | null = null
  #written: { destination: Destination; wire: JsonObject }[] = []

  /** `bytes`: what the request was read from; null when it did not arrive as bytes. */
  constructor(
    request: CallRequest,
    endpoint: Endpoint,
    bytes: Buffer | null = null,
    withHash = false,
    source: string | null = null,
  ) {
    this.request = request
    this.length = bytes?.length ?? null
    this.promptTokens = endpoint.promptTokens(request, this.length)
    this.attribution = endpoint.attribution?.(request) ?? NO_ATTRIBUTION
    this.hash = withHash && bytes !== null ? hash('sha256', bytes, 'hex') : null
    this.#endpoint = endpoint
    this.#source = source
  }

  /** Throws the caller's error for a bad body. */
  static read(bytes: Buffer, endpoint: Endpoint, options: ReadOptions): SmallBody {
    const { withHash, allowsStream, contentType = '' } = options
    const { form: format } = endpoint
    if (format !== undefined) {
      const { request, form } = readFormBody(bytes, contentType, { ...endpoint, form: format }, allowsStream)
      const body = new SmallBody(request, endpoint, bytes)
      body.#form = form
      if (withHash) body.hash = formHash(form)
      return body
    }
    const { request, json, isAsReceived } = readBody(bytes, endpoint, allowsStream)
    return new SmallBody(request, endpoint, bytes, withHash, isAsReceived ? json : null)
  }

  get effects(): Effects {
    return this.#endpoint.effects?.(this.request) ?? 'none'
  }

  toolMarks(salt: string): ToolMarks {
    return toolMarks(this.#endpoint.toolUses?.(this.request), salt)
  }

  segmentsLater(salt: string): () => PromptSegments | null {
    return () => {
      const source = this.#endpoint.promptSource?.(this.request) ?? null
      return source === null ? null : promptSegments(source, salt)
    }
  }

  translate(destinations: readonly Destination[]): Translation[] {
    this.#written = []
    return destinations.map((destination) => {
      const translation = translated(this.request, destination, this.#endpoint)
      if (translation.kind === 'wire') this.#written.push({ destination, wire: translation.body })
      return translation
    })
  }

  write(position: number): WireBytes {
    const found = this.#written.find(({ destination }) => destination.position === position)
    if (found === undefined) throw new Error(`there is nothing to write for position ${position}`)
    return this.#bytesOf(found.wire, found.destination)
  }

  rewrite(rewrite: Rewrite, { bytes }: Sent): WireBytes | null {
    if (typeof bytes !== 'string') return null
    return rewrite.kind === 'rename' ? renamedText(bytes, rewrite.rename) : textWithout(bytes, rewrite.omitted)
  }

  retranslate(to: Destination): Retranslated {
    const translation = translated(this.request, to, this.#endpoint)
    return { translation, bytes: translation.kind === 'wire' ? this.#bytesOf(translation.body, to) : null }
  }

  #bytesOf(wire: JsonObject, destination: Destination): WireBytes {
    if (this.#form !== null) return writtenForm({ form: this.#form, request: this.request }, wire, destination)
    const json = wireBody(wire, this.request, isVerbatim(destination, this.#endpoint) ? this.#source : null)
    const omitted = omittedFrom(wire, destination)
    return omitted === null ? json : (textWithout(json, omitted) ?? json)
  }

  discard(): void {}

  release(): void {}
}

function renamedText(json: string, { from, to }: Rename): string {
  const place = topLevelFields(json).get(from)
  // It is there twice, or its name is written with escapes.
  if (place == null) return JSON.stringify(renamed(JSON.parse(json), [{ from, to }]).body)
  return `${json.slice(0, place.key)}${JSON.stringify(to)}${json.slice(place.key + from.length + 2)}`
}
