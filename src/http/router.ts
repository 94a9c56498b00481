import findMyWay, { type HTTPMethod } from 'find-my-way'
import { GatewayError } from '../domain/errors.ts'
import type { Handler, HttpRoute } from './call.ts'
import { nearPath } from './near-path.ts'
import { errorReply } from './respond.ts'

const METHODS: readonly HTTPMethod[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

export interface Match {
  route: Pick<HttpRoute, 'handle' | 'headers' | 'sheds'> & { path: string }
  params: Readonly<Record<string, string>>
}

export interface Router {
  /** Where a request leads; null if nowhere. */
  find(method: string, url: string): Match | null
  /** An error in our shape, with the path that was perhaps meant. */
  nowhere(url: string): Match
}

export function createRouter(routes: readonly HttpRoute[]): Router {
  const router = findMyWay({ maxParamLength: 1024 })
  const register = (methods: HTTPMethod[], path: string, route: Match['route']) => {
    router.on(methods, path, unused, route)
  }
  for (const route of routes) register(route.method === 'GET' ? ['GET', 'HEAD'] : [route.method], route.path, route)
  for (const [path, taken] of methodsByPath(routes)) {
    const others = METHODS.filter((method) => !taken.has(method))
    register(others, path, { path, handle: refuseMethod(path, [...taken].join(', ')) })
  }
  return {
    find(method, url) {
      const found = router.find(method as HTTPMethod, url)
      return found === null ? null : { route: found.store, params: found.params as Match['params'] }
    },
    nowhere: (url) => ({ route: { path: '', handle: notFound(url.split('?', 1)[0] ?? '', routes) }, params: {} }),
  }
}

/** The router would call it; we only ask it for the route. */
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

/** A known path with a method it does not take is 405 with `Allow`, not 404. */
function refuseMethod(path: string, allow: string): Handler {
  return ({ method }) =>
    errorReply(new GatewayError('method_not_allowed', `${path} takes ${allow}, not ${method}.`), { allow })
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
