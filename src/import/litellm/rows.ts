import type { JsonObject } from '../../domain/request/call-request.ts'
import type { Deployment } from './deployment.ts'
import { approximate, exact, manual, type Notes, type Verdict } from './notes.ts'
import { BARE_PREFIX_ROWS } from './prefixes.ts'
import type { Reference } from './written-value.ts'

export interface Rows {
  providers: JsonObject
  nameOf(deployment: Deployment): string
}

/** Equal rows are one provider. Wildcards choose their names first: callers send these. */
export function nameRows(deployments: readonly Deployment[], ca: Reference | null): Rows {
  const names = new Map<string, string>()
  const providers: JsonObject = {}
  const put = (deployment: Deployment, name: string) => {
    names.set(identityOf(deployment), name)
    providers[name] = { ...deployment.row.definition, ...(ca && { ca }) }
  }
  for (const deployment of deployments) {
    const { wildcard } = deployment
    if (wildcard !== null && !(wildcard in providers) && !names.has(identityOf(deployment))) put(deployment, wildcard)
  }
  for (const deployment of deployments) {
    const { wildcard, row } = deployment
    if (wildcard !== null || names.has(identityOf(deployment))) continue
    const plain = row.host === null ? row.prefix : `${row.prefix}-${slugOf(row.host)}`
    let name = plain
    for (let count = 2; name in providers; count++) name = `${plain}-${count}`
    put(deployment, name)
  }
  return { providers, nameOf: (deployment) => names.get(identityOf(deployment)) ?? '' }
}

/** Secrets are variables by now, equal ones the same variable. */
function identityOf({ row: { prefix, definition } }: Deployment): string {
  return JSON.stringify([prefix, definition])
}

function slugOf(host: string): string {
  return host
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40)
}

/** A wildcard is its provider's row, whose models are called as PROVIDER/MODEL. */
export function noteWildcards(deployments: readonly Deployment[], { nameOf }: Rows, notes: Notes): void {
  for (const deployment of deployments) {
    const { wildcard, place } = deployment
    if (wildcard === null) continue
    const name = nameOf(deployment)
    notes.add(place, 'litellm_params.model', exact(`provider ${wildcard}`))
    const say = (verdict: Verdict) => notes.add(place, 'model_name', verdict)
    const isPartial = !/^[^*]*\/\*$/.test(place.name) || !/^[^*]*\*$/.test(place.name)
    if (name === wildcard && !isPartial && BARE_PREFIX_ROWS.has(name)) say(exact(`provider ${name}`))
    else if (name === wildcard && !isPartial)
      say(approximate(`provider ${name}`, `call its models as ${name}/MODEL: bare names are not guessed`))
    else if (name === wildcard)
      say(
        approximate(
          `provider ${name}`,
          `all models of ${name} can be called: bound keys with allowed_models ["${boundOf(place.name)}"]`,
          'looser',
        ),
      )
    else if (name === '')
      say(approximate(`provider ${wildcard}`, 'left out: only the first deployment of a wildcard is used', 'tighter'))
    else say(manual(`the same provider is ${name}: call its models as ${name}/MODEL`, 'tighter'))
  }
}

function boundOf(name: string): string {
  return `${name.slice(0, name.indexOf('*'))}*`
}
