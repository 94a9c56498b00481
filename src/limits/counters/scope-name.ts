import type { Scope } from '../ledger.ts'

export function nameOf({ kind, id }: Scope): string {
  return `${kind}:${id}`
}

export function scopeOf(name: string): Scope {
  const at = name.indexOf(':')
  return { kind: name.slice(0, at) === 'key' ? 'key' : 'workspace', id: name.slice(at + 1) }
}
