import { z } from 'zod'
import type { Attribution } from '../attribution.ts'
import { LONGEST_TAG } from '../attribution.ts'

/** What callers name on a call, and a budget may be set for each value of. */
export const EACH = ['session', 'agent', 'user', 'project', 'key'] as const
export type EachKind = (typeof EACH)[number] | 'tag'

const TAG = 'tag:'

export const Each = z
  .string()
  .max(TAG.length + LONGEST_TAG)
  .refine((text) => (EACH as readonly string[]).includes(text) || (text.startsWith(TAG) && text.length > TAG.length), {
    error: `one of ${EACH.join(', ')}, or tag:NAME`,
  })

/**
 * Whose sums a budget looks at: of one value, or, with kind '' , of the key or the workspace itself. An agent is one of
 * its session, a tag has a name: both are `of`.
 */
export interface ValueScope {
  workspace: string
  /** '' in sums over all keys of the workspace. */
  keyId: string
  kind: EachKind | ''
  of: string
  value: string
}

/** Names have no line breaks in them. */
export function counterOf({ workspace, keyId, kind, of, value }: ValueScope): string {
  return [workspace, keyId, kind, of, value].join('\n')
}

export function scopeOfCounter(counter: string): ValueScope {
  const [workspace = '', keyId = '', kind = '', of = '', value = ''] = counter.split('\n')
  return { workspace, keyId, kind: kind as ValueScope['kind'], of, value }
}

/**
 * The values that a call names, for `each`. An agent names its ancestors too: what it spends, they spend. Null: the call
 * names none, and the budget does not apply to it.
 */
export function valuesOf(
  each: string | undefined,
  names: Attribution,
  ancestors: readonly string[],
): Pick<ValueScope, 'kind' | 'of' | 'value'>[] {
  if (each === undefined) return [{ kind: '', of: '', value: '' }]
  if (each === 'key') return [{ kind: 'key', of: '', value: '' }]
  if (each.startsWith(TAG)) {
    const name = each.slice(TAG.length)
    const value = Object.hasOwn(names.tags, name) ? names.tags[name] : undefined
    return value === undefined ? [] : [{ kind: 'tag', of: name, value }]
  }
  if (each === 'agent') {
    if (names.agent === null) return []
    const of = names.session ?? ''
    return [names.agent, ...ancestors].map((value) => ({ kind: 'agent', of, value }))
  }
  const kind = each as 'session' | 'user' | 'project'
  const value = names[kind]
  return value === null ? [] : [{ kind, of: '', value }]
}

/** As people read it: "session 7f3a", "tag team=blue". */
export function valueName({ kind, of, value }: Pick<ValueScope, 'kind' | 'of' | 'value'>): string {
  return kind === 'tag' ? `tag ${of}=${value}` : `${kind} ${value}`
}

/** The other way: what kind of values a budget is for. */
export function kindOfEach(each: string | undefined): Pick<ValueScope, 'kind'> & { tag: string | null } {
  if (each === undefined) return { kind: '', tag: null }
  return each.startsWith(TAG) ? { kind: 'tag', tag: each.slice(TAG.length) } : { kind: each as EachKind, tag: null }
}

/** As budgets name it: `tag:team`. */
export function eachOf({ kind, of }: Pick<ValueScope, 'kind' | 'of'>): string {
  return kind === 'tag' ? `${TAG}${of}` : kind
}
