import { refusedHost } from '../domain/base-url.ts'
import { ConnectionPool } from './connection-pool.ts'
import type { Breakdown, CallOptions, Endpoint } from './exchange.ts'
import { guardedLookup, type Resolve, resolveName } from './guarded-lookup.ts'
import { fieldLines, withoutFields } from './request-head.ts'
import { StreamedExchange, type StreamOptions, type UpstreamAnswer } from './streamed-response.ts'
import type { HttpTarget } from './target.ts'
import { type UpstreamReply, WholeExchange } from './whole-response.ts'

/** The one place that opens sockets to providers. It knows HTTP and deadlines, never a family. */
export interface UpstreamClient {
  endpoint(target: HttpTarget): Endpoint
  /** The same with header fields of one call, in place of its own of these names. If one cannot be sent, none is. */
  withFields(endpoint: Endpoint, fields: Readonly<Record<string, string>>): Endpoint
  /** Resolves with the whole response. */
  exchange(endpoint: Endpoint, options: CallOptions): Promise<UpstreamReply | Breakdown>
  /** Resolves as soon as the head of the response has arrived. */
  call(endpoint: Endpoint, options: StreamOptions): Promise<UpstreamAnswer | Breakdown>
  close(): void
}

/** `resolve` is how names become addresses; tests bring their own. */
export function createUpstreamClient(resolve: Resolve = resolveName): UpstreamClient {
  const lookup = guardedLookup(resolve)
  const pools = new Map<string, ConnectionPool>()

  function poolFor(url: URL): ConnectionPool {
    const pool = pools.get(url.origin) ?? new ConnectionPool(url, lookup)
    pools.set(url.origin, pool)
    return pool
  }

  return {
    endpoint(target) {
      const url = new URL(target.url)
      // A literal address is never looked up, so it is checked here; a name is checked whenever a connection is made.
      const refusal = refusedHost(url.hostname)
      const refused = refusal === null ? null : `${url.hostname} is ${refusal}`
      const fields = fieldLines({ host: url.host, connection: 'keep-alive', ...target.headers })
      return { pool: poolFor(url), path: url.pathname + url.search, fields, refused }
    },
    withFields(endpoint, fields) {
      const more = fieldLines(fields)
      if (endpoint.fields === null || more === null) return endpoint
      return { ...endpoint, fields: withoutFields(endpoint.fields, fields) + more }
    },
    exchange: (endpoint, options) => new Promise((resolve) => new WholeExchange(endpoint, options, resolve).start()),
    call: (endpoint, options) => new Promise((resolve) => new StreamedExchange(endpoint, options, resolve).start()),
    close() {
      for (const pool of pools.values()) pool.destroy()
    },
  }
}
