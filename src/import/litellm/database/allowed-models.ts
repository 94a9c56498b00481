/** What can be named in a list of models, beside the models themselves. */
export interface ModelNames {
  /** Every route. */
  aliases: readonly string[]
  /** Models of an access group. */
  groups: ReadonlyMap<string, readonly string[]>
}

/** Names and patterns with `*` at the end; null: everything. */
export type Allowed = readonly string[] | null

const EVERYTHING = new Set(['*', 'all-proxy-models'])

/** A list of LiteLLM in our terms. `team` is what `all-team-models` stands for. */
export function allowedBy(list: readonly string[], { aliases, groups }: ModelNames, team: Allowed = null): Allowed {
  if (list.length === 0 || list.some((name) => EVERYTHING.has(name))) return null
  if (list.includes('all-team-models') && team === null) return null
  const allowed = list.flatMap((name) => {
    if (name === 'no-default-models') return []
    if (name === 'all-team-models') return team ?? []
    const group = groups.get(name)
    if (group !== undefined && !aliases.includes(name)) return group
    const star = name.indexOf('*')
    return star === -1 || star === name.length - 1 ? [name] : aliases.filter((alias) => matches(name, alias))
  })
  return [...new Set(allowed)]
}

function matches(pattern: string, alias: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 's').test(alias)
}

/** What all lists allow. */
export function intersection(lists: readonly Allowed[]): Allowed {
  return lists.reduce<Allowed>((all, list) => both(all, list), null)
}

function both(one: Allowed, other: Allowed): Allowed {
  if (one === null || other === null) return one ?? other
  return [...new Set(one.flatMap((name) => other.flatMap((second) => narrower(name, second))))]
}

/** The one of two names or patterns that the other contains; empty: neither. */
function narrower(one: string, other: string): string[] {
  if (contains(other, one)) return [one]
  return contains(one, other) ? [other] : []
}

function contains(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name
}
