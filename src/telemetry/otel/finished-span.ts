import { type Attributes, type SpanContext, type SpanKind, type SpanStatus, SpanStatusCode } from '@opentelemetry/api'
import { type InstrumentationScope, millisToHrTime } from '@opentelemetry/core'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'

/** Where finished spans go, and what they have in common. */
export interface SpanOutput {
  resource: Resource
  scope: InstrumentationScope
  finish(span: ReadableSpan): void
}

export interface SpanParts {
  kind: SpanKind
  context: SpanContext
  parent: SpanContext | null
  /** Unix milliseconds. */
  start: number
  end: number
  describe(): Description
}

export interface Description {
  name: string
  attributes: Attributes
  /** No message and no exception: they may hold what people or providers wrote. */
  isFailed: boolean
  events?: { name: string; at: number; attributes: Attributes }[]
}

const OK: SpanStatus = { code: SpanStatusCode.UNSET }
const FAILED: SpanStatus = { code: SpanStatusCode.ERROR }

/** What it says is put together when it is written, which is long after the answer; one that is dropped never is. */
export class FinishedSpan implements ReadableSpan {
  readonly ended = true
  readonly links = []
  readonly droppedAttributesCount = 0
  readonly droppedEventsCount = 0
  readonly droppedLinksCount = 0
  readonly parentSpanContext?: SpanContext
  readonly #parts: SpanParts
  readonly #output: SpanOutput
  #described: Description | null = null

  constructor(parts: SpanParts, output: SpanOutput) {
    this.#parts = parts
    this.#output = output
    if (parts.parent !== null) this.parentSpanContext = parts.parent
  }

  get #description(): Description {
    this.#described ??= this.#parts.describe()
    return this.#described
  }

  get name(): string {
    return this.#description.name
  }

  get kind(): SpanKind {
    return this.#parts.kind
  }

  spanContext(): SpanContext {
    return this.#parts.context
  }

  get startTime() {
    return millisToHrTime(this.#parts.start)
  }

  get endTime() {
    return millisToHrTime(this.#parts.end)
  }

  get duration() {
    return millisToHrTime(this.#parts.end - this.#parts.start)
  }

  get status(): SpanStatus {
    return this.#description.isFailed ? FAILED : OK
  }

  get attributes(): Attributes {
    return this.#description.attributes
  }

  get events() {
    const { events = [] } = this.#description
    return events.map(({ name, at, attributes }) => ({ name, time: millisToHrTime(at), attributes }))
  }

  get resource(): Resource {
    return this.#output.resource
  }

  get instrumentationScope(): InstrumentationScope {
    return this.#output.scope
  }
}
