import type { Attribution } from '../domain/attribution.ts'
import type { Effects } from '../domain/cache/route-cache.ts'
import { NO_MARKS, type ToolMarks } from '../domain/loops/tool-marks.ts'
import type { PromptSegments } from '../domain/prompt-cache/segments.ts'
import type { PromptTokens } from '../domain/request/bounds.ts'
import type { CallRequest } from '../domain/request/call-request.ts'
import { bytesWithout } from '../domain/request/json-cuts.ts'
import { NO_BOUNDS } from '../domain/request/output-limit.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Translation } from '../providers/family.ts'
import { type Destination, isVerbatim } from './destination.ts'
import type { OpenedRequest } from './protocol.ts'
import type { OpenOptions, RequestBody, Retranslated, Rewrite, Sent, WireBytes } from './request-body.ts'
import type { WorkerConnection } from './worker-connection.ts'

/** Where a body is, and whose it is. */
interface Kept {
  worker: WorkerConnection
  id: number
  owner: string
}

/** A body in a worker. */
export class LargeBody implements RequestBody {
  readonly length: number
  readonly #endpoint: Endpoint
  readonly #worker: WorkerConnection
  readonly #id: number
  readonly #owner: string
  readonly #opened: OpenedRequest
  #written: Uint8Array | null = null

  private constructor(length: number, endpoint: Endpoint, kept: Kept, opened: OpenedRequest) {
    this.length = length
    this.#endpoint = endpoint
    this.#worker = kept.worker
    this.#id = kept.id
    this.#owner = kept.owner
    this.#opened = opened
  }

  /** Takes ownership of the chunks. Throws the caller's error for a bad body. */
  static async open(
    chunks: readonly Uint8Array[],
    endpoint: Endpoint,
    { withHash, allowsStream, contentType, toolSalt, owner }: OpenOptions,
    worker: WorkerConnection,
  ): Promise<LargeBody> {
    const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    const id = worker.newBodyId()
    const owned = ownedBuffers(chunks)
    const input = {
      body: id,
      chunks: owned,
      endpoint: endpoint.name,
      hash: withHash,
      allowsStream,
      ...(contentType !== undefined && { contentType }),
      ...(toolSalt !== undefined && { toolSalt }),
    }
    try {
      const opened = await worker.ask(owner, 'open', input, owned)
      return new LargeBody(length, endpoint, { worker, id, owner }, opened)
    } catch (error) {
      worker.forget(id)
      throw error
    }
  }

  get request(): CallRequest {
    return this.#opened.outline
  }

  get promptTokens(): PromptTokens {
    return this.#opened.promptTokens
  }

  get attribution(): Attribution {
    return this.#opened.attribution
  }

  get effects(): Effects {
    return this.#opened.effects
  }

  get hash(): string | null {
    return this.#opened.hash
  }

  toolMarks(): ToolMarks {
    return this.#opened.toolMarks ?? NO_MARKS
  }

  segmentsLater(salt: string): () => PromptSegments | null {
    let found: PromptSegments | null = null
    const take = ({ segments }: { segments: PromptSegments | null }) => {
      found = segments
    }
    // When a worker has died, what the call asks of it next fails.
    this.#worker.ask(this.#owner, 'segments', { body: this.#id, salt }).then(take, () => {})
    return () => found
  }

  async translate(destinations: readonly Destination[], isFinal: boolean): Promise<Translation[]> {
    const input = { body: this.#id, destinations: [...destinations], isFinal }
    const { translations, written } = await this.#worker.ask(this.#owner, 'translate', input)
    this.#written = written
    return translations
  }

  async write(position: number): Promise<WireBytes> {
    const written = this.#written
    this.#written = null
    return written ?? (await this.#worker.ask(this.#owner, 'write', { body: this.#id, position }))
  }

  async rewrite(rewrite: Rewrite, { bytes, ...sent }: Sent): Promise<WireBytes | null> {
    if (!(bytes instanceof Uint8Array) || this.#endpoint.form !== undefined) return null
    // Once for each thing that a provider does not know: scanned here, because the worker no longer has it.
    if (rewrite.kind === 'without') return bytesWithout(bytes, rewrite.omitted)
    // It already contains its limits.
    const { pins: _, ...rest } = sent.destination
    const to = { ...rest, bounds: NO_BOUNDS, renames: [rewrite.rename] }
    return (await this.#reopened(to, { bytes, ...sent }))?.bytes ?? null
  }

  retranslate(to: Destination, sent: Sent): Promise<Retranslated | null> {
    return this.#reopened(to, sent)
  }

  /** A verbatim request is itself a valid request once it was sent: it is opened again. */
  async #reopened(to: Destination, { bytes, destination, isFree }: Sent): Promise<Retranslated | null> {
    if (!isFree || !(bytes instanceof Uint8Array) || this.#endpoint.form !== undefined) return null
    if (!isVerbatim(destination, this.#endpoint)) return null
    // It was accepted before.
    const options = { withHash: false, allowsStream: true, owner: this.#owner }
    const sent = await LargeBody.open([bytes], this.#endpoint, options, this.#worker)
    try {
      const [translation] = await sent.translate([to], true)
      if (translation === undefined) return null
      return { translation, bytes: translation.kind === 'wire' ? await sent.write(to.position) : null }
    } finally {
      sent.release()
    }
  }

  /** Releases the memory: left to the garbage collector, large buffers cost much of the CPU of such a call. */
  discard(bytes: WireBytes): void {
    if (bytes instanceof Uint8Array && bytes.buffer instanceof ArrayBuffer) bytes.buffer.transfer(0)
  }

  release(): void {
    this.#worker.release(this.#id)
  }
}

/** Bytes that fill their buffer are transferred; others share it and are copied. */
export function ownedBuffers(chunks: readonly Uint8Array[]): ArrayBuffer[] {
  return chunks.map((chunk) => {
    const { buffer } = chunk
    const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength
    return isWhole ? buffer : new Uint8Array(chunk).buffer
  })
}
