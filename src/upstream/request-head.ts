const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Anything else would end the line, or is not one byte. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** They frame the request and control its connection, which only this room does. */
const OWN = new Set(['content-length', 'transfer-encoding', 'trailer', 'te', 'expect', 'upgrade', 'keep-alive'])

/** Header lines as they are sent. A later field replaces an earlier one of the same name. Null when one cannot be sent. */
export function fieldLines(fields: Readonly<Record<string, string>>): string | null {
  const lines = new Map<string, string>()
  for (const [name, value] of Object.entries(fields)) {
    const known = name.toLowerCase()
    if (!NAME.test(name) || !VALUE.test(value) || OWN.has(known)) return null
    lines.set(known, `${name}: ${value}\r\n`)
  }
  return [...lines.values()].join('')
}

/** Header lines without those of the names given. */
export function withoutFields(lines: string, fields: Readonly<Record<string, string>>): string {
  const names = new Set(Object.keys(fields).map((name) => name.toLowerCase()))
  return lines
    .split(/(?<=\r\n)/)
    .filter((line) => !names.has(line.slice(0, line.indexOf(':')).toLowerCase()))
    .join('')
}
