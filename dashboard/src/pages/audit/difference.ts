/** One field of an object and what became of it. */
export interface FieldDifference {
  /** `limits.budget.usd`, `chain[name].timeout_ms`. */
  field: string
  kind: 'added' | 'removed' | 'changed' | 'same'
  before: unknown
  after: unknown
}

/**
 * The fields in which two versions of an object differ, in the order of the newer one. Lists of plain values are one
 * field. Entries of other lists are matched by their names where these are unique, so that a moved entry is shown as
 * moved and not as many changes.
 */
export function differencesOf(before: unknown, after: unknown): FieldDifference[] {
  const rows: FieldDifference[] = []
  walk('', before, after, rows)
  return rows
}

export function changesOf(before: unknown, after: unknown): FieldDifference[] {
  return differencesOf(before, after).filter(({ kind }) => kind !== 'same')
}

function walk(field: string, before: unknown, after: unknown, rows: FieldDifference[]): void {
  const older = partsOf(before)
  const newer = partsOf(after)
  const isWhole = (older === null && newer === null) || (isPlain(before) && isPlain(after))
  if (isWhole || (older?.size ?? 0) + (newer?.size ?? 0) === 0) {
    leaf(field, before, after, rows)
    return
  }
  // A value replaced by an object, or the reverse, is shown once as a whole and then in parts.
  if (older === null && isPresent(before)) leaf(field, before, undefined, rows)
  if (newer === null && isPresent(after)) leaf(field, undefined, after, rows)
  const isNamed = (older === null || namedList(before)) && (newer === null || namedList(after))
  const names = isNamed && (Array.isArray(before) || Array.isArray(after)) ? byName : byPlace
  const [olds, news] = [names(before, older), names(after, newer)]
  for (const name of new Set([...news.keys(), ...olds.keys()])) {
    const path = Array.isArray(after ?? before) ? `${field}[${name}]` : field === '' ? name : `${field}.${name}`
    const [old, now] = [olds.get(name), news.get(name)]
    if (old !== undefined && now !== undefined && names === byName && old.place !== now.place) {
      rows.push({ field: `${path} position`, kind: 'changed', before: old.place, after: now.place })
    }
    walk(path, old?.value, now?.value, rows)
  }
}

function leaf(field: string, before: unknown, after: unknown, rows: FieldDifference[]): void {
  if (!isPresent(before) && !isPresent(after)) {
    if (before !== undefined || after !== undefined) rows.push({ field, kind: 'same', before: null, after: null })
    return
  }
  const kind = !isPresent(before)
    ? 'added'
    : !isPresent(after)
      ? 'removed'
      : JSON.stringify(before) === JSON.stringify(after)
        ? 'same'
        : 'changed'
  rows.push({ field, kind, before: before ?? null, after: after ?? null })
}

interface Part {
  value: unknown
  /** Counted from one, as people do. */
  place: number
}

function byPlace(_whole: unknown, parts: Map<string, unknown> | null): Map<string, Part> {
  return new Map([...(parts ?? [])].map(([name, value], index) => [name, { value, place: index + 1 }]))
}

function byName(_whole: unknown, parts: Map<string, unknown> | null): Map<string, Part> {
  const entries = [...(parts ?? [])]
  return new Map(entries.map(([, value], index) => [nameOf(value) ?? '', { value, place: index + 1 }]))
}

/** Null for what has no parts. */
function partsOf(value: unknown): Map<string, unknown> | null {
  if (Array.isArray(value)) return new Map(value.map((item, index) => [String(index + 1), item]))
  if (typeof value === 'object' && value !== null) return new Map(Object.entries(value))
  return null
}

function isPlain(value: unknown): boolean {
  return !isPresent(value) || (Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null))
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

function namedList(value: unknown): boolean {
  if (!Array.isArray(value)) return false
  const names = value.map(nameOf)
  return !names.includes(null) && new Set(names).size === names.length
}

function nameOf(value: unknown): string | null {
  const { name, alias, id, provider, model } = (value ?? {}) as Record<string, unknown>
  if (provider !== undefined && model !== undefined) return `${provider}/${model}`
  const text = name ?? alias ?? id
  return text === undefined ? null : String(text)
}
