import findMyWay from 'find-my-way'
import { GatewayError } from '../domain/errors.ts'
import type { Handler, HttpRoute } from './call.ts'
import { nearPath } from './near-path.ts'
import { writeContractError } from './respond.ts'

export interface Match {
  route: Omit<HttpRoute, 'method' | 'usesRawSocket'>
  params: Readonly<Record<string, string>>
}

export interface Router {
  /** The route of a request; for an unknown path one that answers 404, with the path that was perhaps meant. */
  find(method: string, url: string): Match
}

/** What stands at one path: a route for each of its methods, and an answer to all others. */
interface Place {
  byMethod: ReadonlyMap<string, Match['route']>
  refused: Match['route']
}

export function createRouter(routes: readonly HttpRoute[]): Router {
  const router = findMyWay({ maxParamLength: 1024 })
  // By path alone: a tree for each method would cost a start ten times as much.
  for (const [path, ofPath] of Map.groupBy(routes, ({ path }) => path))
    router.on('GET', path, unused, placeOf(path, ofPath))
  return {
    find(method, url) {
      const found = router.find('GET', url)
      if (found !== null) {
        const { byMethod, refused } = found.store as Place
        return { route: byMethod.get(method) ?? refused, params: found.params as Match['params'] }
      }
      const path = url.split('?', 1)[0] ?? ''
      const { writeError, idHeader } = routes.find((route) => path.startsWith(`${route.path}/`)) ?? {}
      return { route: { path: '', writeError, idHeader, handle: notFound(path, routes) }, params: {} }
    },
  }
}

/** Required by the router, which is only asked for the place. */
function unused(): void {}

function placeOf(path: string, routes: readonly HttpRoute[]): Place {
  const methodsOf = ({ method }: HttpRoute): string[] => (method === 'GET' ? ['GET', 'HEAD'] : [method])
  const byMethod = new Map(routes.flatMap((route) => methodsOf(route).map((method) => [method, route])))
  const { idPrefix, idHeader, writeError } = routes[0] as HttpRoute
  const handle = refuseMethod(path, [...byMethod.keys()].join(', '), writeError)
  return { byMethod, refused: { path, idPrefix, idHeader, writeError, handle } }
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
