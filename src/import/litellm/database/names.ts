const LONGEST = 64

/** A text as one of our names allows it; null: nothing of it is left. */
export function slug(text: string | null): string | null {
  const name = (text ?? '')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|-+$/g, '')
    .slice(0, LONGEST)
  return name === '' ? null : name
}

/** The name itself while it is free, else with the suffix; it is taken afterwards. */
export function freeName(name: string, suffix: string, taken: Set<string>, place = ''): string {
  const free = taken.has(place + name.toLowerCase()) ? `${name.slice(0, LONGEST - suffix.length - 1)}-${suffix}` : name
  taken.add(place + free.toLowerCase())
  return free
}
