/** Why the gateway cannot listen, and what to do, in one line; null for a reason that has no words yet. */
export function listenProblem(code: string | undefined, host: string, port: number): string | null {
  const place = `${host}:${port}`
  if (code === 'EADDRINUSE') return `${place} is in use by another program: stop it, or set PORT`
  if (code === 'EACCES') return `${place} is not allowed to us: set PORT to 1024 or above`
  if (code === 'EADDRNOTAVAIL') return `${host} is not an address of this machine: set HOST to one, 0.0.0.0 for all`
  return null
}
