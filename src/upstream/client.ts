import type { LookupFunction } from 'node:net'
import { getCACertificates } from 'node:tls'
import { refusedHost } from '../domain/base-url.ts'
import { ConnectionPool } from './connection-pool.ts'
import { dialer } from './dial.ts'
import { NO_PROXIES, type ProxyChoice } from './environment-proxies.ts'
import type { Breakdown, CallOptions, Endpoint } from './exchange.ts'
import { guardedLookup, type Resolve, resolveName, unguardedLookup } from './guarded-lookup.ts'
import { type EgressProxy, proxyFrom, proxyVerdict } from './proxy.ts'
import { fieldLines, withoutFields } from './request-head.ts'
import { StreamedExchange, type StreamOptions, type UpstreamAnswer } from './streamed-response.ts'
import type { HttpTarget } from './target.ts'
import { type UpstreamReply, WholeExchange } from './whole-response.ts'

/** The one place that opens sockets to providers. It knows HTTP and deadlines, never a family. */
export interface UpstreamClient {
  endpoint(target: HttpTarget): Endpoint
  /** The same with header fields of one call, in place of its own of these names. If one cannot be sent, none is. */
  withFields(endpoint: Endpoint, fields: Readonly<Record<string, string>>): Endpoint
  /** The same with the trace of one call, unless it has one of its own. */
  withTrace(endpoint: Endpoint, context: TraceContext): Endpoint
  /** Resolves with the whole response. */
  exchange(endpoint: Endpoint, options: CallOptions): Promise<UpstreamReply | Breakdown>
  /** Resolves as soon as the head of the response has arrived. */
  call(endpoint: Endpoint, options: StreamOptions): Promise<UpstreamAnswer | Breakdown>
  close(): void
}

/** Values that are safe in a header line as they are. */
interface TraceContext {
  traceparent: string
  tracestate: string | null
}

const TRACED = /^trace(parent|state):/im

export interface ClientOptions {
  /** How names become addresses; tests bring their own. */
  resolve?: Resolve
  /** For targets that name no proxy themselves. */
  proxyFor?: ProxyChoice
}

export function createUpstreamClient({
  resolve = resolveName,
  proxyFor = NO_PROXIES,
}: ClientOptions = {}): UpstreamClient {
  const lookups = { guarded: guardedLookup(resolve), unguarded: unguardedLookup(resolve) }
  const pools = new Map<string, ConnectionPool>()

  function poolFor(url: URL, proxy: string | null, { ca, keepsUsualAuthorities, isInternal }: HttpTarget) {
    const name = [url.origin, proxy ?? '', ca ?? '', keepsUsualAuthorities === true, isInternal === true].join('\n')
    const present = pools.get(name)
    if (present !== undefined) return present
    const lookup: LookupFunction = isInternal === true ? lookups.unguarded : lookups.guarded
    const usual = keepsUsualAuthorities === true ? getCACertificates('default') : []
    const authorities = ca === undefined ? null : [...usual, ca]
    const way = { origin: url, lookup, proxy: proxy === null ? null : proxyFrom(proxy), ca: authorities }
    const pool = new ConnectionPool(dialer(way))
    pools.set(name, pool)
    return pool
  }

  /** A target's own choice wins; the environment's addresses are its own business. */
  function proxyOf(target: HttpTarget, url: URL): string | null {
    if (target.isInternal === true) return null
    return target.proxy === undefined ? proxyFor(url) : target.proxy || null
  }

  return {
    endpoint(target) {
      const url = new URL(target.url)
      const address = proxyOf(target, url)
      const proxy = address === null ? null : proxyFrom(address)
      const isPlain = proxy !== null && url.protocol === 'http:'
      const path = url.pathname + url.search
      const fields = {
        host: url.host,
        connection: 'keep-alive',
        ...target.headers,
        ...(isPlain ? login(proxy) : {}),
      }
      return {
        pool: poolFor(url, address, target),
        path: isPlain ? url.origin + path : path,
        fields: fieldLines(fields),
        refused: target.isInternal === true ? null : (refusal(url) ?? (proxy === null ? null : refusal(proxy.origin))),
        proxy,
      }
    },
    withFields(endpoint, fields) {
      const more = fieldLines(fields)
      if (endpoint.fields === null || more === null) return endpoint
      return { ...endpoint, fields: withoutFields(endpoint.fields, fields) + more }
    },
    withTrace(endpoint, { traceparent, tracestate }) {
      const { fields } = endpoint
      if (fields === null || TRACED.test(fields)) return endpoint
      const state = tracestate === null ? '' : `tracestate: ${tracestate}\r\n`
      return { ...endpoint, fields: `${fields}traceparent: ${traceparent}\r\n${state}` }
    },
    exchange(endpoint, options) {
      const outcome = new Promise<UpstreamReply | Breakdown>((resolve) =>
        new WholeExchange(endpoint, options, resolve).start(),
      )
      return isForwarded(endpoint)
        ? outcome.then((seen) => refusalBy(endpoint.proxy, seen) ?? asSeen(endpoint, seen))
        : outcome
    },
    call(endpoint, options) {
      const outcome = new Promise<UpstreamAnswer | Breakdown>((resolve) =>
        new StreamedExchange(endpoint, options, resolve).start(),
      )
      return isForwarded(endpoint) ? outcome.then((seen) => refusalBy(endpoint.proxy, seen) ?? seen) : outcome
    },
    close() {
      for (const pool of pools.values()) pool.destroy()
    },
  }
}

/** A literal address is never looked up, so it is checked here; a name is checked whenever a connection is made. */
function refusal({ hostname }: URL): string | null {
  const why = refusedHost(hostname)
  return why === null ? null : `${hostname} is ${why}`
}

function login({ authorization }: EgressProxy): Record<string, string> {
  return authorization === null ? {} : { 'proxy-authorization': authorization }
}

type Forwarded = Endpoint & { proxy: EgressProxy }

/** In plain text the proxy reads the request, and answers itself. */
function isForwarded(endpoint: Endpoint): endpoint is Forwarded {
  return endpoint.proxy !== null && !endpoint.path.startsWith('/')
}

/** Only with this status it is surely the proxy that speaks, not the provider. */
function refusalBy(proxy: EgressProxy, seen: UpstreamReply | UpstreamAnswer | Breakdown): Breakdown | null {
  const verdict = 'status' in seen && seen.status === 407 ? proxyVerdict(proxy, seen.status, 'the provider') : null
  if (verdict === null) return null
  const breakdown = { kind: 'proxy', detail: verdict.message, isRefusal: verdict.isRefusal } as const
  if (seen.kind === 'answer') seen.abort(breakdown)
  return breakdown
}

function asSeen({ proxy }: Forwarded, seen: UpstreamReply | Breakdown): UpstreamReply | Breakdown {
  return seen.kind === 'reply' ? { ...seen, proxy: proxy.label } : seen
}
