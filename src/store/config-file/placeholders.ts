/** A secret's placeholder in an exported configuration; a class, so that no text can look like one. */
class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Names variables for secrets, and writes a configuration in which they are `${NAME}` and other text is literal. */
export function placeholders() {
  const taken = new Set<string>()
  return {
    /** `local`, `api_key` → `${LOCAL_API_KEY}`; never the same twice. */
    secret(owner: string, field: string): Placeholder {
      const plain = `${owner}_${field}`.toUpperCase().replace(/[^A-Z0-9]/g, '_')
      const name = /^[0-9]/.test(plain) ? `_${plain}` : plain
      let free = name
      for (let count = 2; taken.has(free); count++) free = `${name}_${count}`
      taken.add(free)
      return new Placeholder(free)
    },
    text: writeOut,
    names: () => [...taken].sort(),
  }
}

function writeOut(value: unknown): unknown {
  if (value instanceof Placeholder) return `\${${value.name}}`
  if (typeof value === 'string') return value.replace(/\$\{(?=[A-Za-z_][A-Za-z0-9_]*\})/g, (found) => `$${found}`)
  if (Array.isArray(value)) return value.map(writeOut)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, writeOut(item)]))
}
