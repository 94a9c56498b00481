/** What went wrong at the provider, for our log: its codes and ours, never what it sent. */
export function problemOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { error: said, code, cause } = error as Error & { error?: unknown; code?: unknown }
  const inner = cause instanceof Error && 'code' in cause ? cause.code : undefined
  const words = [error.message, said, code, inner].filter((word) => typeof word === 'string' && word !== '')
  return words.join(', ').slice(0, 300)
}

/** The code that the provider sent the browser back with, where it is one of the usual form. */
export function saidByProvider(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || !('error' in error)) return null
  if (error.code !== 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') return null
  const said = String(error.error)
  return /^[a-z_]{1,60}$/.test(said) ? said : 'an error'
}
