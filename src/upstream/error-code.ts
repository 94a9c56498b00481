/** Node puts the failures of several addresses into one AggregateError; the first one says why. */
export function codeOf(error: Error): string {
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return codeOf(error.errors[0])
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
