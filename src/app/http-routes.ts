import type { Deps } from '../calls/deps.ts'
import { handleCall } from '../calls/handle-call.ts'
import { handleKey } from '../calls/handle-key.ts'
import { handleModel, handleModelList } from '../calls/models/handle-models.ts'
import { GatewayError } from '../domain/errors.ts'
import { ENDPOINTS } from '../endpoints/endpoints.ts'
import { notKept } from '../endpoints/responses/not-kept.ts'
import type { HttpRoute } from '../http/call.ts'
import { errorReply } from '../http/respond.ts'
import { type Health, handleHealthz, handleReadyz } from './handle-health.ts'

/** The paths for callers with a gateway key. */
export function callRoutes(deps: Deps): HttpRoute[] {
  return [
    ...ENDPOINTS.map(
      (endpoint): HttpRoute => ({
        method: 'POST',
        path: endpoint.path,
        idPrefix: endpoint.idPrefix,
        idHeader: endpoint.idHeader,
        writeError: (error, id, headers) => errorReply(error, headers, endpoint.error, id),
        handle: (call) => handleCall(call, endpoint, deps),
        isSheddable: true,
        usesRawSocket: true,
      }),
    ),
    ...(['GET', 'DELETE', 'POST'] as const).map(
      (method): HttpRoute => ({
        method,
        path: '/v1/responses/*',
        handle: ({ params }) => errorReply(new GatewayError('not_found', notKept(params['*'] ?? ''))),
      }),
    ),
    { method: 'GET', path: '/v1/key', handle: (call) => handleKey(call, deps) },
    { method: 'GET', path: '/v1/models', handle: (call) => handleModelList(call, deps) },
    { method: 'GET', path: '/v1/models/*', handle: (call) => handleModel(call, deps) },
  ]
}

export function healthRoutes(health: Health): HttpRoute[] {
  return [
    { method: 'GET', path: '/healthz', handle: handleHealthz },
    { method: 'GET', path: '/readyz', handle: () => handleReadyz(health) },
  ]
}
