import { basicCredentials, proxyLogin } from '../domain/proxy-url.ts'

/** A proxy on the way to a provider. */
export interface EgressProxy {
  origin: URL
  isSecure: boolean
  /** Host and port, as messages name it: without credentials. */
  label: string
  /** The value of `proxy-authorization`; null: it is asked without. */
  authorization: string | null
}

export function proxyFrom(address: string): EgressProxy {
  const url = new URL(address)
  const login = proxyLogin(address)
  return {
    origin: new URL(url.origin),
    isSecure: url.protocol === 'https:',
    label: url.host,
    authorization: login === null ? null : `Basic ${basicCredentials(login)}`,
  }
}

/** Why a proxy does not let a call through. The message names the proxy and has no secret. */
export class ProxyError extends Error {
  readonly code = 'ERR_PROXY'
  /** It has understood, and said no: asking again does not help, and may lock the account. */
  readonly isRefusal: boolean

  constructor(message: string, isRefusal = false) {
    super(message)
    this.isRefusal = isRefusal
  }
}

/** What an answer of a proxy means that is not the provider's; null: that it serves. */
export function proxyVerdict({ label, authorization }: EgressProxy, status: number, host: string): ProxyError | null {
  if (status >= 200 && status <= 299) return null
  // Some answer 401 to wrong credentials, which is the provider's word.
  if (status === 407 || status === 401) {
    const why = authorization === null ? 'wants a user and a password' : 'rejects the user or the password'
    return new ProxyError(`the proxy ${label} ${why} (HTTP ${status})`, true)
  }
  if (status >= 500) return new ProxyError(`the proxy ${label} cannot reach ${host} (HTTP ${status})`)
  return new ProxyError(`the proxy ${label} refuses to connect to ${host} (HTTP ${status})`, true)
}
