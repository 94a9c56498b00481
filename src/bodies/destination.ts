import type { Endpoint } from '../endpoints/endpoint.ts'
import { FAMILIES } from '../providers/families.ts'
import type { Family, Target, Translator } from '../providers/family.ts'
import { translatorFor } from '../providers/translator-for.ts'

/** A destination of a request: one position of its chain. It crosses threads, so it names its family. */
export interface Destination extends Target {
  position: number
  /** Name of a row in the table of families. */
  family: string
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

/** Whether the bytes pass unchanged except for the model. */
export function isVerbatim(destination: Doorway, endpoint: Endpoint): boolean {
  return translatorOf(destination, endpoint).isVerbatim === true
}
