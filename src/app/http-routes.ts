import type { Deps } from '../calls/deps.ts'
import { handleCall } from '../calls/handle-call.ts'
import { handleKey } from '../calls/handle-key.ts'
import { LitellmCall } from '../calls/litellm/litellm-call.ts'
import { litellmPaths } from '../calls/litellm/litellm-paths.ts'
import { handleModelPath } from '../calls/model-path/handle-model-path.ts'
import { CONTRACT_PLACE, MODEL_PLACES, OTHER_PLACES, USUAL_PLACE } from '../calls/model-path/model-paths.ts'
import { notOffered } from '../calls/model-path/not-offered.ts'
import { handleModel, handleModelList } from '../calls/models/handle-models.ts'
import { handlePathModel, handlePathModelList } from '../calls/models/handle-path-models.ts'
import { handlePassthrough } from '../calls/passthrough/handle-passthrough.ts'
import { PASSTHROUGH } from '../calls/passthrough/passage.ts'
import { GatewayError } from '../domain/errors.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { ENDPOINTS } from '../endpoints/endpoints.ts'
import { contentsError } from '../endpoints/generate-content/errors.ts'
import { notKept } from '../endpoints/responses/not-kept.ts'
import type { Call, HttpRoute, Reply } from '../http/call.ts'
import { errorReply } from '../http/respond.ts'
import { refuseMethod } from '../http/router.ts'
import { probeRoutes } from '../litellm-api/health.ts'
import type { Settings } from './config.ts'
import { type Health, handleHealthz, handleReadyz } from './handle-health.ts'

/** The paths for callers with a gateway key. */
export function callRoutes(deps: Deps, { LITELLM_API }: Pick<Settings, 'LITELLM_API'>): HttpRoute[] {
  const own: HttpRoute[] = [
    ...WITH_PATH.map((endpoint) => endpointRoute(endpoint, (call) => handleCall(call, endpoint, deps))),
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
  return [...(LITELLM_API === 'on' ? spokenRoutes(own, deps) : own), ...modelPathRoutes(deps), ...passedRoutes(deps)]
}

function passedRoutes(deps: Deps): HttpRoute[] {
  const { path, idPrefix } = PASSTHROUGH
  return (['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method) => ({
    ...{ method, path, idPrefix, isSheddable: true },
    handle: (call) => handlePassthrough(call, deps),
  }))
}

/** Each has a path of its own; the others share one, in which the model is. */
const WITH_PATH = ENDPOINTS.filter(({ methods }) => methods === undefined)
const BY_METHOD = ENDPOINTS.filter(({ methods }) => methods !== undefined)

function modelPathRoutes(deps: Deps): HttpRoute[] {
  const [first] = BY_METHOD
  if (first === undefined) return []
  const handle = (call: Call, endpoint: Endpoint) => handleCall(call, endpoint, deps)
  const asked = MODEL_PLACES.map((place) => ({
    ...endpointRoute(first, (call) => handleModelPath(call, BY_METHOD, handle), `${place}/*`),
    usesRawSocket: place === USUAL_PLACE,
    // Without a method behind the model it is the contract's path, and so is the error.
    ...(place === CONTRACT_PLACE && { idPrefix: undefined, handle: askedOrRefused(handle) }),
  }))
  const { writeError } = asked[0] as HttpRoute
  const get = (path: string, handle: HttpRoute['handle']): HttpRoute => ({ method: 'GET', path, writeError, handle })
  // The list of one version is the contract's.
  const listed = MODEL_PLACES.filter((place) => place !== CONTRACT_PLACE).flatMap((place) => [
    get(place, (call) => handlePathModelList(call, deps)),
    get(`${place}/*`, (call) => handlePathModel(call, deps)),
  ])
  const others = OTHER_PLACES.flatMap((path) =>
    (['GET', 'POST', 'PATCH', 'DELETE'] as const).map((method) => ({
      ...{ method, path, writeError },
      handle: (call: Call): Reply => errorReply(notOffered(call), {}, contentsError, call.id),
    })),
  )
  return [...asked, ...listed, ...others]
}

function askedOrRefused(handle: Parameters<typeof handleModelPath>[2]): HttpRoute['handle'] {
  const refuse = refuseMethod(`${CONTRACT_PLACE}/*`, 'GET, HEAD')
  return (call) => (call.params['*']?.includes(':') === true ? handleModelPath(call, BY_METHOD, handle) : refuse(call))
}

function endpointRoute(endpoint: Endpoint, handle: HttpRoute['handle'], path = endpoint.path): HttpRoute {
  return {
    method: 'POST',
    path,
    idPrefix: endpoint.idPrefix,
    idHeader: endpoint.idHeader,
    writeError: (error, id, headers) => errorReply(error, headers, endpoint.error, id),
    handle,
    isSheddable: true,
    usesRawSocket: !path.includes(':'),
  }
}

/** The same for clients of LiteLLM: more paths, more headers for the key, and LiteLLM's own fields. */
function spokenRoutes(own: readonly HttpRoute[], deps: Deps): HttpRoute[] {
  const endpoints = WITH_PATH.flatMap((endpoint) => {
    const handle: HttpRoute['handle'] = (call) => {
      const model = call.params['model'] ?? null
      return handleCall(new LitellmCall(call, { model, keepsMetadata: endpoint.ownsMetadata === true }), endpoint, deps)
    }
    return [endpoint.path, ...litellmPaths(endpoint.path)].map((path) => endpointRoute(endpoint, handle, path))
  })
  const paths = new Set(endpoints.map(({ path }) => path))
  const others = own
    .filter(({ path }) => !paths.has(path))
    .map((route): HttpRoute => ({ ...route, handle: (call) => route.handle(new LitellmCall(call)) }))
  const models: HttpRoute = {
    method: 'GET',
    path: '/models',
    handle: (call) => handleModelList(new LitellmCall(call), deps),
  }
  return [...endpoints, ...others, models]
}

export function healthRoutes(health: Health, { LITELLM_API }: Pick<Settings, 'LITELLM_API'>): HttpRoute[] {
  const isReady = () => handleReadyz(health).status === 200
  return [
    ...(LITELLM_API === 'on' ? probeRoutes(isReady) : []),
    { method: 'GET', path: '/healthz', handle: handleHealthz },
    { method: 'GET', path: '/readyz', handle: () => handleReadyz(health) },
  ]
}
