import { GatewayError } from '../errors.ts'
import { isJsonObject, type JsonObject } from '../request/call-request.ts'
import { worded } from '../wording/worded.ts'
import { type Form, type FormPart, textOf } from './form.ts'

/** Which fields of a form are what; all others are single texts that pass as they are. */
export interface FormShape {
  files: readonly string[]
  /** May be there more than once, with or without `[]` behind the name. */
  lists: readonly string[]
}

const NAME = /^([^[\]]+)(?:\[([^[\]]*)\])?$/

/**
 * A form as an object: `name[]` is an item of a list, `name[key]` a field of an object. A file is its part. A single text
 * that is there twice is refused: the gateway and a provider might each go by another one.
 */
export function formValue(form: Form, { files, lists }: FormShape): JsonObject {
  const found = new Map<string, unknown>()
  for (const part of form) {
    const [, name = part.name, key] = NAME.exec(part.name) ?? []
    const present = found.get(name)
    const value = part.filename === null ? textOf(part) : part
    if (files.includes(name) !== (part.filename !== null) && (files.includes(name) || name === 'model')) {
      const what =
        part.filename === null ? worded`send it as a file, with a filename` : worded`send it as a text, not as a file`
      throw new GatewayError('invalid_request', worded`${name}: ${what}`)
    }
    if (key === '' || lists.includes(name)) {
      if (present !== undefined && !Array.isArray(present)) throw twice(name)
      found.set(name, [...(present ?? []), value])
    } else if (key !== undefined) {
      if (present !== undefined && (!isJsonObject(present) || Object.hasOwn(present, key))) throw twice(name)
      found.set(name, Object.fromEntries([...Object.entries(present ?? {}), [key, value]]))
    } else if (present === undefined) found.set(name, value)
    else throw twice(name)
  }
  return Object.fromEntries(found)
}

/** The parts with what a translation has changed: fields that it left out are gone, new ones come last. */
export function translatedForm(form: Form, wire: JsonObject, request: JsonObject): Form {
  const kept = form.flatMap((part): FormPart[] => {
    const field = NAME.exec(part.name)?.[1] ?? part.name
    if (!Object.hasOwn(wire, field)) return []
    return wire[field] === request[field] ? [part] : [{ ...part, data: Buffer.from(String(wire[field])) }]
  })
  const added = Object.entries(wire).filter(([name]) => !Object.hasOwn(request, name))
  return [...kept, ...added.map(([name, value]) => textPart(name, String(value)))]
}

export function textPart(name: string, text: string): FormPart {
  return { name, filename: null, type: null, data: Buffer.from(text) }
}

function twice(name: string): GatewayError {
  return new GatewayError('invalid_request', worded`${name}: is there more than once`)
}
