import type { NeededVariable } from '../../import/litellm/mapped-config.ts'

/** Lines that `node --env-file`, compose and a shell read alike. */
export function envFileText(variables: readonly NeededVariable[]): string {
  const lines = variables.flatMap(({ name, secret }) => (secret === null ? [] : [`${name}=${quoted(secret)}\n`]))
  return lines.join('')
}

function quoted(value: string): string {
  if (/^[\w./:@+=-]+$/.test(value)) return value
  return /['\n\r]/.test(value) ? JSON.stringify(value) : `'${value}'`
}
