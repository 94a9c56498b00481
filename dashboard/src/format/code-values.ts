/** What examples of calls are shown in. */
export const LANGUAGES = ['curl', 'Python', 'TypeScript'] as const
export type Language = (typeof LANGUAGES)[number]

/** A JSON value as a Python literal; `indent`: of the line that it begins on. */
export function pythonValue(value: unknown, indent = 0): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = ' '.repeat(indent + 4)
  const parts = Array.isArray(value)
    ? value.map((item) => pythonValue(item, indent + 4))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${pythonValue(item, indent + 4)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  if (parts.length === 0) return `${open}${close}`
  return `${open}\n${parts.map((part) => `${inner}${part},`).join('\n')}\n${' '.repeat(indent)}${close}`
}

/** A JSON value as TypeScript: names without quotes where they need none. */
export function typescriptValue(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
}

/** A text for a shell: inside single quotes it reads everything literally except the quote. */
export function shellText(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
