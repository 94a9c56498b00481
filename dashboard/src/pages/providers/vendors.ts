import type { ProviderKinds } from './provider-kinds.ts'

/** A card of the grid: a family or a preset, by the name people know. */
export interface Vendor {
  id: string
  title: string
  hint: string
  family: string
  preset: string | null
  /** A server of one's own: its address must be typed. */
  isCustom: boolean
}

/** The families first, then the presets, then any other server. */
export function vendorsOf({ families, presets }: ProviderKinds): Vendor[] {
  const own = families.map(({ name, title, hint }) => ({
    ...{ id: name, title, hint, family: name },
    ...{ preset: null, isCustom: false },
  }))
  const known = presets.map(({ name, title, hint, family }) => ({
    ...{ id: name, title, hint, family },
    ...{ preset: name, isCustom: false },
  }))
  // The first family is the one that most other servers imitate.
  const other = own.slice(0, 1).map(({ family, title }) => ({
    ...{ id: 'custom', title: 'Other server', hint: `Any ${title}-compatible address`, family },
    ...{ preset: null, isCustom: true },
  }))
  return [...own, ...known.sort((a, b) => a.title.localeCompare(b.title)), ...other]
}

/** Those whose name or hint has the text; any other server always fits. */
export function matching(vendors: readonly Vendor[], text: string): Vendor[] {
  const wanted = text.trim().toLowerCase()
  return vendors.filter(
    ({ id, title, hint, isCustom }) => isCustom || `${id} ${title} ${hint}`.toLowerCase().includes(wanted),
  )
}

/** The vendor's name, or with a number where that is taken. */
export function nameFor({ id, isCustom }: Vendor, taken: readonly string[]): string {
  if (isCustom) return ''
  let name = id
  for (let number = 2; taken.includes(name); number += 1) name = `${id}-${number}`
  return name
}
