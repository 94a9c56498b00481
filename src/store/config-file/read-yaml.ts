import { randomBytes } from 'node:crypto'
import { parse } from 'yaml'

type Environment = Readonly<Record<string, string | undefined>>
export type ReadYaml = { value: unknown } | { problem: string }

/**
 * YAML whose text values may contain `${VAR}` from the environment; an unset variable is a problem, never an empty text.
 *
 * `${VAR}` stands where YAML would read a brace: a placeholder goes through the parser, so no value can change the
 * structure. `$${VAR}` means the text `${VAR}` itself. The placeholder contains a random number, so no text looks like one.
 */
export function readYaml(text: string, environment: Environment): ReadYaml {
  const mark = randomBytes(9).toString('hex')
  const standIns = text.replace(/(\$?)\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_whole, dollar: string, name: string) =>
    dollar === '' ? `⟦${mark}v${name}⟧` : `⟦${mark}t${name}⟧`,
  )
  const read = parseYaml(standIns, mark)
  if ('problem' in read) return read
  const unset = new Set<string>()
  const fill = (value: string) =>
    value.replace(new RegExp(`⟦${mark}([vt])(\\w+)⟧`, 'g'), (_whole, kind: string, name: string) => {
      if (kind === 't') return `\${${name}}`
      const found = environment[name]
      if (found === undefined || found === '') unset.add(`\${${name}}`)
      return found ?? ''
    })
  const value = filled(read.value, fill)
  if (unset.size === 0) return { value }
  const verb = unset.size === 1 ? 'is' : 'are'
  return { problem: `${[...unset].join(', ')} ${verb} not set in the environment` }
}

function parseYaml(text: string, mark: string): ReadYaml {
  try {
    return { value: parse(text) }
  } catch (error) {
    const problem = error instanceof Error ? (error.message.split('\n')[0] ?? '').replace(/:$/, '') : 'not YAML'
    return { problem: problem.replace(new RegExp(`⟦${mark}[vt](\\w+)⟧`, 'g'), (_whole, name) => `\${${name}}`) }
  }
}

function filled(value: unknown, fill: (text: string) => string): unknown {
  if (typeof value === 'string') return fill(value)
  if (Array.isArray(value)) return value.map((item) => filled(item, fill))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, fill)]))
}
