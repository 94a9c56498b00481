/** What a key may first be tried with: a name it is allowed to use, an alias before a model's id. */
export function firstModel(
  allowed: readonly string[] | null,
  catalog: readonly { id: string; kind: 'alias' | 'direct' }[],
): string {
  const isAllowed = (id: string) =>
    allowed === null ||
    allowed.some((pattern) => (pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : id === pattern))
  const usable = catalog.filter(({ id }) => isAllowed(id))
  const chosen = usable.find(({ kind }) => kind === 'alias') ?? usable[0]
  return chosen?.id ?? allowed?.find((name) => !name.endsWith('*')) ?? 'MODEL'
}

/** A call that works as pasted. */
export function firstCall(origin: string, key: string, model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello.' }] })
  return [
    `curl ${origin}/v1/chat/completions \\`,
    `  -H 'Authorization: Bearer ${key}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${body.replaceAll("'", "'\\''")}'`,
  ].join('\n')
}
