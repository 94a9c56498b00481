import { z } from 'zod'
import { cleanName, LONGEST_TAG, MOST_TAGS } from '../attribution.ts'

/** What a token says, once its signature has been verified. */
export type Claims = Readonly<Record<string, unknown>>

/** Who calls with a key. */
export interface TokenHolder {
  /** Name of the issuer. */
  issuer: string
  subject: string
  /** Null: as the caller says. */
  user: string | null
  /** For callers who name none. */
  session: string | null
  tags: Readonly<Record<string, string>>
}

/** `sub`, or a way down: `kubernetes.io/namespace`. */
const ClaimName = z.string().min(1).max(200)
const ClaimValue = z.string().min(1).max(500)

/**
 * Values are compared whole: a pattern such as `repo:acme/*` has let in `repo:acme/*-evil` and renamed repositories
 * elsewhere.
 */
export const TokenRule = z.strictObject({
  when: z
    .record(ClaimName, z.union([ClaimValue, z.array(ClaimValue).min(1).max(100)]))
    .refine(
      (when) => Object.keys(when).length > 0,
      'name at least one claim: without one, every token of the issuer is accepted',
    )
    .refine((when) => Object.keys(when).length <= 20, 'at most 20 claims')
    .describe('Claims and the value that each must have, or one of a list; a claim that is a list must contain it'),
  key_id: z.string().min(1).max(64).describe('The gateway key whose workspace, models, limits and budgets apply'),
  user: ClaimName.nullable()
    .default('sub')
    .describe('The claim that names the user of a call, whatever its body says; null: the body may say'),
  session: ClaimName.nullable().default(null).describe('The claim that names the session of calls which name none'),
  tags: z
    .record(z.string().min(1).max(LONGEST_TAG), ClaimName)
    .refine((tags) => Object.keys(tags).length <= MOST_TAGS, `at most ${MOST_TAGS} tags`)
    .default({})
    .describe('Tags of a call, and the claims that they are taken from'),
})
export type TokenRule = z.infer<typeof TokenRule>

/** Names with dots and slashes are common, so the whole name goes before the way down. */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let found: unknown = claims
  // A name has slashes of its own only at the top: `kubernetes.io/serviceaccount/name`.
  for (const part of name.split('/')) {
    if (typeof found !== 'object' || found === null || Array.isArray(found) || !Object.hasOwn(found, part)) return
    found = (found as Claims)[part]
  }
  return found
}

/** Lists of an own kind, such as groups that did not fit into the token, match nothing. */
function valuesAt(claims: Claims, name: string): readonly string[] {
  const value = claimAt(claims, name)
  const values = Array.isArray(value) ? value : [value]
  return values.flatMap((each) => (['string', 'number', 'boolean'].includes(typeof each) ? [String(each)] : []))
}

function matches({ when }: TokenRule, claims: Claims): boolean {
  return Object.entries(when).every(([name, wanted]) => {
    const values = valuesAt(claims, name)
    return [wanted].flat().some((each) => values.includes(each))
  })
}

/** Null: no rule accepts these claims. A rule whose claims are not there accepts nothing: the next one may. */
export function matchedRule(
  claims: Claims,
  issuer: { name: string; rules: readonly TokenRule[] },
): { rule: TokenRule; holder: TokenHolder } | null {
  for (const rule of issuer.rules) {
    if (!matches(rule, claims)) continue
    const user = rule.user === null ? null : nameAt(claims, rule.user)
    if (rule.user !== null && user === null) continue
    const session = rule.session === null ? null : nameAt(claims, rule.session)
    const subject = String(claims['sub'])
    return { rule, holder: { issuer: issuer.name, subject, user, session, tags: tagsOf(rule, claims) } }
  }
  return null
}

/** Null for what a log cannot keep whole: two long subjects must not become one user. */
function nameAt(claims: Claims, name: string): string | null {
  const [value, ...more] = valuesAt(claims, name)
  return value !== undefined && more.length === 0 && cleanName(value) === value ? value : null
}

function tagsOf({ tags }: TokenRule, claims: Claims): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [tag, name] of Object.entries(tags)) {
    const value = nameAt(claims, name)
    if (value !== null && value.length <= LONGEST_TAG) found[tag] = value
  }
  return found
}
