import { GatewayError } from '../../domain/errors.ts'
import type { Call } from '../../http/call.ts'

type Head = Pick<Call, 'method' | 'header'>

/** Set by the dashboard. A page of another site cannot send it without asking first, and we never say yes. */
export const DASHBOARD_HEADER = 'x-switchyard-dashboard'

/**
 * Refuses what a browser marks as coming from another site's page. Another port of the same host is another site too,
 * though its pages get our cookie: `SameSite` ignores ports, this does not. Browsers send the mark on secure
 * connections and on localhost; other programs do not.
 */
export function refuseOtherSites(head: Head): void {
  const site = head.header('sec-fetch-site')
  if (site === undefined || site === 'same-origin') return
  // Typed into the address bar.
  if (site === 'none' && isRead(head.method)) return
  throw new GatewayError('forbidden', `This request comes from another site (sec-fetch-site: ${site.slice(0, 40)}).`)
}

/** Rules for requests authenticated by cookie, which browsers also attach to forged requests. */
export function refuseForgery(call: Head): void {
  refuseOtherSites(call)
  if (isRead(call.method) || call.header(DASHBOARD_HEADER) === '1') return
  throw new GatewayError('forbidden', `With a session, a change needs the header "${DASHBOARD_HEADER}: 1".`)
}

function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}
