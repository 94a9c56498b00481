const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Anything else would end the line, or is no byte. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** They say where a request ends and what becomes of its connection, which is decided here. */
const OWN = new Set(['content-length', 'transfer-encoding', 'trailer', 'te', 'expect', 'upgrade', 'keep-alive'])

/**
 * Fields as they go over the wire, each with its line end; a later one of the same name takes the place of an earlier.
 * Null when one of them cannot be sent.
 */
export function fieldLines(fields: Readonly<Record<string, string>>): string | null {
  const lines = new Map<string, string>()
  for (const [name, value] of Object.entries(fields)) {
    const known = name.toLowerCase()
    if (!NAME.test(name) || !VALUE.test(value) || OWN.has(known)) return null
    lines.set(known, `${name}: ${value}\r\n`)
  }
  return [...lines.values()].join('')
}
