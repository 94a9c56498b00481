import type { Deps } from '../calls/deps.ts'
import { handleChat } from '../calls/handle-call.ts'
import { handleModel, handleModelList } from '../calls/models/handle-models.ts'
import type { HttpRoute } from '../http/call.ts'
import { type Health, handleHealthz, handleReadyz } from './handle-health.ts'

/** What callers use with a gateway key. */
export function callRoutes(deps: Deps): HttpRoute[] {
  return [
    {
      method: 'POST',
      path: '/v1/chat/completions',
      handle: (call) => handleChat(call, deps),
      isSheddable: true,
      usesRawSocket: true,
    },
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
