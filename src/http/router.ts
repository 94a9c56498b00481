import findMyWay, { type HTTPMethod } from 'find-my-way'
import { GatewayError } from '../domain/errors.ts'
import type { Handler, HttpRoute } from './call.ts'
import { nearPath } from './near-path.ts'
import { writeContractError } from './respond.ts'

const METHODS: readonly HTTPMethod[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

export interface Match {
  route: Omit<HttpRoute, 'method' | 'usesRawSocket'>
  params: Readonly<Record<string, string>>
}

export interface Router {
  /** The route of a request; for an unknown path one that answers 404, with the path that was perhaps meant. */
  find(method: string, url: string): Match
}

export function createRouter(routes: readonly HttpRoute[]): Router {
  const router = findMyWay({ maxParamLength: 1024 })
  const register = (methods: HTTPMethod[], path: string, route: Match['route']) => {
    router.on(methods, path, unused, route)
  }
  for (const route of routes) register(route.method === 'GET' ? ['GET', 'HEAD'] : [route.method], route.path, route)
  for (const [path, taken] of methodsByPath(routes)) {
    const others = METHODS.filter((method) => !taken.has(method))
    const { idPrefix, idHeader, writeError } = routes.find((route) => route.path === path) ?? {}
    register(others, path, {
      path,
      idPrefix,
      idHeader,
      writeError,
      handle: refuseMethod(path, [...taken].join(', '), writeError),
    })
  }
  return {
    find(method, url) {
      const found = router.find(method as HTTPMethod, url)
      if (found !== null) return { route: found.store, params: found.params as Match['params'] }
      const path = url.split('?', 1)[0] ?? ''
      const { writeError, idHeader } = routes.find((route) => path.startsWith(`${route.path}/`)) ?? {}
      return { route: { path: '', writeError, idHeader, handle: notFound(path, routes) }, params: {} }
    },
  }
}

/** Required by the router, which is only asked for the route. */
function unused(): void {}

function methodsByPath(routes: readonly HttpRoute[]): Map<string, Set<string>> {
  const methodsOf = new Map<string, Set<string>>()
  for (const route of routes) {
    const methods = methodsOf.get(route.path) ?? new Set()
    methods.add(route.method)
    if (route.method === 'GET') methods.add('HEAD')
    methodsOf.set(route.path, methods)
  }
  return methodsOf
}

/**
 * A known path with another method is 405 with `Allow`, not 404. Agents that ask for a WebSocket go on over HTTP at once
 * when they see 426; after any other status they first try again for a while.
 */
export function refuseMethod(
  path: string,
  allow: string,
  writeError: HttpRoute['writeError'] = writeContractError,
): Handler {
  return (call) => {
    const { id, method } = call
    if (call.header('upgrade')?.toLowerCase() === 'websocket') {
      return writeError(new GatewayError('websocket_not_offered'), id, { allow, upgrade: 'HTTP/1.1' })
    }
    return writeError(new GatewayError('method_not_allowed', `${path} takes ${allow}, not ${method}.`), id, { allow })
  }
}

function notFound(path: string, routes: readonly HttpRoute[]): Handler {
  return () => {
    if (!isDecodable(path)) throw new GatewayError('invalid_request', `${path} is not a valid path.`)
    const near = nearPath(path, routes)
    const hint = near === null ? '' : ` Did you mean ${near}?`
    throw new GatewayError('not_found', `There is nothing at ${path}.${hint}`)
  }
}

function isDecodable(path: string): boolean {
  try {
    decodeURI(path)
    return true
  } catch {
    return false
  }
}
