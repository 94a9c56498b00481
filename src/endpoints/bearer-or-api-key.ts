import { GatewayError } from '../domain/errors.ts'
import type { Adjustment } from '../domain/request/adjustment.ts'
import { bearerKey } from './bearer-key.ts'
import type { WithHeaders } from './endpoint.ts'

/** The bearer token wins where a client sends both: it is the one that people set for a gateway. */
export function bearerOr(header: string): (call: WithHeaders) => string {
  return (call) => {
    const apiKey = call.header(header)?.trim()
    const hasApiKey = apiKey !== undefined && apiKey !== '' && !/\s/.test(apiKey)
    if (!hasApiKey && call.header('authorization') === undefined) {
      throw new GatewayError(
        'unauthorized',
        `Send a gateway key: "Authorization: Bearer <GATEWAY_KEY>" or "${header}".`,
      )
    }
    try {
      return bearerKey(call)
    } catch (error) {
      if (hasApiKey) return apiKey
      throw error
    }
  }
}

const NONE: readonly Adjustment[] = []

/**
 * Warns that another key was sent: the caller would look for the call, or its budget, under that one. Never a part of
 * the key.
 */
export function unusedKeyIn(header: string): (call: WithHeaders) => readonly Adjustment[] {
  const used = bearerOr(header)
  const unused: readonly Adjustment[] = [{ field: header, value: null, reason: 'unused_key' }]
  return (call) => {
    const apiKey = call.header(header)?.trim() ?? ''
    return apiKey === '' || apiKey === used(call) ? NONE : unused
  }
}

export const bearerOrApiKey = bearerOr('x-api-key')
export const unusedKey = unusedKeyIn('x-api-key')
