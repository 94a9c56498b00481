import type { z } from 'zod'
import type { GatewayError } from '../domain/errors.ts'
import type { Answer, Stamp } from '../domain/request/answer.ts'
import type { PromptTokens } from '../domain/request/bounds.ts'
import type { CallRequest, EndpointName, Operation } from '../domain/request/call-request.ts'

/** Whatever has headers: a call. */
export interface WithHeaders {
  header(name: string): string | undefined
}

/**
 * A public path with its format: pure, no I/O. The kernel knows nothing else of a format. `Request` is that of the
 * operation, which translators take.
 */
export interface Endpoint<Request extends CallRequest = CallRequest> {
  name: EndpointName
  path: string
  operation: Operation
  /** What the ids of its calls begin with. */
  idPrefix: string
  /** Which entries of a chain may stand in for its first: answers of two models may not be comparable. */
  fallsBackTo: 'any-model' | 'same-model'
  /** The gateway key as the caller sent it. Throws `unauthorized` where there is none. */
  keyOf(call: WithHeaders): string
  /** Checks a parsed body. Throws the error that the caller gets for a bad one. */
  read(value: unknown): Request
  /** `bytes`: how long the JSON was as it came, where that is known. */
  promptTokens(request: Request, bytes: number | null): PromptTokens
  /** The answer as the caller gets it. */
  write(answer: Answer, stamp: Stamp): string
  /** The body of an error, in the words of the format. */
  error(error: GatewayError): object
  page: EndpointPage
}

/** How the API reference shows it. */
export interface EndpointPage {
  operationId: string
  summary: string
  request: z.ZodType
  requestNotes: string
  example: object
  answer: z.ZodType
  answerNotes: string
}
