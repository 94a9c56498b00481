import type { HttpRoute } from '../http/call.ts'
import { jsonReply } from '../http/respond.ts'
import type { LitellmDeps } from './deps.ts'
import type { Asked, Row } from './row.ts'

/** From what calls have seen: no provider is asked. */
async function health({ perform, query }: Asked, deps: LitellmDeps) {
  const { providers } = await perform('status.get')
  const open = new Set(
    providers.flatMap(({ name, circuits }) => circuits.map(({ model }) => JSON.stringify([name, model]))),
  )
  const { workspaces } = deps.snapshot()
  const routes = [...workspaces.values()].flatMap((workspace) => [...workspace.routes.values()])
  const entries = routes
    .filter(({ alias }) => (query['model'] ?? alias) === alias)
    .flatMap(({ chain }) => chain)
    .map(({ provider, model }) => [JSON.stringify([provider, model]), { model: `${provider}/${model}` }] as const)
  const unique = [...new Map(entries)]
  const healthy = unique.filter(([id]) => !open.has(id)).map(([, endpoint]) => endpoint)
  const unhealthy = unique.filter(([id]) => open.has(id)).map(([, endpoint]) => endpoint)
  return {
    healthy_endpoints: healthy,
    unhealthy_endpoints: unhealthy,
    healthy_count: healthy.length,
    unhealthy_count: unhealthy.length,
  }
}

export const HEALTH_ROWS: readonly Row[] = [
  { method: 'GET', path: '/health', access: 'admin', operation: 'status.get', handle: health },
]

/** For probes, which send no key. */
export function probeRoutes(isReady: () => boolean): HttpRoute[] {
  const alive = () => jsonReply(200, "I'm alive!")
  return [
    { method: 'GET', path: '/health/liveliness', handle: alive },
    { method: 'GET', path: '/health/liveness', handle: alive },
    {
      method: 'GET',
      path: '/health/readiness',
      handle: () =>
        isReady()
          ? jsonReply(200, { status: 'healthy', db: 'connected' })
          : jsonReply(503, { status: 'unhealthy', db: 'Not connected' }),
    },
  ]
}
