import type { Provider } from '../domain/provider.ts'
import type { HttpTarget } from '../upstream/target.ts'

type Connecting = Pick<Provider, 'proxy' | 'ca'>

/** A target with what the provider's connection needs. */
export function targetVia({ proxy, ca }: Connecting, target: HttpTarget): HttpTarget {
  if (proxy === undefined && ca === undefined) return target
  return { ...target, ...(proxy === undefined ? {} : { proxy }), ...(ca === undefined ? {} : { ca }) }
}

/**
 * The same for a server beside the provider, which gives out its tokens: a proxy that puts its own certificate in place
 * does so there, too, but a provider in a private network has its tokens from a public server.
 */
export function besideProvider<T extends HttpTarget>({ proxy, ca }: Connecting, target: T): T {
  return {
    ...(proxy === undefined ? {} : { proxy }),
    ...(ca === undefined ? {} : { ca, keepsUsualAuthorities: true as const }),
    ...target,
  }
}
