import { topLevelFields } from '../domain/request/json-text.ts'
import type { Rewrite } from './request-body.ts'

/**
 * The same body with a shorter list in one of its fields. It happens once for each value that a provider does not know,
 * so a large body is scanned here rather than in the worker, which no longer has it.
 */
export function withoutListed(
  bytes: Uint8Array,
  { field, values }: Extract<Rewrite, { kind: 'without' }>,
): Uint8Array | null {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const place = topLevelFields(source.toString('latin1')).get(field)
  if (place === undefined || place === null) return null
  // Names of values have no brackets.
  const end = source.indexOf(']', place.start) + 1
  const listed: unknown = JSON.parse(source.toString('utf8', place.start, end))
  if (!Array.isArray(listed)) return null
  const left = listed.filter((each) => !values.includes(each))
  if (left.length > 0) return joined(source.subarray(0, place.start), JSON.stringify(left), source.subarray(end))
  // With its name, and one of the commas around it.
  const before = source.toString('latin1', 0, place.key).trimEnd()
  const after = source.subarray(end)
  if (before.endsWith(',')) return joined(source.subarray(0, before.length - 1), '', after)
  return joined(source.subarray(0, before.length), '', after.subarray(after.indexOf(',') + 1))
}

function joined(before: Uint8Array, text: string, after: Uint8Array): Uint8Array {
  return Buffer.concat([before, Buffer.from(text), after])
}
