import type { Adjustment } from './adjustment.ts'

/** What a provider does not take, of what calls can do without. */
export interface Omissions {
  /** Values of a list or of a header field, with what is sent in their place; null: nothing. */
  values: ReadonlyMap<string, string | null>
  /** Paths of fields of the body; `*` is every item of a list. */
  fields: readonly string[]
}

export const NOTHING_OMITTED: Omissions = { values: new Map(), fields: [] }

/** `later` wins. */
export function together(earlier: Omissions, later: Omissions): Omissions {
  if (later === NOTHING_OMITTED) return earlier
  if (earlier === NOTHING_OMITTED) return later
  return {
    values: new Map([...earlier.values, ...later.values]),
    fields: [...new Set([...earlier.fields, ...later.fields])],
  }
}

/** What is sent for a value, where that is not the value itself; undefined: the value. */
export function insteadOf(value: unknown, { values }: Pick<Omissions, 'values'>): string | null | undefined {
  if (typeof value !== 'string') return undefined
  const instead = values.get(value)
  // Another name of it may be refused as well.
  return typeof instead === 'string' && values.has(instead) ? null : instead
}

/** The values of a list or header field that are sent, each once, and the adjustments for the others. */
export function withoutOmitted<Value>(
  field: string,
  listed: readonly Value[],
  omissions: Omissions,
): { left: (Value | string)[]; adjustments: Adjustment[] } {
  const left = new Set<Value | string>()
  const adjustments: Adjustment[] = []
  for (const value of new Set(listed)) {
    const instead = insteadOf(value, omissions)
    if (instead === undefined) left.add(value)
    else {
      if (instead !== null) left.add(instead)
      adjustments.push(omittedValue(field, String(value), instead))
    }
  }
  return { left: [...left], adjustments }
}

export function omittedValue(field: string, value: string, instead: string | null = null): Adjustment {
  if (instead === null) return { field, value, reason: 'refused' }
  return { field, value: instead, reason: 'renamed', from: value }
}

export function omittedField(path: string): Adjustment {
  return { field: path, value: null, reason: 'refused' }
}

export function valuesIn(header: string): string[] {
  return header
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '')
}

type Headers = Iterable<readonly [name: string, value: string]>

/** Header fields as they are sent; one that is left empty is left out. */
export function* headersWithout(headers: Headers, omissions: Omissions): Headers {
  for (const [name, value] of headers) {
    const values = valuesIn(value)
    if (!values.some((each) => insteadOf(each, omissions) !== undefined)) yield [name, value]
    else {
      const { left } = withoutOmitted(name, values, omissions)
      if (left.length > 0) yield [name, left.join(',')]
    }
  }
}

/** The adjustments for header fields. */
export function omittedHeaders(headers: Headers, omissions: Omissions): Adjustment[] {
  return [...headers].flatMap(([name, value]) => withoutOmitted(name, valuesIn(value), omissions).adjustments)
}

/**
 * The fields that a call can do without, of which a provider refuses one by this name. It may say where the field was
 * and which of several shapes it was in: `tools.0.custom.strict`, `input[2].id`.
 */
export function sparedFields(refused: string, spares: readonly string[]): string[] {
  const parts = refused.replaceAll(/\[(\d+)\]/g, '.$1').split('.')
  return spares.filter((spare) => {
    const wanted = spare.split('.')
    const tail = wanted.slice(wanted.lastIndexOf('*') + 1)
    const isDeep = tail.length < wanted.length
    return (isDeep ? parts.some(isIndex) : parts[0] === wanted[0]) && endsWith(parts, tail)
  })
}

function isIndex(part: string): boolean {
  return /^\d+$/.test(part)
}

/** In this order, the last one last, with others between them; an index is none of them. */
function endsWith(parts: readonly string[], tail: readonly string[]): boolean {
  const names = parts.slice(parts.findLastIndex(isIndex) + 1)
  if (names.at(-1) !== tail.at(-1)) return false
  let at = 0
  for (const name of names) if (name === tail[at]) at += 1
  return at === tail.length
}
