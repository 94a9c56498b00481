/**
 * In a cluster all our keys are in one hash slot, and one server at a time owns it. Any other one answers a command with
 * the place of the owner (MOVED), so following that is all that a cluster asks of us.
 */
export function movedTo(error: unknown, asked: string): string | null {
  const found = error instanceof Error ? /^MOVED \d+ (.*):(\d+)$/.exec(error.message) : null
  return found === null ? null : addressAt(asked, found[1] ?? '', found[2] ?? '')
}

/** The server no longer takes writes for us: it has become a replica. */
export function isDemoted(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('READONLY')
}

/** The addresses of all servers, from the answer to CLUSTER SLOTS: one of them knows who follows an owner that died. */
export function addressesOf(reply: unknown, asked: string): string[] {
  const found = new Set<string>()
  for (const [, , ...servers] of Array.isArray(reply) ? (reply as unknown[][]) : []) {
    for (const server of servers) {
      const [host, port] = Array.isArray(server) ? server : []
      if (port !== undefined) found.add(addressAt(asked, String(host ?? ''), String(port)))
    }
  }
  return [...found]
}

/** Where to connect next: the owner of our keys once known, else each known server in turn. */
export function newPlaces(url: string) {
  let peers: string[] = []
  let owner: string | null = null
  let failures = 0
  return {
    next(): string {
      const known = [url, ...peers]
      const place = owner ?? known[failures++ % known.length] ?? url
      owner = null
      return place
    },
    /** Connected; outside a cluster there are no peers. */
    found(now: string[]): void {
      if (now.length > 0) peers = now
      failures = 0
    },
    sentTo(place: string | null): void {
      owner = place
    },
    isSent: () => owner !== null,
  }
}

/** With the credentials and the protocol of the address that was asked; without a host, on the same one. */
function addressAt(asked: string, host: string, port: string): string {
  const url = new URL(asked)
  if (host !== '' && host !== '?') url.hostname = host.includes(':') ? `[${host}]` : host
  url.port = port
  return url.href
}
