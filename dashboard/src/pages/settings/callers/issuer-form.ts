import type { Body, Item } from '../../../api/client.ts'

export type Issuer = Item<'token-issuers.list'>
type Rule = Issuer['rules'][number]

/** A rule as form values. */
export interface RuleForm {
  id: number
  /** `claim=value`, one a line; several values of one claim: any of them. */
  when: string
  keyId: string
  user: string
  session: string
}

/** A token issuer as form values. */
export interface IssuerForm {
  name: string
  issuer: string
  audiences: string[]
  /** Empty: any. */
  clients: string[]
  /** Empty: as its discovery document says. */
  jwksUrl: string
  enabled: boolean
  rules: RuleForm[]
}

let rules = 0

export function ruleForm(rule: Rule | null): RuleForm {
  return {
    id: rules++,
    when: Object.entries(rule?.when ?? {})
      .flatMap(([claim, values]) => [values].flat().map((value) => `${claim}=${value}`))
      .join('\n'),
    keyId: rule?.key_id ?? '',
    user: rule === null ? 'sub' : (rule.user ?? ''),
    session: rule?.session ?? '',
  }
}

export function issuerForm(issuer: Issuer | null): IssuerForm {
  return {
    name: issuer?.name ?? '',
    issuer: issuer?.issuer ?? '',
    audiences: issuer?.audiences ?? [],
    clients: issuer?.clients ?? [],
    jwksUrl: issuer?.jwks_url ?? '',
    enabled: issuer?.enabled ?? true,
    rules: issuer === null ? [ruleForm(null)] : issuer.rules.map(ruleForm),
  }
}

/** What the form does not show stays as it is: algorithms, keys, the longest life, tags of rules. */
export function issuerOf(form: IssuerForm, before: Issuer | null): Body<'token-issuers.put'> {
  const kept =
    before === null
      ? {}
      : { algorithms: before.algorithms, jwks: before.jwks, max_token_seconds: before.max_token_seconds }
  return {
    ...kept,
    issuer: form.issuer.trim(),
    audiences: form.audiences,
    clients: form.clients.length === 0 ? null : form.clients,
    jwks_url: form.jwksUrl.trim() === '' ? null : form.jwksUrl.trim(),
    enabled: form.enabled,
    rules: form.rules.map((rule) => ({
      when: claimsOf(rule.when) ?? {},
      key_id: rule.keyId,
      user: rule.user.trim() === '' ? null : rule.user.trim(),
      session: rule.session.trim() === '' ? null : rule.session.trim(),
      tags: before?.rules.find((old) => ruleText(old) === `${rule.keyId}\n${rule.when}`)?.tags ?? {},
    })),
  }
}

function ruleText(rule: Rule): string {
  const { keyId, when } = ruleForm(rule)
  return `${keyId}\n${when}`
}

/** Null: a line is no `claim=value`. */
export function claimsOf(text: string): Record<string, string | string[]> | null {
  const found: Record<string, string | string[]> = {}
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue
    const [, claim, value] = /^([^=]+)=(.+)$/.exec(line) ?? []
    if (claim === undefined || value === undefined) return null
    const name = claim.trim()
    found[name] = Object.hasOwn(found, name) ? [...[found[name] ?? []].flat(), value.trim()] : value.trim()
  }
  return found
}

export function isIssuerReady({ name, issuer, audiences, rules }: IssuerForm): boolean {
  const isWhole = rules.every((rule) => rule.keyId !== '' && Object.keys(claimsOf(rule.when) ?? {}).length > 0)
  return name.trim() !== '' && issuer.trim() !== '' && audiences.length > 0 && isWhole
}
