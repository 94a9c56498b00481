import { GatewayError } from '../domain/errors.ts'
import { bearerKey } from './bearer-key.ts'
import type { WithHeaders } from './endpoint.ts'

/** The bearer token wins where a client sends both: it is the one that people set for a gateway. */
export function bearerOrApiKey(call: WithHeaders): string {
  const apiKey = call.header('x-api-key')?.trim()
  const hasApiKey = apiKey !== undefined && apiKey !== '' && !/\s/.test(apiKey)
  if (!hasApiKey && call.header('authorization') === undefined) {
    throw new GatewayError('unauthorized', 'Send a gateway key: "Authorization: Bearer <GATEWAY_KEY>" or "x-api-key".')
  }
  try {
    return bearerKey(call)
  } catch (error) {
    if (hasApiKey) return apiKey
    throw error
  }
}
