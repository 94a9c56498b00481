import type { Adjustment } from '../domain/request/adjustment.ts'
import type { CallRequest, JsonObject } from '../domain/request/call-request.ts'
import { hasField } from '../domain/request/json-cuts.ts'
import { omittedField } from '../domain/request/omissions.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { FAMILIES } from '../providers/families.ts'
import type { Family, Target, Translation, Translator } from '../providers/family.ts'
import { translatorFor } from '../providers/translator-for.ts'

/** A destination of a request: one position of its chain. It crosses threads, so it names its family. */
export interface Destination extends Target {
  position: number
  /** Name of a row in the table of families. */
  family: string
  /** Sent where the caller leaves them out. */
  defaults?: JsonObject
}

export function familyNamed(name: string): Family {
  const family = FAMILIES.get(name)
  if (family === undefined) throw new Error(`there is no family '${name}'`)
  return family
}

/** What decides on the translator. */
export type Doorway = Pick<Destination, 'family' | 'model' | 'baseUrl' | 'speaks' | 'preset' | 'settings'>

export function translatorOf(to: Doorway, endpoint: Endpoint): Translator {
  const translator = translatorFor(familyNamed(to.family), endpoint, to, to.model)
  if (translator === undefined) throw new Error(`the family '${to.family}' does not offer ${endpoint.name}`)
  return translator
}

/** The request as the destination takes it, with the route's defaults. */
export function translated(request: CallRequest, destination: Destination, endpoint: Endpoint): Translation {
  const translator = translatorOf(destination, endpoint)
  const { defaults } = destination
  if (defaults === undefined) return adjusted(translator.toWire(request, destination), destination, translator)
  const left = Object.entries(defaults).filter(([name]) => (request[name] ?? null) === null)
  const filled = translator.toWire({ ...request, ...Object.fromEntries(left) } as CallRequest, destination)
  const translation = adjusted(filled, destination, translator)
  if (translation.kind !== 'wire') return translation
  return { ...translation, adjustments: [...left.map(routeDefault), ...translation.adjustments] }
}

function adjusted(translation: Translation, destination: Destination, translator: Translator): Translation {
  return withOmissions(marked(translation, destination, translator), destination)
}

/** Where the route asks for it, the prompt is marked for the provider's cache. */
function marked(
  translation: Translation,
  { marksPrompt, model }: Pick<Target, 'marksPrompt' | 'model'>,
  { markPrompt }: Translator,
): Translation {
  if (marksPrompt === undefined || translation.kind !== 'wire' || markPrompt === undefined) return translation
  const cached = markPrompt(translation.body, model)
  if (cached === null) return translation
  const adjustment: Adjustment = { field: cached.field, value: null, reason: 'route_cache' }
  return { ...translation, body: cached.body, adjustments: [...translation.adjustments, adjustment] }
}

/** Tells of the fields that are cut out when it is written. */
function withOmissions(translation: Translation, destination: Destination): Translation {
  const fields = translation.kind === 'wire' ? omittedFrom(translation.body, destination)?.fields : undefined
  if (translation.kind !== 'wire' || fields === undefined) return translation
  return { ...translation, adjustments: [...translation.adjustments, ...fields.map(omittedField)] }
}

/** The fields of this body that the provider does not take; null: none. */
export function omittedFrom(wire: JsonObject, { omits }: Pick<Destination, 'omits'>): { fields: string[] } | null {
  if (omits === undefined || omits.fields.length === 0) return null
  const fields = omits.fields.filter((path) => hasField(wire, path))
  return fields.length === 0 ? null : { fields }
}

/** Only figures are named: a text may be content. */
function routeDefault([field, value]: readonly [string, unknown]): Adjustment {
  return { field, value: typeof value === 'number' ? value : null, reason: 'route_default' }
}

/** Whether the bytes pass unchanged except for the model. */
export function isVerbatim(destination: Doorway, endpoint: Endpoint): boolean {
  return translatorOf(destination, endpoint).isVerbatim === true
}
