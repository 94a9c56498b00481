import { z } from 'zod'
import { ERRORS, type ErrorFormat, type GatewayError } from '../../domain/errors.ts'

/** The format's own names of statuses. Money is a resource that is exhausted, under a status that clients do not retry. */
const NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'RESOURCE_EXHAUSTED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  405: 'UNIMPLEMENTED',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  412: 'FAILED_PRECONDITION',
  413: 'INVALID_ARGUMENT',
  415: 'INVALID_ARGUMENT',
  426: 'UNIMPLEMENTED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

export const ContentsError = z.looseObject({
  error: z.looseObject({
    code: z.int().describe('The status.'),
    message: z.string(),
    status: z.string().describe('The name of the status.'),
    details: z
      .array(z.looseObject({}))
      .optional()
      .describe("`ErrorInfo`, whose reason is the gateway's code in capitals, and `RetryInfo` where waiting helps."),
  }),
})

const TYPES = 'type.googleapis.com/google.rpc.'
const DOMAIN = 'switchyard'

/** The words of a provider that speaks this format are the clearest ones. */
export const contentsError: ErrorFormat = (error) => ({
  status: error.status,
  body: error.original ?? errorObject(error),
})

/** The frame after which a stream ends: clients raise on it, with its status. */
export function errorFrame(error: GatewayError): string {
  return `data: ${JSON.stringify(errorObject(error))}\r\n\r\n`
}

/** Our code is the reason; its figures are texts here. */
function errorObject({ status, message, code, details: figures, retryAfterSeconds }: GatewayError): object {
  const info: Record<string, unknown> = { '@type': `${TYPES}ErrorInfo`, reason: code.toUpperCase(), domain: DOMAIN }
  if (figures !== undefined) {
    info['metadata'] = Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, textOf(value)]))
  }
  const details = [info]
  if (retryAfterSeconds !== undefined) {
    details.push({ '@type': `${TYPES}RetryInfo`, retryDelay: `${retryAfterSeconds}s` })
  }
  return { error: { code: status, message, status: NAMES[ERRORS[code].status] ?? 'UNKNOWN', details } }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
