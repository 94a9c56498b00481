import { GatewayError } from '../domain/errors.ts'
import type { Adjustment } from '../domain/request/adjustment.ts'
import { bearerKey } from './bearer-key.ts'
import type { WithHeaders } from './endpoint.ts'

const UNUSED: readonly Adjustment[] = [{ field: 'x-api-key', value: null, reason: 'unused_key' }]

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

/**
 * Warns that another key was sent: the caller would look for the call, or its budget, under that one. Never a part of
 * the key.
 */
export function unusedKey(call: WithHeaders): readonly Adjustment[] {
  const apiKey = call.header('x-api-key')?.trim() ?? ''
  return apiKey === '' || apiKey === bearerOrApiKey(call) ? [] : UNUSED
}
