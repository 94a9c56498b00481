import type { z } from 'zod'
import type { Attribution } from '../domain/attribution.ts'
import type { Effects } from '../domain/cache/route-cache.ts'
import type { ErrorFormat, GatewayError } from '../domain/errors.ts'
import type { Form } from '../domain/form/form.ts'
import type { FormShape } from '../domain/form/form-fields.ts'
import type { ToolUse } from '../domain/loops/tool-marks.ts'
import type { PromptSource } from '../domain/prompt-cache/segments.ts'
import type { Adjustment } from '../domain/request/adjustment.ts'
import type { Answer, Stamp } from '../domain/request/answer.ts'
import type { PromptTokens } from '../domain/request/bounds.ts'
import type { Bridge } from '../domain/request/bridge.ts'
import type { CallRequest, EndpointName, Operation } from '../domain/request/call-request.ts'
import type { StreamWriter } from '../domain/request/stream.ts'

/** Anything with headers: a call. */
export interface WithHeaders {
  header(name: string): string | undefined
}

/**
 * A public path with its format: pure, no I/O. The kernel knows nothing else of a format. `Request` is the request type
 * of the operation, which translators take.
 */
export interface Endpoint<Request extends CallRequest = CallRequest> {
  name: EndpointName
  /** `{model}` in it: the model is in the path and not in the body, and so is what is asked of it (`methods`). */
  path: string
  /** What may stand behind the model in the path, and whether the answer streams. */
  methods?: Readonly<Record<string, 'whole' | 'stream'>>
  operation: Operation
  /** Prefix of the ids of its calls. */
  idPrefix: string
  /** A header in which clients of this format look for the id of a call. */
  idHeader?: string
  /** Which entries of a chain may replace the first: answers of two models may not be comparable. */
  fallsBackTo: 'any-model' | 'same-model'
  /**
   * What was sent and not answered was probably made and billed: it is not sent again, nor to two entries at a time, and
   * clients should not repeat it.
   */
  asksOnce?: true
  /** Its answers are pictures or sound, which are no content to store. */
  answersMedia?: true
  /** The gateway key as sent. Throws `unauthorized` if there is none. */
  keyOf(call: WithHeaders): string
  /** A key that was sent and not used; `call` has one that was. */
  unusedKey?(call: WithHeaders): readonly Adjustment[]
  /** No second entry is asked while the first has not answered. */
  neverHedges?: true
  /** Its requests are forms with files, which `read` gets as objects; missing: they are JSON. */
  form?: FormFormat
  /** Checks a parsed body. Throws the caller's error for a bad one, `not_implemented` for a stream that is not allowed. */
  read(value: unknown, allowsStream: boolean): Request
  /** `bytes`: the length of the JSON as received, if known. */
  promptTokens(request: Request, bytes: number | null): PromptTokens
  /** Who the request is for, as far as its body says. `request` is the whole one. */
  attribution?(request: Request): Attribution
  /** What a request does beside being answered; missing: nothing. */
  effects?(request: Request): Effects
  /** The tool calls of models in its conversation; missing: its requests have none. */
  toolUses?(request: Request): readonly ToolUse[]
  /** What of it becomes the prompt; null: not all of that is in it. Missing: an answer has no prompt. */
  promptSource?(request: Request): PromptSource | null
  /** Missing: only families that speak this format serve it. */
  bridge?: Bridge<Request>
  /**
   * The parts of a large request that its answer depends on; by default every field, cut to its beginning
   * (bodies/outline.ts).
   */
  outline?(request: Request): Partial<Request>
  /** Its format has a `metadata` that providers read. */
  ownsMetadata?: true
  /** Clients do without it: where no entry offers it, it is not found. */
  isOptional?: true
  /** Its answers contain reasoning that a later request brings back. */
  seals?: true
  /** Costs nothing: nothing is held, and the cost is 0. */
  isFree?: true
  /** The answer in the caller's format; of a bridged request it is a completion. `request` may be an outline. */
  write(answer: Answer, stamp: Stamp, request: Request): string
  /** Missing: this endpoint has no streams. */
  stream?: StreamFormat<Request>
  /** An error in this format. */
  error: ErrorFormat
  /** Whether the caller obeys a stream that has failed and no status: final refusals are answered so where it asked for a stream. */
  stopsAtFailedStream?(call: WithHeaders): boolean
  page: EndpointPage
}

/** How an endpoint reads forms. */
export interface FormFormat extends FormShape {
  /** Of the whole body. */
  limitBytes: number
  /** A JSON body as the form that says the same; missing: none is taken. */
  ofJson?(value: unknown): Form
}

/** How an endpoint streams. */
export interface StreamFormat<Request extends CallRequest = CallRequest> {
  isRequested(request: Request): boolean
  /** Of an answer in bytes its type, from that of the provider; its frames have a character for each byte. Null, or missing: it has events. */
  typeOf?(request: Request, type: string): string | null
  open(request: Request, stamp: Stamp): StreamWriter
  /** The frame of an error after which the stream ends: official clients raise on it. */
  error(error: GatewayError, requestId: string): string
  /** A frame that clients ignore, while there is nothing to send. */
  keepAlive: string
  /** Between two events so much time may pass, whatever the settings say. */
  leastIdleMs?: number
}

/** For the API reference. */
export interface EndpointPage {
  operationId: string
  summary: string
  request: z.ZodType
  requestNotes: string
  example: object
  answer: z.ZodType
  answerNotes: string
  /** Of an error; missing: it has the contract's fields. */
  error?: z.ZodType
}
