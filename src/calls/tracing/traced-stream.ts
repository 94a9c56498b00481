import { LARGE_BYTES } from '../../bodies/bodies.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import { ASSEMBLERS } from '../../endpoints/assemblers.ts'
import { type Assembly, eventIn } from '../../endpoints/assembly.ts'
import { TRACED_TEXT } from '../../telemetry/tracing.ts'
import type { Aspect } from '../stages.ts'

/** As JSON: a few times what an attribute of a span may hold. */
const MOST_KEPT = 64 * 1024

/** The answer of a stream, for its span: of each text its beginning, and of very many parts the first ones. */
export class TracedStream implements Aspect {
  readonly #assembly: Assembly | undefined
  #unchecked = 0
  #isFull = false
  #hasEvents = false

  constructor(endpoint: string) {
    this.#assembly = ASSEMBLERS[endpoint]?.(TRACED_TEXT + 1)
  }

  readonly recordFrames = (text: string): void => {
    if (this.#isFull || this.#assembly === undefined) return
    for (const line of text.split('\n')) this.#add(line, this.#assembly)
  }

  /** `rest`: the end of the stream, which may repeat the whole answer. Null: nothing was sent. */
  answer(rest: string): JsonObject | null {
    this.#isFull = false
    this.recordFrames(rest)
    return this.#hasEvents && this.#assembly !== undefined ? this.#assembly.answer() : null
  }

  #add(line: string, assembly: Assembly): void {
    if (this.#isFull || line.length >= LARGE_BYTES) return
    const event = eventIn(line)
    if (event === null) return
    this.#hasEvents = true
    assembly.add(event)
    this.#unchecked += line.length
    if (this.#unchecked < MOST_KEPT) return
    this.#unchecked = 0
    this.#isFull = JSON.stringify(assembly.answer()).length > MOST_KEPT
  }
}
