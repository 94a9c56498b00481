import type { Socket } from 'node:net'
import { codeOf } from './error-code.ts'
import { REFUSED_ADDRESS } from './guarded-lookup.ts'
import { type EgressProxy, ProxyError, proxyVerdict } from './proxy.ts'
import { fieldLines } from './request-head.ts'
import { mayBecomeHead, ResponseHead } from './response-head.ts'

const HEAD_END = '\r\n\r\n'
const MAX_HEAD_BYTES = 64 * 1024

export interface TunnelEnd {
  /** The proxy passes bytes on from here: what is written next arrives at the provider. */
  opened(): void
  failed(error: Error): void
}

/** Asks a proxy, over a socket that is being connected to it, to pass bytes to a provider (RFC 9110, 9.3.6). */
export function openTunnel(socket: Socket, proxy: EgressProxy, authority: string, { opened, failed }: TunnelEnd): void {
  let isOpen = false
  let received = Buffer.alloc(0)
  const fail = (words: string) => failed(new ProxyError(`the proxy ${proxy.label} ${words}`))

  function read(piece: Buffer): void {
    const seen = received.length
    received = Buffer.concat([received, piece])
    const end = received.indexOf(HEAD_END)
    if (end < 0) {
      if (received.length > MAX_HEAD_BYTES || !mayBecomeHead(received, seen)) fail('does not answer with HTTP')
      return
    }
    const status = statusOf(received.toString('latin1', 0, end))
    const rest = received.subarray(end + HEAD_END.length)
    if (status === null) fail('does not answer with HTTP')
    else if (status < 200) {
      received = Buffer.alloc(0)
      if (rest.length > 0) read(rest)
    } else settle(status, rest)
  }

  function settle(status: number, rest: Buffer): void {
    socket.off('data', read)
    const verdict = proxyVerdict(proxy, status, authority)
    if (verdict !== null) failed(verdict)
    // The provider waits for our greeting: any bytes here are from the proxy.
    else if (rest.length > 0) fail('does not answer with HTTP')
    else {
      isOpen = true
      opened()
    }
  }

  socket.once(proxy.isSecure ? 'secureConnect' : 'connect', () => socket.write(connectHead(proxy, authority), 'latin1'))
  socket.on('data', read)
  socket.on('error', (error) => {
    const code = codeOf(error)
    if (isOpen || code === REFUSED_ADDRESS) failed(error)
    else fail(`cannot be reached (${code})`)
  })
  for (const event of ['end', 'close']) socket.on(event, () => isOpen || fail('closed the connection'))
}

function connectHead({ authorization }: EgressProxy, authority: string): string {
  const fields = authorization === null ? {} : { 'proxy-authorization': authorization }
  return `CONNECT ${authority} HTTP/1.1\r\n${fieldLines({ host: authority, ...fields })}\r\n`
}

function statusOf(head: string): number | null {
  try {
    return new ResponseHead(head).status
  } catch {
    return null
  }
}
