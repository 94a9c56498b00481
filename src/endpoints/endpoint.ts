import type { Answer, Stamp } from '../domain/answer.ts'
import type { CallRequest, EndpointName, Operation } from '../domain/call-request.ts'
import type { GatewayError } from '../domain/errors.ts'

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
  /** The gateway key as the caller sent it. Throws `unauthorized` where there is none. */
  keyOf(call: WithHeaders): string
  /** Checks a parsed body. Throws the error that the caller gets for a bad one. */
  read(value: unknown): Request
  /**
   * The most tokens that the prompt can have, wherever it is sent; null where only the model's window bounds it.
   * `bytes`: how long the JSON was as it came, where that is known.
   */
  promptTokens(request: Request, bytes: number | null): number | null
  /** The answer as the caller gets it. */
  write(answer: Answer, stamp: Stamp): string
  /** The body of an error, in the words of the format. */
  error(error: GatewayError): object
}
