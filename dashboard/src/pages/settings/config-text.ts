/** A configuration file as it was written, its variables found and not yet filled in. */
export interface ConfigText {
  /** Names of `${NAME}` in its values, each once, in the order of the file. */
  variables: string[]
  /** The content with these values for them. */
  filled: (values: Readonly<Record<string, string>>) => unknown
}

/**
 * As the command line reads it: `${NAME}` is a variable, `$${NAME}` the text itself. Placeholders go through the
 * parser, so that no value can change the structure; their mark is chosen so that no text of the file looks like one.
 */
export function readConfigText(text: string, parse: (text: string) => unknown): ConfigText {
  let mark = 'x'
  while (text.includes(mark)) mark += Math.random().toString(36).slice(2, 6)
  const standIns = text.replace(/(\$?)\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_whole, dollar: string, name: string) =>
    dollar === '' ? `⟦${mark}v${name}⟧` : `⟦${mark}t${name}⟧`,
  )
  const pattern = new RegExp(`⟦${mark}([vt])(\\w+)⟧`, 'g')
  const asWritten = (part: string) =>
    part.replace(pattern, (_whole, kind: string, name: string) => `${kind === 't' ? '$' : ''}\${${name}}`)
  let value: unknown
  try {
    value = parse(standIns)
  } catch (error) {
    const problem = error instanceof Error ? (error.message.split('\n')[0] ?? '').replace(/:$/, '') : 'not YAML'
    throw new Error(asWritten(problem))
  }
  const variables = new Set<string>()
  walk(value, (part) => {
    for (const [, kind, name = ''] of part.matchAll(pattern)) if (kind === 'v') variables.add(name)
    return part
  })
  return {
    variables: [...variables],
    filled: (values) =>
      walk(value, (part) =>
        part.replace(pattern, (_whole, kind: string, name: string) =>
          kind === 't' ? `\${${name}}` : (values[name] ?? ''),
        ),
      ),
  }
}

function walk(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => walk(item, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, walk(item, change)]))
}
