/** Where a server listens, and the prefix of the variables that set it. */
export interface ListenAddress {
  host: string
  port: number
  variables: '' | 'ADMIN_'
}

/** What the operator can fix about an address, in one line. */
export class ListenError extends Error {
  override readonly name = 'ListenError'
  /** True for an unknown host; a port may become free again. */
  readonly isConfiguration: boolean

  constructor(message: string, options: { isConfiguration: boolean; cause: unknown }) {
    super(message, { cause: options.cause })
    this.isConfiguration = options.isConfiguration
  }
}

/** The same error with a message for operators; unchanged where there is none. */
export function asListenError(cause: unknown, place: ListenAddress): unknown {
  const { code, syscall, message } = cause as NodeJS.ErrnoException
  if (syscall === 'getaddrinfo') {
    return new ListenError(`${place.variables}HOST: ${message}`, { isConfiguration: true, cause })
  }
  if (syscall !== 'listen' && syscall !== 'bind') return cause
  return new ListenError(listenProblem(code, place) ?? message, { isConfiguration: false, cause })
}

/** Why the gateway cannot listen and what to do, in one line; null for an unknown reason. */
export function listenProblem(code: string | undefined, { host, port, variables }: ListenAddress): string | null {
  const at = `${host}:${port}`
  if (code === 'EADDRINUSE') return `${at} is in use by another program: stop it, or set ${variables}PORT`
  if (code === 'EACCES') return `${at} is not allowed to us: set ${variables}PORT to 1024 or above`
  if (code === 'EADDRNOTAVAIL')
    return `${host} is not an address of this machine: set ${variables}HOST to one, 0.0.0.0 for all`
  return null
}
