import { joined } from '../domain/byte-pieces.ts'
import { GatewayError } from '../domain/errors.ts'
import { exactUsd, type Picodollars } from '../domain/pricing/price.ts'
import { isJsonObject, type JsonObject } from '../domain/request/call-request.ts'
import type { Call, Reply } from '../http/call.ts'
import { jsonTextReply } from '../http/respond.ts'

/** Fields of money: their digits are kept as sent, because a number would round them. */
const MONEY: readonly string[] = ['max_budget', 'soft_budget']

type Parse = (text: string, reviver: (name: string, value: unknown, context: { source?: string }) => unknown) => unknown
/** TypeScript knows neither the third argument of a reviver nor raw JSON. */
const { parse, rawJSON } = JSON as unknown as { parse: Parse; rawJSON(text: string): unknown }

/** The body of a request: an object, or nothing. */
export async function readObject(call: Call, maxBodyBytes: number): Promise<JsonObject> {
  const text = joined(await call.readBody(maxBodyBytes)).toString('utf8')
  if (text.trim() === '') return {}
  const value = parsedExactly(text)
  if (isJsonObject(value)) return value
  throw new GatewayError('invalid_request', 'Send a JSON object.')
}

function parsedExactly(text: string): unknown {
  try {
    return parse(text, (name, value, { source }) =>
      typeof value === 'number' && source !== undefined && MONEY.includes(name) ? source : value,
    )
  } catch {
    throw new GatewayError('invalid_request', 'The body is not valid JSON.')
  }
}

/** A number in the answer with exactly these digits. */
export function exactNumber(decimal: string): unknown {
  return rawJSON(decimal)
}

export function money(amount: Picodollars): unknown {
  return exactNumber(exactUsd(amount))
}

/** Answers are about keys and money: no cache keeps them. */
export function objectReply(value: unknown): Reply {
  return jsonTextReply(200, JSON.stringify(value), { 'cache-control': 'no-store' })
}
