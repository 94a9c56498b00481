const names = new Map<string, string>()

/** PostgreSQL then reads and plans this text once for each connection instead of each time. Only for texts of the code. */
export function nameStatement(text: string): string {
  if (!names.has(text)) names.set(text, `switchyard_${names.size}`)
  return text
}

export function nameOf(text: string): string | null {
  return names.get(text) ?? null
}
