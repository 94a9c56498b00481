import { isJsonObject } from '../../domain/request/call-request.ts'
import type { NeededVariable } from './mapped-config.ts'
import type { Kept } from './source.ts'
import { Reference, variableOf } from './written-value.ts'

/** The variables that the gateway needs at its start. */
export interface Variables {
  /** Listed where the configuration names it. */
  need(name: string, why: string): void
  /** A setting of the gateway itself. */
  advise(name: string, why: string): void
  /** A secret that was read gets a variable, the same for the same secret. */
  keep(secret: string, owner: string, kept: Kept): Reference
  /** A variable whose value the file holds. */
  set(name: string, secret: string, why: string): void
  /** Those that this configuration needs. */
  list(config: unknown): NeededVariable[]
}

/** `source`: no variable that it names is given to a secret. */
export function createVariables(source: unknown): Variables {
  const taken = namedIn(source)
  const variables = new Map<string, NeededVariable>()
  const kept = new Map<string, string>()
  const always = new Set<string>()
  return {
    need(name, why) {
      if (!variables.has(name)) variables.set(name, { name, secret: null, why })
    },
    advise(name, why) {
      always.add(name)
      variables.set(name, { name, secret: null, why })
    },
    keep(secret, owner, how) {
      const name = kept.get(secret) ?? freeName(`LITELLM_${owner}`, taken)
      taken.add(name)
      kept.set(secret, name)
      variables.set(name, { name, secret, why: how })
      return new Reference(name)
    },
    set(name, secret, why) {
      always.add(name)
      variables.set(name, { name, secret, why })
    },
    list(config) {
      const text = JSON.stringify(config)
      const needed = [...variables.values()].filter(({ name }) => always.has(name) || text.includes(`\${${name}}`))
      return needed.sort((a, b) => (a.name < b.name ? -1 : 1))
    },
  }
}

function freeName(text: string, taken: ReadonlySet<string>): string {
  const plain = text.toUpperCase().replace(/[^A-Z0-9]+/g, '_')
  let name = plain
  for (let count = 2; taken.has(name); count++) name = `${plain}_${count}`
  return name
}

function namedIn(value: unknown): Set<string> {
  const variable = variableOf(value)
  if (variable !== null) return new Set([variable])
  const inner = Array.isArray(value) ? value : isJsonObject(value) ? Object.values(value) : []
  return new Set(inner.flatMap((item) => [...namedIn(item)]))
}
