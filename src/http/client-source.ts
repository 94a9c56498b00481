import { BlockList, isIP, isIPv6 } from 'node:net'

/** Addresses and networks, comma-separated: `10.0.0.0/8, 2001:db8::7`. Null when one of them is neither. */
export function trustedProxies(list: string): BlockList | null {
  const proxies = new BlockList()
  for (const item of list === '' ? [] : list.split(',')) {
    const [address = '', bits, ...rest] = item.trim().split('/')
    const most = isIPv6(address) ? 128 : 32
    const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN
    if (isIP(address) === 0 || !(length <= most) || rest.length > 0) return null
    proxies.addSubnet(address, length, isIPv6(address) ? 'ipv6' : 'ipv4')
  }
  return proxies
}

/** The client for which wrong keys are counted: an address, of IPv6 its /64 network. */
export type ClientSource = (address: string | undefined, forwardedFor: string | undefined) => string

/**
 * `x-forwarded-for` counts as far as trusted proxies wrote it: each appends the address it saw, and anything further
 * left may be forged.
 */
export function clientSource(trusted: BlockList): ClientSource {
  const isTrusted = (address: string) => trusted.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  return (connected, forwardedFor = '') => {
    let address = plainAddress(connected ?? '')
    if (address === '') return 'unknown'
    for (const hop of forwardedFor.split(',').reverse()) {
      const before: string = isTrusted(address) ? plainAddress(hop) : ''
      if (before === '') break
      address = before
    }
    return isIPv6(address) ? networkOf(address) : address
  }
}

/** Without port, zone and IPv4-mapped prefix; empty when it is not an address. */
function plainAddress(written: string): string {
  const text = written.trim()
  const bare = /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  const address = bare.replace(/%.*$/, '').replace(/^::ffff:(?=[\d.]+$)/i, '')
  return isIP(address) === 0 ? '' : address
}

/** The first four of eight groups. */
function networkOf(address: string): string {
  const [head = '', tail = ''] = address.toLowerCase().split('::')
  const [first, last] = [head, tail].map((part) => part.split(':').filter((group) => group !== ''))
  const missing = address.includes('::') ? 8 - (first?.length ?? 0) - (last?.length ?? 0) : 0
  const groups = [...(first ?? []), ...Array<string>(missing).fill('0'), ...(last ?? [])]
  const network = groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''))
  return `${network.join(':')}::/64`
}
