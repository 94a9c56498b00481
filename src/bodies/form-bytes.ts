import { randomUUID } from 'node:crypto'
import type { Form } from '../domain/form/form.ts'
import { translatedForm } from '../domain/form/form-fields.ts'
import { formBytes } from '../domain/form/write-form.ts'
import type { JsonObject } from '../domain/request/call-request.ts'
import { type Destination, omittedFrom } from './destination.ts'

/** A form as the provider gets it: no part can contain a boundary that is chosen after it. */
export function writtenForm(
  { form, request }: { form: Form; request: JsonObject },
  wire: JsonObject,
  destination: Destination,
): Uint8Array<ArrayBuffer> {
  const omitted = new Set(omittedFrom(wire, destination)?.fields)
  const sent = Object.fromEntries(Object.entries(wire).filter(([name]) => !omitted.has(name)))
  return formBytes(translatedForm(form, sent, request), `form-${randomUUID()}`)
}
