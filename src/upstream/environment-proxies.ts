import { BlockList, isIP } from 'node:net'

/** The proxy for an address; null: none. */
export type ProxyChoice = (url: URL) => string | null

type Environment = Readonly<Record<string, string | undefined>>

export const NO_PROXIES: ProxyChoice = () => null

/** The variables that may name a proxy. */
export const PROXY_VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'] as const

/**
 * `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` as curl reads them: in lower case first. This machine itself is never asked
 * through them: what listens here is not there for a proxy.
 */
export function environmentProxies(environment: Environment): ProxyChoice {
  const proxies = {
    'https:': proxyNamed(environment['https_proxy'] || environment['HTTPS_PROXY']),
    'http:': proxyNamed(environment['http_proxy'] || environment['HTTP_PROXY']),
  }
  if (Object.values(proxies).every((proxy) => proxy === null)) return NO_PROXIES
  const isExcepted = exceptions(environment['no_proxy'] || environment['NO_PROXY'] || '')
  return (url) => {
    const proxy = url.protocol === 'https:' ? proxies['https:'] : proxies['http:']
    return proxy === null || isExcepted(url) ? null : proxy
  }
}

/** Without a scheme it is plain HTTP. */
export function proxyNamed(value: string | undefined): string | null {
  if (value === undefined || value === '') return null
  return value.includes('://') ? value : `http://${value}`
}

/** Names with all that end with them, addresses, networks (`10.0.0.0/8`), each with or without a port; `*`: everything. */
function exceptions(list: string): (url: URL) => boolean {
  const rules = list.split(/[\s,]+/).flatMap((item) => (item === '' ? [] : [ruleOf(item.toLowerCase())]))
  return (url) => {
    const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
    const port = url.port || (url.protocol === 'https:' ? '443' : '80')
    return isLoopback(host) || rules.some((rule) => rule(host, port))
  }
}

type Rule = (host: string, port: string) => boolean

function ruleOf(item: string): Rule {
  if (item === '*') return () => true
  const network = networkOf(item)
  if (network !== null) return (host) => holds(network, host)
  const [, bracketed, plain = '', port] = /^(?:\[(.*)\]|(.*?))(?::(\d+))?$/.exec(item) ?? []
  // An IPv6 address without brackets has no port, though it looks like one.
  const [name, onlyPort] = isIP(item) === 6 ? [item, undefined] : [bracketed ?? plain, port]
  const isNamed = isIP(name) === 0 ? endsWith(name.replace(/^\*?\.+/, '')) : sameAddress(name)
  return (host, asked) => (onlyPort === undefined || onlyPort === asked) && isNamed(host)
}

function endsWith(name: string): (host: string) => boolean {
  return (host) => name !== '' && (host === name || (isIP(host) === 0 && host.endsWith(`.${name}`)))
}

function sameAddress(address: string): (host: string) => boolean {
  const one = new BlockList()
  one.addAddress(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
  return (host) => holds(one, host)
}

function networkOf(item: string): BlockList | null {
  const [address = '', bits = '', ...rest] = item.split('/')
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  if (rest.length > 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > most) return null
  const network = new BlockList()
  network.addSubnet(address, Number(bits), most === 128 ? 'ipv6' : 'ipv4')
  return network
}

const LOOPBACK = new BlockList()
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4')
LOOPBACK.addAddress('::1', 'ipv6')

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || holds(LOOPBACK, host)
}

function holds(list: BlockList, host: string): boolean {
  const version = isIP(host)
  return version !== 0 && list.check(host, version === 6 ? 'ipv6' : 'ipv4')
}
