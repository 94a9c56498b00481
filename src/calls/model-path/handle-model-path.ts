import { GatewayError } from '../../domain/errors.ts'
import type { Endpoint } from '../../endpoints/endpoint.ts'
import type { Call, CallReply } from '../../http/call.ts'
import { ModelPathCall } from './model-path-call.ts'

/** A POST to `…/models/{model}:{method}`: the method decides on the endpoint. */
export async function handleModelPath(
  call: Call,
  endpoints: readonly Endpoint[],
  handle: (call: Call, endpoint: Endpoint) => Promise<CallReply | null>,
): Promise<CallReply | null> {
  const path = call.params['*'] ?? ''
  const colon = path.lastIndexOf(':')
  const method = colon < 0 ? '' : path.slice(colon + 1)
  const endpoint = endpoints.find(({ methods = {} }) => Object.hasOwn(methods, method))
  if (endpoint === undefined) throw unknownMethod(method, endpoints)
  const isStream = endpoint.methods?.[method] === 'stream'
  if (isStream && call.query()['alt'] !== 'sse') {
    throw new GatewayError('invalid_request', `${method} streams server-sent events only: add ?alt=sse to the address.`)
  }
  return handle(new ModelPathCall(call, { model: path.slice(0, colon), isStream }), endpoint)
}

function unknownMethod(method: string, endpoints: readonly Endpoint[]): GatewayError {
  const known = endpoints.flatMap(({ methods = {} }) => Object.keys(methods)).join(', ')
  const asked = /^\w{1,60}$/.test(method) ? `The gateway does not offer '${method}'` : 'The path names no method'
  return new GatewayError('not_found', `${asked}: send models/{model}:{method} with one of ${known}.`)
}
