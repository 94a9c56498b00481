/** Shown where the address of the gateway for calls cannot be known from here. */
const UNKNOWN = 'GATEWAY_ADDRESS'

/** Where the gateway takes calls, for the examples that people copy. */
export function callOrigin(): string {
  const ports = document.querySelector<HTMLMetaElement>('meta[name="ports"]')?.content ?? ''
  return callOriginFrom(window.location, ports)
}

/**
 * Here, unless management has its own port: then the page says both, `9090 8080`, and the second one is used. Behind a
 * load balancer, where the page is not at its own port, it is unknown.
 */
export function callOriginFrom({ origin, port }: Pick<Location, 'origin' | 'port'>, ports: string): string {
  const [, admin, calls] = /^(\d+) (\d+)$/.exec(ports) ?? []
  if (admin === undefined || calls === undefined) return origin
  return port === admin ? origin.replace(/:\d+$/, `:${calls}`) : UNKNOWN
}
