import { GatewayError } from '../domain/errors.ts'
import type { WithHeaders } from './endpoint.ts'

export function bearerKey(call: WithHeaders): string {
  const authorization = call.header('authorization')
  if (authorization === undefined) throw new GatewayError('unauthorized')
  const value = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  if (value === undefined) {
    throw new GatewayError('unauthorized', 'Send the header "Authorization: Bearer <GATEWAY_KEY>".')
  }
  return value
}
