import type { Stoppage } from './exchange.ts'

/** Why a server did not answer, for the person who configures it. */
export function stoppageWords(stoppage: Stoppage, url: string, timeoutMs: number): string {
  const { host, hostname, protocol } = new URL(url)
  switch (stoppage.kind) {
    case 'timeout':
      return timeoutWords(stoppage, host, timeoutMs)
    case 'unreachable':
      return unreachableWords(stoppage, host, hostname)
    case 'proxy':
      return `${host} cannot be reached: ${stoppage.detail}.`
    case 'broken':
      return protocol === 'http:'
        ? `${host} closed the connection (${stoppage.detail}): does it need https://?`
        : `${host} closed the connection (${stoppage.detail}).`
    case 'too-large':
      return 'Its answer is too large for a model list.'
    case 'unauthorized':
      return stoppage.detail
    case 'refused-address':
      return `Refused: ${stoppage.detail}.`
  }
}

function timeoutWords({ phase, proxy }: Stoppage & { kind: 'timeout' }, host: string, timeoutMs: number): string {
  if (phase !== 'connect')
    return `${host} accepts the connection but did not answer within ${timeoutMs / 1000} seconds.`
  return proxy === undefined
    ? `The connection to ${host} timed out: check the address and any firewall in between.`
    : `The connection to ${host} through the proxy ${proxy} timed out: does the proxy answer, and does it reach ${host}?`
}

type Unreachable = Stoppage & { kind: 'unreachable' }

function unreachableWords({ detail: code, proxy }: Unreachable, host: string, hostname: string): string {
  if (code === 'ENOTFOUND') return `The name ${hostname} does not exist (DNS).`
  if (code === 'EAI_AGAIN') return `The name ${hostname} cannot be resolved at the moment (DNS).`
  if (code === 'ECONNREFUSED') return `Nothing listens at ${host} (connection refused).`
  if (/WRONG_VERSION|EPROTO|PACKET_LENGTH/.test(code))
    return `${host} does not speak TLS (${code}): does it need http://?`
  if (/EXPIRED/.test(code)) return `The certificate of ${host} has expired.`
  if (/NOT_YET_VALID/.test(code)) return `The certificate of ${host} is not valid yet: check this machine's time (NTP).`
  if (/ALTNAME/.test(code)) return `The certificate of ${host} is for another name.`
  if (/SELF_SIGNED|UNABLE_TO_|ISSUER/.test(code)) {
    const whose = proxy === undefined ? '' : ` (the proxy ${proxy} may have put its own in place)`
    const todo = "set the provider's ca, or NODE_EXTRA_CA_CERTS"
    return `The certificate of ${host} is not signed by an authority known here (${code})${whose}: ${todo}.`
  }
  return `${host} cannot be reached (${code}).`
}
