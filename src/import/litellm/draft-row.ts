import { baseUrlProblem } from '../../domain/base-url.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { approximate, exact, manual, type Verdict } from './notes.ts'
import type { PrefixRow } from './prefixes.ts'
import type { HowKept, Kept, Values } from './source.ts'
import { currentValue, type Environment, Reference, type Written, writtenText } from './written-value.ts'

/** What a deployment says of itself, and where findings about it go. */
export interface Params {
  /** Its own, and those of its credential that it does not set. */
  values: Values
  /** On `litellm_params`, or on the credential that the value is from. */
  note(key: string, verdict: Verdict): void
  environment: Environment
  /** A variable that the gateway will need. */
  need(variable: string, why: string): void
  /** Of a secret that was read, the variable that takes its place. */
  keep(secret: string, field: string, kept: Kept): Reference
  kept: HowKept
}

/** A provider before it has a name; secrets and variables are still objects. */
export interface DraftRow {
  prefix: string
  definition: JsonObject
  /** Of an address that is not the vendor's own. */
  host: string | null
}

/** Why a deployment cannot be served here. */
export class Unmapped extends Error {
  readonly verdict: Verdict
  constructor(key: string, verdict: Verdict) {
    super(`left out: ${key}: ${verdict.message}`)
    this.verdict = verdict
  }
}

export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** A text setting of the row, noted as exact; undefined where it is absent. */
export function takeText({ values, note, need }: Params, key: string, target: string): Written | undefined {
  if (!isGiven(values[key])) return undefined
  const text = writtenText(values[key])
  if (text === null) throw new Unmapped(key, manual('is not a text'))
  if (text instanceof Reference) need(text.variable, target)
  note(key, exact(target))
  return text
}

/** As `takeText`; its value becomes a variable. */
export function takeSecret(params: Params, key: string, field: string): Reference | undefined {
  const value = params.values[key]
  if (!isGiven(value)) return undefined
  const text = writtenText(value)
  if (text === null) throw new Unmapped(key, manual('is not a text'))
  return secretReference(params, key, text, field)
}

const IN_FILE: Kept = 'written in clear in the file'

export function secretReference(params: Params, key: string, text: Written, field: string): Reference {
  if (text instanceof Reference) {
    params.need(text.variable, field)
    params.note(key, exact(field))
    return text
  }
  const kept = params.kept(key)
  const reference = params.keep(text, field, kept)
  // The line of the report names the file already.
  const said = kept === IN_FILE ? 'written in clear' : kept
  params.note(key, manual(`is ${said}: not copied; set ${reference.variable}`))
  return reference
}

/** The address with what this gateway adds or cuts; of a variable as far as its value allows. */
export function writtenAddress(
  value: unknown,
  { environment, need }: Params,
  rewrite: (address: string) => string,
): string | Reference {
  const text = writtenText(value)
  if (text === null) throw new Unmapped('api_base', manual('is not a text'))
  if (typeof text === 'string') return rewrite(text)
  const current = currentValue(value, environment)
  const address = typeof current === 'string' ? current : 'http://unknown'
  const rewritten = rewrite(address)
  if (!rewritten.startsWith(address)) return rewritten
  need(text.variable, 'address of a provider')
  return new Reference(text.variable, rewritten.slice(address.length))
}

/** The vendors' own addresses: a row there needs none, and has the vendor's prices. */
const OWN_HOSTS: Readonly<Record<string, string>> = {
  openai: 'api.openai.com',
  anthropic: 'api.anthropic.com',
  gemini: 'generativelanguage.googleapis.com',
}

export interface RowAddress {
  address: string | Reference | undefined
  host: string | null
}

export function takeAddress(
  params: Params,
  spec: PrefixRow,
  rewrite: (address: string) => string = (address) => address,
): RowAddress {
  const { values, environment, note } = params
  const key = isGiven(values['api_base']) ? 'api_base' : 'base_url'
  const variable = spec.addressVariables?.find((name) => environment[name])
  const named = variable ?? (spec.needsAddress ? spec.addressVariables?.[0] : undefined)
  const given = isGiven(values[key]) ? values[key] : named === undefined ? spec.address : `os.environ/${named}`
  if (given === undefined && spec.needsAddress) throw new Unmapped('model', manual('api_base is missing'))
  if (given === undefined) return { address: undefined, host: null }
  const address = writtenAddress(given, params, rewrite)
  const problem = typeof address === 'string' ? baseUrlProblem(address) : null
  if (problem !== null) throw new Unmapped(key, manual(problem))
  if (isGiven(values[key])) {
    const asWritten = typeof address !== 'string' || address === given
    note(key, asWritten ? exact('base_url') : approximate('base_url', `written as ${address}`))
    for (const other of ['api_base', 'base_url'])
      if (other !== key && isGiven(values[other])) note(other, exact(null, `${key} is used instead`))
  }
  const host = hostOf(address, environment)
  if (typeof address === 'string' && host === OWN_HOSTS[spec.family] && spec.preset === undefined) {
    return { address: undefined, host: null }
  }
  const usual = spec.address === undefined ? null : (URL.parse(spec.address)?.host ?? null)
  const isForeign = host !== null && host !== usual && spec.needsAddress !== true && spec.isLocal !== true
  return { address, host: isForeign ? host : null }
}

/** Of a variable that is not set its name. */
function hostOf(address: Written, environment: Environment): string | null {
  const text = typeof address === 'string' ? address : environment[address.variable]
  return text === undefined && typeof address !== 'string' ? address.variable : (URL.parse(text ?? '')?.host ?? null)
}

/** As written, else the first of the vendor's variables that is set, else its first. */
export function takeKey(params: Params, { keyVariables, isLocal }: PrefixRow): Written | undefined {
  const given = takeSecret(params, 'api_key', 'api_key')
  if (given !== undefined) return given
  const set = keyVariables.find((name) => params.environment[name]) ?? (isLocal ? undefined : keyVariables[0])
  if (set === undefined) return undefined
  params.need(set, 'key of a provider')
  return new Reference(set)
}

const SECRET_NAMES = /auth|key|token|secret|password|cookie|credential/i

export function isSecretName(name: string): boolean {
  return SECRET_NAMES.test(name)
}

export function takeHeaders(params: Params): JsonObject | undefined {
  const headers: JsonObject = {}
  const organization = takeText(params, 'organization', 'header openai-organization')
  if (organization !== undefined) headers['openai-organization'] = organization
  for (const key of ['default_headers', 'extra_headers']) {
    const given = params.values[key]
    if (!isGiven(given)) continue
    if (!isJsonObject(given)) throw new Unmapped(key, manual('is not a mapping'))
    for (const [name, value] of Object.entries(given))
      headers[name] = headerValue(params, `${key}.${name}`, name, value)
  }
  const known = Object.entries(headers).filter(([, value]) => value !== undefined)
  return known.length === 0 ? undefined : Object.fromEntries(known)
}

function headerValue(params: Params, key: string, name: string, value: unknown): Written | undefined {
  const text = writtenText(value)
  if (text === null || (typeof text === 'string' && !/^[\t\x20-\x7e]*$/.test(text))) {
    params.note(key, manual('a header value is visible ASCII here: left out'))
    return undefined
  }
  if (isSecretName(name)) return secretReference(params, key, text, name)
  if (text instanceof Reference) params.need(text.variable, `header ${name}`)
  params.note(key, exact(`header ${name}`))
  return text
}
