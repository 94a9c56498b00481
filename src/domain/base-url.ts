/**
 * Where the gateway may send provider calls. Loopback and private ranges are allowed, because self-hosted models run
 * there. Cloud metadata and link-local addresses are not: they give a machine's credentials to any local caller. The
 * rule applies to the configured address and again to what its name resolves to when a connection is opened.
 */

/** What is wrong with a base URL, as a message; null when it is allowed. */
export function baseUrlProblem(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return 'expected an http:// or https:// address'
  }
  if (url.username !== '' || url.password !== '') return 'no credentials in the address: the key has its own setting'
  if (/[?#]/.test(text)) return 'no "?" or "#" in the address: paths are added at its end'
  const refusal = refusedHost(url.hostname)
  return refusal === null ? null : `${url.hostname} is ${refusal}: refused`
}

const METADATA_NAMES = new Set(['metadata.google.internal', 'metadata.goog', 'instance-data.ec2.internal'])

/** Beyond link-local: addresses that serve cloud metadata or credentials. */
const METADATA_IPV4 = new Set(['100.100.100.200', '168.63.129.16', '192.0.0.192'])
const METADATA_IPV6 = new Set(['fd00:ec2::254', 'fd20:ce::254', 'fd00:c1::a9fe:a9fe'].map((text) => groupsText(text)))

/**
 * Why requests to this host are blocked, or null. Takes a host from a URL or an address from a resolver; other
 * spellings of an address (decimal, hex, octal, IPv4 inside IPv6) are normalised first.
 */
export function refusedHost(host: string): string | null {
  const name = host
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/%.*$/, '')
    .replace(/\.+$/, '')
    .toLowerCase()
  if (METADATA_NAMES.has(name)) return 'a cloud metadata address'
  if (name.includes(':')) return refusedIpv6(name)
  const canonical = hostnameOf(name)
  return canonical !== null && /^\d+\.\d+\.\d+\.\d+$/.test(canonical) ? refusedIpv4(canonical) : null
}

function refusedIpv4(address: string): string | null {
  if (METADATA_IPV4.has(address)) return 'a cloud metadata address'
  return address.startsWith('169.254.') ? 'a link-local address' : null
}

function refusedIpv6(address: string): string | null {
  const groups = ipv6Groups(address)
  if (groups === null) return null
  const [first = 0] = groups
  if ((first & 0xffc0) === 0xfe80) return 'a link-local address'
  if (METADATA_IPV6.has(groups.join(':'))) return 'a cloud metadata address'
  for (const inside of embeddedIpv4(groups)) {
    const refusal = refusedIpv4(inside)
    if (refusal !== null) return refusal
  }
  return null
}

/** The URL parser normalises every spelling of an address. Null when the text is not a host. */
function hostnameOf(host: string): string | null {
  const text = `http://${host}/`
  return URL.canParse(text) ? new URL(text).hostname : null
}

function groupsText(address: string, most = 8): string {
  return ipv6Groups(address)?.slice(0, most).join(':') ?? ''
}

/** The eight groups of an IPv6 address; null when the text is not one. */
function ipv6Groups(address: string): number[] | null {
  const canonical = hostnameOf(`[${address}]`)?.slice(1, -1)
  if (canonical === undefined) return null
  const numbers = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)))
  const [head = '', tail] = canonical.split('::')
  if (tail === undefined) return numbers(head)
  const [before, after] = [numbers(head), numbers(tail)]
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}

/** Prefixes before an embedded IPv4 address: mapped, compatible, translated (SIIT) and NAT64. */
const BEFORE_IPV4 = new Set(['::ffff:0:0', '::', '::ffff:0:0:0', '64:ff9b::'].map((text) => groupsText(text, 6)))
/** Where the local-use NAT64 prefix may embed the address (RFC 6052). */
const LOCAL_PLACES = [
  [12, 13, 14, 15],
  [6, 7, 9, 10],
  [7, 9, 10, 11],
  [9, 10, 11, 12],
]

/** The IPv4 addresses that an IPv6 address may lead to. */
function embeddedIpv4(groups: readonly number[]): string[] {
  const bytes = groups.flatMap((group) => [group >> 8, group & 255])
  const dotted = (places: readonly number[], flipped = 0) => places.map((at) => (bytes[at] ?? 0) ^ flipped).join('.')
  const last = [12, 13, 14, 15]
  const [a, b, c, , e, f] = groups
  if (a === 0x2002) return [dotted([2, 3, 4, 5])]
  // Teredo: the server, and the client with all bits inverted.
  if (a === 0x2001 && b === 0) return [dotted([4, 5, 6, 7]), dotted(last, 255)]
  if (a === 0x64 && b === 0xff9b && c === 1) return LOCAL_PLACES.map((places) => dotted(places))
  const isIsatap = (e === 0 || e === 0x200) && f === 0x5efe
  return isIsatap || BEFORE_IPV4.has(groups.slice(0, 6).join(':')) ? [dotted(last)] : []
}
